// Along one axis, or all: sum, max, min and where they are, xor_sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/nan_watch.h"
#include "interp/cpu/reduction.h"

namespace tl::cpu {

// A negative axis counts from the end.
int checked_axis(const Where& w, const Value& d, long long axis) {
  if (axis < -d.rank || axis >= d.rank)
    fail(w, FaultKind::shape, fmt::format("a block of shape {} has no axis {}", text_of_shape(d.dims, d.rank), axis),
         "",
         d.rank > 1 ? fmt::format("use 0 to {}, or {} to -1 from the end", d.rank - 1, -d.rank)
         : d.rank   ? "use 0, its only axis"
                    : "it is a scalar already");
  return static_cast<int>(axis < 0 ? axis + d.rank : axis);
}

Parts parts_of(const Value& d, int axis) {
  Parts p;
  p.length = d.dims[axis];
  for (int i = 0; i < d.rank; ++i) {
    if (i < axis) p.outer *= d.dims[i];
    if (i > axis) p.inner *= d.dims[i];
    if (i != axis) p.dims[p.rank++] = d.dims[i];
  }
  return p;
}

namespace {

// The order in which CUDA adds here; null where it is not known, or does not matter.
const OrderedSum* order_of(const Where& w, std::int64_t length, DType t) {
  State& s = w.state;
  s.last_order = nullptr;
  const SumOrders* orders = s.launch.options.sums.get();
  if (!orders || w.op != Op::sum || !is_float(t)) return nullptr;
  const int place = orders->find(w.location.site());
  if (place < 0) return nullptr;
  s.sum_passes.resize(orders->size());
  const OrderedSum& order = orders->order(place, s.sum_passes[static_cast<std::size_t>(place)]++);
  return s.last_order = static_cast<std::int64_t>(order.at.size()) == length ? &order : nullptr;
}

void sum_in_order(const OrderedSum& order, DType t, const Parts& p, std::byte* out, const std::byte* in) {
  const std::int64_t row = p.inner * size_in_bytes(t);
  for (std::int64_t o = 0; o < p.outer; ++o)
    loops().ordered_sum(t)(out + o * row, in + o * p.length * row, p.inner, order.at.data(), order.registers,
                           order.lanes, order.warps);
}

Ref folded(const Where& w, const Value& x, int axis, DType t) {
  const OrderedSum* order = order_of(w, x.dims[axis], t);
  if (x.form == Form::dense && x.rank == 1 && x.dtype == t && is_float(t) && !x.undefined &&
      is_contiguous(x)) {  // what reductions mostly are
    Ref r = Ref::take(w.state.make(Form::splat, t, std::integral_constant<int, 0>(), nullptr));
    if (order) sum_in_order(*order, t, parts_of(x, axis), r->scalar, elements_of(x));
    else loops().reduce(w.op, t)(r->scalar, elements_of(x), x.count);
    return r;
  }
  const Ref typed = cast(w, x, t);
  const Parts p = parts_of(*typed, axis);
  if (is_absent(*typed)) return absent_result(w, {typed.get()}, t, p.rank, p.dims);
  const int size = size_in_bytes(t);
  const std::byte* in = flat(*typed);
  if (p.rank == 0 && is_float(t) && !x.undefined) {  // one float
    Ref r = Ref::take(w.state.make(Form::splat, t, p.rank, p.dims));
    if (order) sum_in_order(*order, t, p, r->scalar, in);
    else loops().reduce(w.op, t)(r->scalar, in, p.length);
    return r;
  }
  Ref r = make_dense(w.state, t, p.rank, p.dims);
  std::byte* out = r->buffer->bytes();
  if (order) {
    sum_in_order(*order, t, p, out, in);
  } else if (p.inner == 1) {
    const ReduceLoop loop = loops().reduce(w.op, t);
    for (std::int64_t o = 0; o < p.outer; ++o) loop(out + o * size, in + o * p.length * size, p.length);
  } else {
    // Row by row into the result; the first row starts it.
    const BinaryLoop loop = loops().binary(w.op == Op::sum ? Op::add : w.op == Op::max ? Op::maximum : Op::minimum, t);
    for (std::int64_t o = 0; o < p.outer; ++o) {
      std::byte* row = out + o * p.inner * size;
      const std::byte* from = in + o * p.length * p.inner * size;
      std::memcpy(row, from, static_cast<std::size_t>(p.inner * size));
      for (std::int64_t i = 1; i < p.length; ++i) loop(row, row, 1, from + i * p.inner * size, 1, p.inner);
    }
  }
  r = settle(std::move(r));
  if (x.undefined) r->undefined = undefined_along(w.state, *x.undefined, axis, w.location).release();
  return r;
}

}  // namespace

Ref undefined_along(State& s, const Value& undefined, int axis, Location location) {
  const Where any{s, Op::max, location};
  return cast(any, *folded(any, undefined, axis, DType::int32), DType::int1);
}

namespace {

template <class T>
void arg_lanes(const Parts& p, const T* in, std::int32_t* out, bool largest) {
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t j = 0; j < p.inner; ++j) {
      const T* first = in + o * p.length * p.inner + j;
      std::int32_t best = 0;
      for (std::int64_t i = 1; i < p.length; ++i) {
        const T a = first[i * p.inner], b = first[best * p.inner];
        // NaN is dropped, as in max; the first of equals stays.
        if (largest ? a > b || (b != b && a == a) : a < b || (b != b && a == a)) best = static_cast<std::int32_t>(i);
      }
      out[o * p.inner + j] = best;
    }
}

// A maximum passes over NaN, where torch and NumPy give NaN, and argmax its place. NaN is what NaN alone gives.
void note_passed_nan(const Where& w, const Value& from, int axis) {
  if (!w.state.launch.options.checks.differences || w.state.quiet || from.undefined || nan_lane(from) < 0) return;
  const Parts p = parts_of(from, axis);
  const Ref lanes = cast(w, from, DType::float64);
  const auto* in = reinterpret_cast<const double*>(flat(*lanes));
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t i = 0; i < p.inner; ++i) {
      std::int64_t nans = 0, first = -1;
      for (std::int64_t k = 0; k < p.length; ++k) {
        const std::int64_t lane = (o * p.length + k) * p.inner + i;
        if (std::isnan(in[lane]) && nans++ == 0) first = lane;
      }
      if (nans == 0 || nans == p.length) continue;
      return report(
          w.state,
          make_fault(w, FaultKind::nan,
                     fmt::format("NaN takes part in program {}", text_of(w.state.program, w.state.launch.launch.grid)),
                     fmt::format("lane {} is NaN, and a maximum or minimum passes over it", first),
                     "torch and NumPy give NaN there: mask such lanes off, or look where the NaN comes from"));
    }
}

