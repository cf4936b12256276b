// Reductions and scans by the values of a call.
#include <fmt/format.h>

#include "interp/cpu/call_ops.h"

namespace tl::cpu::call_ops {

// input axis=None .. keep_dims: f(block, axis) and f(block) over all axes.
template <class Along, class All>
AnyValue reduction(Call& c, std::size_t keep_dims, Along along, All over_all) {
  const Block& x = c.block(0);
  const int rank = rank_of(x);
  if (!c.has(1)) return c.flag(keep_dims) ? with_ones(c, over_all(x), rank) : over_all(x);
  const Constant axis = c.axis(1, rank);
  const Block r = along(x, axis);
  return c.flag(keep_dims) ? c.tl.expand_dims(r, axis, c.place) : r;
}
#define TL_REDUCTION(NAME, KEEP_DIMS)                                                           \
  reduction(                                                                                    \
      c, KEEP_DIMS, [&](const Block& x, Constant axis) { return c.tl.NAME(x, axis, c.place); }, \
      [&](const Block& x) { return c.tl.NAME(x, c.place); })

// input axis=None return_indices=False return_indices_tie_break_left=True keep_dims=False
static AnyValue with_index(Call& c, bool is_max) {
  c.only(3, !c.has(3) || c.flag(3), "of equal values the first is taken");
  const Block x = c.has(1) ? c.block(0) : c.tl.ravel(c.block(0), c.place);
  const Constant axis = c.has(1) ? c.axis(1, rank_of(x)) : Constant(0);
  const BlockPair p = is_max ? c.tl.max_with_index(x, axis, c.place) : c.tl.min_with_index(x, axis, c.place);
  if (!c.flag(4)) return pair(p);
  return pair({c.tl.expand_dims(p.first, axis, c.place), c.tl.expand_dims(p.second, axis, c.place)});
}

AnyValue max(Call& c) { return c.flag(2) ? with_index(c, true) : TL_REDUCTION(max, 4); }
AnyValue min(Call& c) { return c.flag(2) ? with_index(c, false) : TL_REDUCTION(min, 4); }
AnyValue sum(Call& c) {
  if (!c.has(3)) return TL_REDUCTION(sum, 2);
  const Block x = c.block(0).to(c.dtype(3), c.place);  // added in that dtype
  AnyValue values[] = {x, c[1], c[2], NotGiven{}};
  return call(c.tl, *function_called("sum"), values, c.place);
}
AnyValue argmax(Call& c) {
  c.only(2, !c.has(2) || c.flag(2), "of equal values the first is taken");
  return TL_REDUCTION(argmax, 3);
}
AnyValue argmin(Call& c) {
  c.only(2, !c.has(2) || c.flag(2), "of equal values the first is taken");
  return TL_REDUCTION(argmin, 3);
}
AnyValue xor_sum(Call& c) { return TL_REDUCTION(xor_sum, 2); }
#undef TL_REDUCTION

const CombineFunction& function_of(Call& c, std::size_t i) {
  if (!c.is<CombineFunction>(i))
    c.refuse(i, fmt::format("a function is wanted, and this is {}", text_of_kind(c[i])),
             "give one with @triton.jit above it");
  return c[i].as<CombineFunction>();
}
static AnyValue one_or_tuple(const Call& c, const std::vector<Block>& made) {
  return c.is<Tuple>(0) ? tuple_of(made) : AnyValue(made[0]);
}
AnyValue reduce(Call& c) {  // input axis combine_fn keep_dims=False
  const std::vector<Block> x = c.blocks(0);
  const Constant axis = c.axis(1, rank_of(x[0]));
  std::vector<Block> made = AtRunTime::reduce(c.tl, x, axis, function_of(c, 2), c.place), kept;
  if (!c.flag(3)) return one_or_tuple(c, made);
  for (const Block& b : made) kept.push_back(c.tl.expand_dims(b, axis, c.place));
  return one_or_tuple(c, kept);
}
AnyValue associative_scan(Call& c) {  // input axis combine_fn reverse=False
  const std::vector<Block> x = c.blocks(0);
  return one_or_tuple(
      c, AtRunTime::associative_scan(c.tl, x, c.axis(1, rank_of(x[0])), {c.flag(3)}, function_of(c, 2), c.place));
}
AnyValue map_elementwise(Call& c) {  // scalar_fn *args pack=1
  const std::vector<Block> made = AtRunTime::map_elementwise(c.tl, function_of(c, 0), c.blocks(1),
                                                             c.has(2) ? static_cast<int>(c.integer(2)) : 1, c.place);
  return made.size() == 1 ? AnyValue(made[0]) : tuple_of(made);
}
AnyValue cumsum(Call& c) {  // input axis=0 reverse=False dtype=None
  const Block x = c.has(3) ? c.block(0).to(c.dtype(3), c.place) : c.block(0);
  return c.tl.cumsum(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), {c.flag(2)}, c.place);
}
AnyValue cumprod(Call& c) {
  const Block& x = c.block(0);
  return c.tl.cumprod(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), {c.flag(2)}, c.place);
}
AnyValue softmax(Call& c) {  // x dim=None keep_dims=False ieee_rounding=False
  const Block& x = c.block(0);
  return c.tl.softmax(x, c.has(1) ? c.axis(1, rank_of(x)) : Constant(0), c.place);
}

}  // namespace tl::cpu::call_ops
