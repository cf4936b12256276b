// Along one axis: sum, max, min, argmax, argmin, cumsum, and any combine function.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"

namespace tl::cpu {

namespace {

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

// The block as outer x axis x inner, row-major.
struct Parts {
  std::int64_t outer = 1, length, inner = 1, dims[max_rank];
  int rank = 0;  // of what remains
};
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

Ref undefined_along(State& s, const Value& undefined, int axis, Location location);

Ref folded(const Where& w, const Value& x, int axis, DType t) {
  if (x.form == Form::dense && x.rank == 1 && x.dtype == t && is_float(t) && !x.undefined &&
      is_contiguous(x)) {  // what reductions mostly are
    Ref r = Ref::take(w.state.make(Form::splat, t, std::integral_constant<int, 0>(), nullptr));
    loops().reduce(w.op, t)(r->scalar, elements_of(x), x.count);
    return r;
  }
  const Ref typed = cast(w, x, t);
  const Parts p = parts_of(*typed, axis);
  if (is_absent(*typed)) return absent_result(w, {typed.get()}, t, p.rank, p.dims);
  const int size = size_in_bytes(t);
  const std::byte* in = flat(*typed);
  if (p.rank == 0 && is_float(t) && !x.undefined) {  // one float
    Ref r = Ref::take(w.state.make(Form::splat, t, p.rank, p.dims));
    loops().reduce(w.op, t)(r->scalar, in, p.length);
    return r;
  }
  Ref r = make_dense(w.state, t, p.rank, p.dims);
  std::byte* out = r->buffer->bytes();
  if (p.inner == 1) {
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

Ref undefined_along(State& s, const Value& undefined, int axis, Location location) {
  const Where any{s, Op::max, location};
  return cast(any, *folded(any, undefined, axis, DType::int32), DType::int1);
}

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

Block reduced(const Where& w, const Block& x, long long axis, DType t) {
  const int along = checked_axis(w, *x.data(), axis);
  const Ref r = folded(w, *x.data(), along, accumulator_dtype(t));
  w.state.note({1, true, along, 0});
  return Block(finish(w, {x.data()}, cast(w, *r, t)).release());
}

Block arg_reduced(const Where& w, const Block& x, long long written_axis) {
  const Value& d = *x.data();
  const int axis = checked_axis(w, d, written_axis);
  const DType t = is_float(d.dtype) ? (d.dtype == DType::float64 ? DType::float64 : DType::float32) : DType::int64;
  const Ref typed = cast(w, d, t);
  const Parts p = parts_of(*typed, axis);
  w.state.note({1, true, axis, 0});
  if (is_absent(d)) return Block(finish(w, {&d}, absent_result(w, {&d}, DType::int32, p.rank, p.dims)).release());
  Ref r = make_dense(w.state, DType::int32, p.rank, p.dims);
  auto* out = reinterpret_cast<std::int32_t*>(r->buffer->bytes());
  const std::byte* in = flat(*typed);
  const bool largest = w.op == Op::argmax;
  if (t == DType::int64) arg_lanes(p, reinterpret_cast<const std::int64_t*>(in), out, largest);
  else if (t == DType::float64) arg_lanes(p, reinterpret_cast<const double*>(in), out, largest);
  else arg_lanes(p, reinterpret_cast<const float*>(in), out, largest);
  r = settle(std::move(r));
  if (d.undefined) r->undefined = undefined_along(w.state, *d.undefined, static_cast<int>(axis), w.location).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

// Lanes [first, first + n) along an axis, a view.
Ref span_of(const Value& d, int axis, std::int64_t first, std::int64_t n) {
  std::int64_t dims[max_rank];
  std::copy_n(d.dims, d.rank, dims);
  dims[axis] = n;
  Ref r = same_lanes(d, d.rank, dims);
  for (int i = 0; i < d.rank; ++i) r->strides[i] = d.strides[i];
  r->base += first * d.strides[axis];
  return r;
}

// As strided elements or an affine value, of which a span is a view.
Ref spannable(const Where& w, const Value& d) {
  if (d.form == Form::dense || d.form == Form::affine) return Ref::share(&d);
  Ref r = make_dense(w.state, d.dtype, d.rank, d.dims);
  std::memcpy(r->buffer->bytes(), flat(d), static_cast<std::size_t>(d.count * size_in_bytes(d.dtype)));
  return r;
}

// Combines halves of whole blocks; a combine function that branches on its arguments gets one lane at a time instead.
using Combine = Block (*)(void*, const Block&, const Block&);
Ref combine_blocks(const Where& w, const Value& x, int axis, void* f, Combine combine) {
  Ref r = spannable(w, x);
  for (std::int64_t n = x.dims[axis] / 2; n > 0; n /= 2) {
    const Block a(span_of(*r, axis, 0, n).release()), b(span_of(*r, axis, n, n).release());
    const Block c = combine(f, a, b);
    r = spannable(w, *Ref::share(c.data()));
  }
  return r;
}
Ref combine_lanes(const Where& w, const Value& x, int axis, void* f, Combine combine) {
  const Parts p = parts_of(x, axis);
  std::int64_t dims[max_rank];
  std::copy_n(x.dims, x.rank, dims);
  dims[axis] = 1;
  const int size = size_in_bytes(x.dtype);
  const std::byte* in = flat(x);
  Ref r = make_dense(w.state, x.dtype, x.rank, dims);
  const auto lane = [&](std::int64_t i) {
    Ref one = make_dense(w.state, x.dtype, 0, nullptr);
    std::memcpy(one->buffer->bytes(), in + i * size, static_cast<std::size_t>(size));
    return Block(settle(std::move(one)).release());
  };
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t j = 0; j < p.inner; ++j) {
      const auto at = [&](std::int64_t i) { return lane((o * p.length + i) * p.inner + j); };
      Ref sum = Ref::share(at(0).data());
      for (std::int64_t i = 1; i < p.length; ++i) {
        const Block c = combine(f, Block(Ref(sum).release()), at(i));
        sum = cast(w, *c.data(), x.dtype);
      }
      std::memcpy(r->buffer->bytes() + (o * p.inner + j) * size, view_of(*sum).data, static_cast<std::size_t>(size));
    }
  return r;
}

struct Quiet {
  State& state;
  explicit Quiet(State& s) : state(s) { ++s.quiet; }
  ~Quiet() { --state.quiet; }
};

}  // namespace

Block Context::sum(const Block& x, FixedInt axis, Location location) {
  return reduced({state_, Op::sum, location}, x, axis.value, sum_dtype(x.data()->dtype));
}
Block Context::max(const Block& x, FixedInt axis, Location location) {
  return reduced({state_, Op::max, location}, x, axis.value, max_dtype(x.data()->dtype));
}
Block Context::min(const Block& x, FixedInt axis, Location location) {
  return reduced({state_, Op::min, location}, x, axis.value, max_dtype(x.data()->dtype));
}
Block Context::argmax(const Block& x, FixedInt axis, Location location) {
  return arg_reduced({state_, Op::argmax, location}, x, axis.value);
}
Block Context::argmin(const Block& x, FixedInt axis, Location location) {
  return arg_reduced({state_, Op::argmin, location}, x, axis.value);
}

Block Context::reduce_by(const Block& x, FixedInt axis, Location location, void* f, Combine combine) {
  const Where w{state_, Op::reduce, location};
  const Value& d = *x.data();
  const int along = checked_axis(w, d, axis.value);
  if (is_absent(d)) {
    const Parts rest = parts_of(d, along);
    state_.note({1, true, along, 0});
    return Block(finish(w, {&d}, absent_result(w, {&d}, d.dtype, rest.rank, rest.dims)).release());
  }
  Ref r;
  {
    const Quiet quiet(state_);
    try {
      r = combine_blocks(w, d, along, f, combine);
    } catch (const FaultError& e) {
      if (e.fault.kind != FaultKind::shape) throw;
      r = combine_lanes(w, d, along, f, combine);
    }
  }
  if (r->dtype != d.dtype)
    fail(w, FaultKind::shape, fmt::format("the combine function gives {} from {}", name_of(r->dtype), name_of(d.dtype)),
         "", "cast the block first, so that both are one dtype");
  // Drop the axis, which is one lane now.
  const Parts p = parts_of(d, along);
  Ref out = same_lanes(*r, p.rank, p.dims);
  for (int i = 0, j = 0; i < d.rank; ++i)
    if (i != along) out->strides[j++] = r->strides[i];
  out = settle(std::move(out));
  if (d.undefined) out->undefined = undefined_along(state_, *d.undefined, along, location).release();
  state_.note({1, true, along, 0});
  return Block(finish(w, {&d}, std::move(out)).release());
}

Block Context::cumsum(const Block& x, FixedInt axis, Location location) {
  const Where w{state_, Op::cumsum, location};
  const Value& d = *x.data();
  const int along = checked_axis(w, d, axis.value);
  state_.note({1, true, along, 0});
  if (is_absent(d))
    return Block(finish(w, {&d}, absent_result(w, {&d}, cumsum_dtype(d.dtype), d.rank, d.dims)).release());
  const auto run = [&](const Value& value, DType t, Op op) {
    const Ref typed = cpu::cast(w, value, t);
    const Parts p = parts_of(*typed, along);
    const int size = size_in_bytes(t);
    Ref r = make_dense(state_, t, typed->rank, typed->dims);
    const std::byte* in = flat(*typed);
    std::byte* out = r->buffer->bytes();
    const BinaryLoop loop = loops().binary(op, t);
    const std::int64_t row = p.inner * size;
    for (std::int64_t o = 0; o < p.outer; ++o, in += p.length * row, out += p.length * row) {
      std::memcpy(out, in, static_cast<std::size_t>(row));
      for (std::int64_t i = 1; i < p.length; ++i) loop(out + i * row, out + (i - 1) * row, 1, in + i * row, 1, p.inner);
    }
    return settle(std::move(r));
  };
  const DType t = cumsum_dtype(d.dtype);
  Ref r = cpu::cast(w, *run(d, accumulator_dtype(t), Op::add), t);
  if (d.undefined) r->undefined = run(*d.undefined, DType::int1, Op::bit_or).release();
  return Block(finish(w, {&d}, std::move(r)).release());
}

}  // namespace tl::cpu