Block reduced(const Where& w, const Block& x, long long axis, DType t) {
  const int along = checked_axis(w, *x.data(), axis);
  meet(w, *x.data());
  const Ref r = folded(w, *x.data(), along, accumulator_dtype(t));
  if (w.op != Op::sum) note_passed_nan(w, *x.data(), along);
  w.state.note({1, true, along, 0});
  return Block(finish(w, {x.data()}, cast(w, *r, t)).release());
}

// Where the largest or smallest lanes are, and what they hold, as wide as they are compared.
struct Extreme {
  Ref value, index;
};
Extreme extreme_of(const Where& w, const Value& d, int axis, bool largest) {
  const DType t = is_float(d.dtype)          ? (d.dtype == DType::float64 ? DType::float64 : DType::float32)
                  : d.dtype == DType::uint64 ? DType::uint64
                                             : DType::int64;
  const Ref typed = cast(w, d, t);
  const Parts p = parts_of(*typed, axis);
  meet(w, d);
  w.state.note({1, true, axis, 0});
  if (is_absent(d))
    return {absent_result(w, {&d}, t, p.rank, p.dims), absent_result(w, {&d}, DType::int32, p.rank, p.dims)};
  note_passed_nan(w, d, axis);
  Extreme r{make_dense(w.state, t, p.rank, p.dims), make_dense(w.state, DType::int32, p.rank, p.dims)};
  auto* index = reinterpret_cast<std::int32_t*>(r.index->buffer->bytes());
  const std::byte* in = flat(*typed);
  const auto search = [&](auto tag) {
    using T = decltype(tag);
    const T* from = reinterpret_cast<const T*>(in);
    arg_lanes(p, from, index, largest);
    auto* value = reinterpret_cast<T*>(r.value->buffer->bytes());
    for (std::int64_t i = 0; i < p.outer * p.inner; ++i)
      value[i] = from[(i / p.inner * p.length + index[i]) * p.inner + i % p.inner];
  };
  if (t == DType::int64) search(std::int64_t{});
  else if (t == DType::uint64) search(std::uint64_t{});
  else if (t == DType::float64) search(double{});
  else search(float{});
  for (Ref* each : {&r.value, &r.index}) {
    *each = settle(std::move(*each));
    if (d.undefined) (*each)->undefined = undefined_along(w.state, *d.undefined, axis, w.location).release();
  }
  return r;
}

