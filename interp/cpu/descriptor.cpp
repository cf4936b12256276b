// Descriptors: tiles of a tensor that is an argument, or described in the kernel.
#include "interp/cpu/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/cpu/absent.h"
#include "interp/cpu/access.h"
#include "interp/cpu/exploration.h"
#include "interp/cpu/memory.h"
#include "interp/cpu/symbols.h"
#include "interp/cpu/tile.h"
#include "interp/lang/launch.h"
#include "interp/lang/notation.h"

namespace tl::cpu {

namespace {

// For an exploration: this op reaches memory by pointers, not by tiles.
void tell_pointers(const Where& w, const char* op) {
  if (w.state.exploration) w.state.exploration->goes_by_pointers(w, op);
}

}  // namespace

// What the ops on a descriptor know of it.
struct DescriptorAccess {
  // A GPU's tensor copies begin each row, each matrix, at a multiple of 16 bytes. Triton refuses others; a kernel of
  // ours goes by pointers then.
  static void check_strides(const Where& w, const Descriptor& d) {
    constexpr long long unit = 16;
    const int size = size_in_bytes(d.dtype.value);
    const Checks& checks = w.state.launch.options.checks;
    if (!checks.hints || !(checks.differences || Notation(w.location.site().file).is_python())) return;
    for (int i = 0; i + 1 < d.rank; ++i) {
      if (d.strides[i] * size % unit == 0 || d.shape[i] < 2) continue;
      Fault f = make_fault(
          w, FaultKind::false_hint,
          fmt::format("program {}'s descriptor has a stride of {} bytes along axis {}",
                      text_of(w.state.program, w.state.launch.launch.grid), d.strides[i] * size, i),
          fmt::format("{} elements of {}; a GPU's tensor copy takes multiples of 16 bytes", d.strides[i],
                      name_of(d.dtype.value)),
          fmt::format("pad the rows to a multiple of {} elements, or load by pointers with a mask", unit / size));
      return report(w.state, std::move(f));
    }
  }

  static Lanes lanes_of(const Where& w, const Descriptor& d, const long long* block, Coordinates at) {
    const int count = at.count;
    if (count != d.block_rank || d.rank != d.block_rank)
      fail(w, FaultKind::shape,
           fmt::format("{} coordinates for tiles of rank {} in a tensor of rank {}", count, d.block_rank, d.rank), "",
           "give one coordinate an axis");
    long long offsets[max_rank] = {};
    for (int i = 0; i < count; ++i) offsets[i] = int_operand(w, at.first[i]);
    note_tile(w.state, d.rank, d.shape, d.strides, offsets, ~0u);
    if (Symbols* s = w.state.launch.options.symbols)
      s->goes_through(d.formula, {at.first, static_cast<std::size_t>(count)}, ~0u);
    return tile_lanes(w, d.tensor, d.base, d.rank, block, d.shape, d.strides, offsets, ~0u);
  }

