// Loads, stores and what they go through, by the values of a call.
#include <fmt/format.h>

#include "interp/cpu/call_ops.h"

namespace tl::cpu::call_ops {

// pointer mask=None other=None boundary_check=() padding_option="" cache_modifier="" eviction_policy="" volatile=False
AnyValue load(Call& c) {
  const auto cache = c.word<CacheModifier>(5, modifiers);
  const auto eviction = c.word<EvictionPolicy>(6, policies);
  if (!c.is<BlockPtr>(0)) {
    if (c.is<Tuple>(3) && !c[3].as<Tuple>()->empty())
      c.refuse(3, "it is for block pointers", "mask the lanes beyond the tensor: mask=offs < n");
    return c.tl.load(c.pointer(0), {c.option(1), c.option(2), cache, eviction, c.flag(7)}, c.place);
  }
  for (const std::size_t i : {1, 2})
    if (c.has(i)) c.refuse(i, "a block pointer knows its bounds", "boundary_check=(0, 1), padding_option=\"zero\"");
  const std::string_view padding = c.text(4);
  if (!padding.empty() && padding != "zero" && padding != "nan")
    c.refuse(4, fmt::format("\"{}\" is not one of its values", padding), "\"zero\" or \"nan\"");
  const BlockPointer& p = c.block_pointer(0);
  return c.tl.load(p,
                   {c.has(3) ? c.axes(3, p.rank) : Axes(),
                    padding == "nan"    ? Padding::nan
                    : padding == "zero" ? Padding::zero
                                        : Padding::none,
                    cache, eviction, c.flag(7)},
                   c.place);
}
// pointer value mask=None boundary_check=() cache_modifier="" eviction_policy=""
AnyValue store(Call& c) {
  const auto cache = c.word<CacheModifier>(4, modifiers);
  const auto eviction = c.word<EvictionPolicy>(5, policies);
  if (!c.is<BlockPtr>(0)) {
    c.tl.store(c.pointer(0), c.operand(1), {c.option(2), cache, eviction}, c.place);
    return None{};
  }
  if (c.has(2)) c.refuse(2, "a block pointer knows its bounds", "boundary_check=(0, 1)");
  const BlockPointer& p = c.block_pointer(0);
  c.tl.store(p, c.block(1), {c.has(3) ? c.axes(3, p.rank) : Axes(), cache, eviction}, c.place);
  return None{};
}
AnyValue atomic_cas(Call& c) {  // pointer cmp val sem=None scope=None
  return c.tl.atomic_cas(c.pointer(0), c.operand(1), c.operand(2),
                         {c.word<AtomicSem>(3, sems), c.word<AtomicScope>(4, scopes)}, c.place);
}
AnyValue make_block_ptr(Call& c) {  // base shape strides offsets block_shape order
  const Shape block = c.shape(4);
  return std::make_shared<const BlockPointer>(AtRunTime::make_block_ptr(
      c.tl, c.pointer(0), c.operands(1), c.operands(2), c.operands(3), block, c.axes(5, block.rank), c.place));
}
AnyValue make_tensor_descriptor(Call& c) {  // base shape strides block_shape padding_option="zero"
  const std::string_view padding = c.text(4);
  if (!padding.empty() && padding != "zero" && padding != "nan")
    c.refuse(4, fmt::format("\"{}\" is not one of its values", padding), "\"zero\" or \"nan\"");
  constexpr long long least = 16;  // bytes of a row that a GPU's tensor copy moves
  const Shape tile = c.shape(3);
  const int size = size_in_bytes(c.pointer(0).dtype.value);
  if (tile.rank > 0 && tile.dims[tile.rank - 1] * size < least)
    c.refuse(3,
             fmt::format("a row of a tile has {} bytes, and a GPU copies {} at least", tile.dims[tile.rank - 1] * size,
                         least),
             fmt::format("let the tile's last axis have {} elements", least / size));
  Descriptor made = AtRunTime::make_tensor_descriptor(c.tl, c.pointer(0), c.operands(1), c.operands(2), tile, c.place);
  if (padding == "nan" && !is_float(made.dtype.value))
    c.refuse(4, fmt::format("{} has no NaN", name_of(made.dtype.value)), "\"zero\"");
  made.pads_with_nan = padding == "nan";
  return std::make_shared<const Descriptor>(std::move(made));
}
AnyValue advance(Call& c) {
  return std::make_shared<const BlockPointer>(AtRunTime::advance(c.tl, c.block_pointer(0), c.operands(1), c.place));
}

}  // namespace tl::cpu::call_ops
