// Blocks made, cast, reshaped and moved by the values of a call.
#include <fmt/format.h>

#include "interp/cpu/call_ops.h"

namespace tl::cpu::call_ops {

AnyValue full(Call& c) {  // shape value dtype
  const Shape shape = c.shape(0);
  if (!c.is<Block>(1) || shape.rank == 0) return c.tl.full(shape, c.operand(1), c.dtype(2), c.place);
  return c.tl.broadcast_to(c.block(1).to(c.dtype(2), c.place), shape, c.place);
}
AnyValue cast(Call& c) {  // input dtype fp_downcast_rounding=None bitcast=False
  if (c.is<PointerType>(1) && c.is<Block>(0)) return c.block(0).to(c[1].as<PointerType>(), c.place);
  if (c.is<Pointer>(0)) {
    if (c.is<PointerType>(1) && c[1].as<PointerType>().element == c.pointer(0).dtype.value) return c[0];
    c.refuse(0, "a pointer keeps its dtype", "cast what is loaded from it");
  }
  const Block& x = c.block(0);
  if (c.flag(3)) return x.to(c.dtype(1), Bitcast(), c.place);
  const std::string_view rounding = c.text(2);
  if (rounding == "rtz") return x.to(c.dtype(1), TowardZero(), c.place);
  if (!rounding.empty() && rounding != "rtne")
    c.refuse(2, fmt::format("\"{}\" is not one of its values", rounding), "\"rtne\" or \"rtz\"");
  return x.to(c.dtype(1), c.place);
}
AnyValue bitcast(Call& c) { return c.block(0).to(c.dtype(1), Bitcast(), c.place); }

AnyValue expand_dims(Call& c) {  // input axis
  if (c.is<Pointer>(0)) return c.tl.expand_dims(c.pointer(0), c.axis(1, rank_of(c.pointer(0)) + 1), c.place);
  Block x = c.block(0);
  if (!c.is<Tuple>(1)) {
    const Constant axis = c.axis(1, rank_of(x) + 1);
    return rank_of(x) ? c.tl.expand_dims(x, axis, c.place) : with_ones(c, x, 1);
  }
  // Several new axes, counted in the result.
  const Axes axes = c.axes(1, rank_of(x) + static_cast<int>(c[1].as<Tuple>()->size()));
  unsigned is_new = 0;
  for (int i = 0; i < axes.count; ++i) {
    if (axes.axis[i] < 0 || axes.axis[i] >= rank_of(x) + axes.count)
      c.refuse(1, fmt::format("there is no axis {} of {}", axes.axis[i], rank_of(x) + axes.count));
    if (is_new >> axes.axis[i] & 1)
      c.refuse(1,
               fmt::format("axis {0} is named twice: [{1}]", axes.axis[i],
                           fmt::join(axes.axis, axes.axis + axes.count, ", ")),
               "name each new axis once, as it stands in the result");
    is_new |= 1u << axes.axis[i];
  }
  Shape shape;
  for (int old = 0; shape.rank < rank_of(x) + axes.count; ++shape.rank)
    shape.dims[shape.rank] = is_new >> shape.rank & 1 ? 1 : value_of(x).dims[old++];
  return c.tl.reshape(x, shape, c.place);
}
AnyValue squeeze(Call& c) {  // x dim
  const Value& d = value_of(c.block(0));
  const long long dim = c.axis(1, d.rank).value;
  if (d.dims[dim] != 1) c.refuse(1, fmt::format("axis {} has {} lanes", dim, d.dims[dim]), "an axis of one lane goes");
  Shape shape;
  for (int i = 0; i < d.rank; ++i)
    if (i != dim) shape.dims[shape.rank++] = d.dims[i];
  return c.tl.reshape(c.block(0), shape, c.place);
}
AnyValue reshape(Call& c) {
  const Block& x = c.block(0);
  Shape shape = c.shape(1);
  long long known = 1;
  int unknown = -1;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] == -1 && unknown < 0) unknown = i;
    else known *= shape.dims[i];
  }
  if (unknown >= 0 && known > 0) shape.dims[unknown] = value_of(x).count / known;
  return c.tl.reshape(x, shape, c.place);
}
AnyValue permute(Call& c) { return c.tl.permute(c.block(0), c.axes(1, rank_of(c.block(0))), c.place); }
AnyValue trans(Call& c) {
  const Block& x = c.block(0);
  return c.is<Tuple>(1) && !c[1].as<Tuple>()->empty() ? c.tl.permute(x, c.axes(1, rank_of(x)), c.place)
                                                      : c.tl.trans(x, c.place);
}
AnyValue flip(Call& c) {
  const Block& x = c.block(0);
  return c.has(1) ? c.tl.flip(x, c.axis(1, rank_of(x)), c.place) : c.tl.flip(x, c.place);
}
static void check_last(Call& c, std::size_t dim) {
  const int rank = rank_of(c.block(0));
  if (c.has(dim) && c.axis(dim, rank).value != rank - 1)
    c.refuse(dim, "lanes are sorted along the last axis", "permute the axes first");
}
AnyValue sort(Call& c) {  // x dim=None descending=False
  check_last(c, 1);
  return c.tl.sort(c.block(0), {c.flag(2)}, c.place);
}
AnyValue topk(Call& c) {  // x k dim=None descending=True
  check_last(c, 2);
  const Block& x = c.block(0);
  if (!c.has(3) || c.flag(3)) return c.tl.topk(x, c.constant(1), c.place);
  // The k least: the first of the sorted.
  const Block s = c.tl.sort(x, {}, c.place);
  const int last = rank_of(x) - 1;
  Shape shape(x.shape), ones;
  shape.dims[last] = c.integer(1);
  ones.rank = shape.rank;
  for (int i = 0; i < last; ++i) ones.dims[i] = 1;
  ones.dims[last] = c.integer(1);
  const Block lanes = c.tl.reshape(c.tl.arange(Constant(0), c.constant(1), c.place), ones, c.place);
  return c.tl.gather(s, c.tl.broadcast_to(lanes, shape, c.place), Constant(last), c.place);
}
// The blocks behind one another along dim: an axis of two before it, which it then takes in.
AnyValue cat(Call& c) {  // input other can_reorder=False dim=0
  const Block &a = c.block(0), &b = c.block(1);
  const int rank = rank_of(a), dim = c.has(3) ? static_cast<int>(c.axis(3, rank).value) : 0;
  if (rank == 1) return c.tl.cat(a, b, c.place);
  const Block both = c.tl.join(a, b, c.place);
  Axes order;
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i == dim) order.axis[order.count++] = rank;
    order.axis[order.count++] = i;
    shape.dims[shape.rank++] = value_of(a).dims[i] * (i == dim ? 2 : 1);
  }
  return c.tl.reshape(c.tl.permute(both, order, c.place), shape, c.place);
}
AnyValue interleave(Call& c) {
  const Block &a = c.block(0), &b = c.block(1);
  return rank_of(a) || rank_of(b) ? c.tl.interleave(a, b, c.place) : c.tl.join(a, b, c.place);
}
AnyValue gather(Call& c) {
  const Block& x = c.block(0);
  return c.tl.gather(x, c.block(1), c.axis(2, rank_of(x)), c.place);
}
AnyValue histogram(Call& c) {
  if (c.has(2)) return c.tl.histogram(c.block(0), c.constant(1), c.block(2), c.place);
  return c.tl.histogram(c.block(0), c.constant(1), c.place);
}

}  // namespace tl::cpu::call_ops