  // Lanes (r, c) at row rows[r], column + c.
  static Lanes row_lanes(const Where& w, const Descriptor& d, const Value& rows, const Operand& column) {
    if (d.block_rank != 2 || d.rank != 2 || d.block_shape[0] != 1)
      fail(w, FaultKind::shape, "rows are gathered and scattered by tiles of one row",
           fmt::format("this descriptor's are of {} axes and {} rows", d.block_rank, d.block_shape[0]),
           "describe it with " + notation_of(w).shape({"1", "BN"}));
    if (rows.rank != 1 || is_float(rows.dtype))
      fail(w, FaultKind::shape, "the rows are a block of integers with one axis",
           fmt::format("this is {}{}", name_of(rows.dtype), text_of_shape(rows.dims, rows.rank)),
           fmt::format("pass tl.arange(0, {}) or what was loaded at such offsets", notation_of(w).constant("8")));
    const std::int64_t width = d.block_shape[1], dims[] = {rows.dims[0], width};
    if (w.state.exploration) return unknown_lanes(w, d.tensor, 2, dims);
    if (is_absent(rows)) needs_values(w, rows, "an address");
    const std::int64_t first = int_operand(w, column);
    Lanes l = make_tile(w, d.tensor, 2, dims[0] * width, 0, true);
    l.is_tile = l.all = false;
    l.shape = trace::Extents(dims);
    l.keep_offsets = make_dense(w.state, DType::int64, 2, dims);
    l.keep_mask = make_dense(w.state, DType::int1, 2, dims);
    auto* const offsets = reinterpret_cast<std::int64_t*>(l.keep_offsets->buffer->bytes());
    auto* const mask = reinterpret_cast<unsigned char*>(l.keep_mask->buffer->bytes());
    const Ref wide = cast(w, rows, DType::int64);
    const auto* row = reinterpret_cast<const std::int64_t*>(flat(*wide));
    for (std::int64_t r = 0; r < dims[0]; ++r)
      for (std::int64_t c = 0; c < width; ++c) {
        const std::int64_t lane = r * width + c, at = first + c;
        offsets[lane] = d.base + row[r] * d.strides[0] + at * d.strides[1];
        mask[lane] = row[r] >= 0 && row[r] < d.shape[0] && at >= 0 && at < d.shape[1];
      }
    l.offsets = offsets;
    l.mask = mask;
    return l;
  }
};

Block Descriptor::load(Coordinates at, Location location) const {
  const Where w{context->state(), Op::load, location};
  Lanes l = DescriptorAccess::lanes_of(w, *this, block_shape, at);
  std::byte padding[8] = {};
  if (pads_with_nan) std::memcpy(padding, make_float(w.state, dtype.value, __builtin_nan(""))->scalar, 8);
  const Value* operands[max_rank] = {};
  for (int i = 0; i < at.count; ++i) operands[i] = at.first[i].block ? at.first[i].block->data() : nullptr;
  return Block(load_lanes(w, l, nullptr, padding, {operands[0], operands[1], operands[2], operands[3]}).release());
}

void Descriptor::store(Coordinates at, const Block& value, Location location) const {
  const Where w{context->state(), Op::store, location};
  const Value& v = *value.data();
  const int last = block_rank - 1;
  long long tile[max_rank];
  std::copy_n(block_shape, max_rank, tile);
  // Fewer columns are whole boxes of TMA's, which are 128 bytes wide.
  if (v.rank == block_rank && v.dims[last] < tile[last] && v.dims[last] * size_in_bytes(dtype.value) >= 128)
    tile[last] = v.dims[last];
  check_value_shape(w, v, block_rank, tile);
  Lanes l = DescriptorAccess::lanes_of(w, *this, tile, at);
  const Ref typed = cast(w, v, dtype.value);
  store_lanes(w, l, *typed, {value.data()});
}

Block Descriptor::gather(const Block& rows, Operand column, Location location) const {
  const Where w{context->state(), Op::load, location};
  tell_pointers(w, "gather");
  Lanes l = DescriptorAccess::row_lanes(w, *this, *rows.data(), column);
  constexpr std::byte zero[8] = {};
  return Block(load_lanes(w, l, nullptr, zero, {rows.data()}).release());
}

void Descriptor::scatter(const Block& value, const Block& rows, Operand column, Location location) const {
  const Where w{context->state(), Op::store, location};
  tell_pointers(w, "scatter");
  Lanes l = DescriptorAccess::row_lanes(w, *this, *rows.data(), column);
  const long long tile[] = {l.shape[0], l.shape[1]};
  check_value_shape(w, *value.data(), 2, tile);
  const Ref typed = cast(w, *value.data(), dtype.value);
  store_lanes(w, l, *typed, {value.data(), rows.data()});
}

#define TL_ATOMIC(NAME)                                                                                            \
  void Descriptor::NAME(Coordinates at, const Block& value, Location location) const {                             \
    const Where w{context->state(), Op::NAME, location};                                                           \
    tell_pointers(w, #NAME);                                                                                       \
    check_value_shape(w, *value.data(), block_rank, block_shape);                                                  \
    Lanes l = DescriptorAccess::lanes_of(w, *this, block_shape, at);                                               \
    const Ref typed = cast(w, *value.data(), dtype.value);                                                         \
    atomic_lanes(w, l, *typed, {nullptr, value.data(), nullptr}, nullptr, AtomicOrder::relaxed, AtomicReach::gpu); \
  }
TL_ATOMIC(atomic_add)
TL_ATOMIC(atomic_max)
TL_ATOMIC(atomic_min)
TL_ATOMIC(atomic_and)
TL_ATOMIC(atomic_or)
TL_ATOMIC(atomic_xor)
#undef TL_ATOMIC

Descriptor Context::bind(const DescriptorArgument& a, int tensor) {
  Descriptor d(*this, tensor, a.tensor.dtype);
  d.rank = static_cast<int>(a.tensor.shape.size());
  d.block_rank = static_cast<int>(a.block_shape.size());
  std::copy_n(a.tensor.shape.begin(), d.rank, d.shape);
  std::copy_n(a.tensor.strides.begin(), d.rank, d.strides);
  std::copy_n(a.block_shape.begin(), d.block_rank, d.block_shape);
  d.pads_with_nan = a.pads_with_nan;
  return d;
}

Descriptor Context::make_descriptor(const Pointer& base, const Operand* all, int rank, const Shape& block,
                                    Location location) {
  const Where w{state_, Op::make_tensor_descriptor, location};
  tell_pointers(w, "make_tensor_descriptor");
  const Value& p = *base.data();
  if (p.count != 1)
    fail(w, FaultKind::shape, "the base must be one pointer", "it is a block of them",
         "pass the tensor's first element");
  if (is_absent(p) && !goes_on_without(w)) needs_values(w, p, "an address");
  if (block.rank != rank)
    fail(w, FaultKind::shape, fmt::format("{} sizes for tiles of {} axes", rank, block.rank), "",
         "give shape, strides and tile one entry an axis");
  Descriptor d(*this, p.tensor, p.dtype);
  d.base = p.base;
  d.rank = d.block_rank = rank;
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    d.shape[i] = int_operand(w, all[i]);
    d.strides[i] = int_operand(w, all[rank + i]);
    d.block_shape[i] = block.dims[i];
    count *= block.dims[i];
    if (block.dims[i] <= 0 || (block.dims[i] & (block.dims[i] - 1)) || count > 1048576)
      fail(w, FaultKind::shape, fmt::format("{} is not a power of two", block.dims[i]),
           "every dimension of a tile is one, up to 1048576 lanes together", "round the tile up: lanes outside read 0");
  }
  if (d.strides[rank - 1] != 1)
    fail(w, FaultKind::shape, fmt::format("the last stride is {}", d.strides[rank - 1]),
         "a descriptor's last axis is contiguous", "swap the axes, or load by pointers");
  DescriptorAccess::check_strides(w, d);
  if (Symbols* s = state_.launch.options.symbols)
    d.formula = s->tile(p, {all, static_cast<std::size_t>(2 * rank)}, rank);
  finish(w, {base.data()}, {});
  return d;
}

}  // namespace tl::cpu