Block arg_reduced(const Where& w, const Block& x, long long axis, bool largest) {
  const Value& d = *x.data();
  return Block(finish(w, {&d}, extreme_of(w, d, checked_axis(w, d, axis), largest).index).release());
}

BlockPair with_index(const Where& w, const Block& x, long long axis, bool largest) {
  const Value& d = *x.data();
  Extreme r = extreme_of(w, d, checked_axis(w, d, axis), largest);
  const DType t = max_dtype(d.dtype);
  r.value = cast(w, *r.value, t);
  r.value->location = r.index->location = w.location;
  if (w.state.due(w.op, w.location)) {
    const Value* in = &d;
    const Value* out[2] = {r.value.get(), r.index.get()};
    w.state.on_op(w.op, w.location, &in, 1, out, 2, nullptr, {});
  }
  return {Block(r.value.release()), Block(r.index.release())};
}

Block xor_reduced(const Where& w, const Block& x, long long axis) {
  const Value& d = *x.data();
  if (is_float(d.dtype))
    fail(w, FaultKind::shape, fmt::format("it takes integers, not {}", name_of(d.dtype)), "", "cast to tl.int32");
  const int along = checked_axis(w, d, axis);
  const DType t = sum_dtype(d.dtype);
  const Ref typed = cast(w, d, t);
  const Parts p = parts_of(*typed, along);
  meet(w, d);
  w.state.note({1, true, along, 0});
  if (is_absent(d)) return Block(finish(w, {&d}, absent_result(w, {&d}, t, p.rank, p.dims)).release());
  Ref r = make_dense(w.state, t, p.rank, p.dims);
  const int size = size_in_bytes(t);
  const BinaryLoop loop = loops().binary(Op::bit_xor, t);
  const std::int64_t row = p.inner * size;
  for (std::int64_t o = 0; o < p.outer; ++o) {
    const std::byte* from = flat(*typed) + o * p.length * row;
    std::byte* to = r->buffer->bytes() + o * row;
    std::memcpy(to, from, static_cast<std::size_t>(row));
    for (std::int64_t i = 1; i < p.length; ++i) loop(to, to, 1, from + i * row, 1, p.inner);
  }
  r = settle(std::move(r));
  if (d.undefined) r->undefined = undefined_along(w.state, *d.undefined, along, w.location).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

}  // namespace

// One over all axes takes them as one; one that keeps its axis gets it back.
#define TL_REDUCTION(NAME, MADE)                                                         \
  Block Context::NAME(const Block& x, FixedInt axis, Location location) { return MADE; } \
  Block Context::NAME(const Block& x, Location location) {                               \
    if (x.data()->rank <= 1) return NAME(x, Constant(0), location);                      \
    return NAME(ravel(x, location), Constant(0), location);                              \
  }                                                                                      \
  Block Context::NAME(const Block& x, FixedInt axis, KeepDims, Location location) {      \
    const int along = checked_axis({state_, Op::NAME, location}, *x.data(), axis.value); \
    const Block r = NAME(x, axis, location);                                             \
    return expand_dims(r, Constant(along), location);                                    \
  }
TL_REDUCTION(sum, reduced({state_, Op::sum, location}, x, axis.value, sum_dtype(x.data()->dtype)))
TL_REDUCTION(max, reduced({state_, Op::max, location}, x, axis.value, max_dtype(x.data()->dtype)))
TL_REDUCTION(min, reduced({state_, Op::min, location}, x, axis.value, max_dtype(x.data()->dtype)))
TL_REDUCTION(argmax, arg_reduced({state_, Op::argmax, location}, x, axis.value, true))
TL_REDUCTION(argmin, arg_reduced({state_, Op::argmin, location}, x, axis.value, false))
TL_REDUCTION(xor_sum, xor_reduced({state_, Op::xor_sum, location}, x, axis.value))
#undef TL_REDUCTION

BlockPair Context::max_with_index(const Block& x, FixedInt axis, Location location) {
  return with_index({state_, Op::max_with_index, location}, x, axis.value, true);
}
BlockPair Context::min_with_index(const Block& x, FixedInt axis, Location location) {
  return with_index({state_, Op::min_with_index, location}, x, axis.value, false);
}

}  // namespace tl::cpu
