// By a combine function, along one axis: tl.reduce and tl.associative_scan, of one block or several; softmax.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "interp/cpu/absent.h"
#include "interp/cpu/loops.h"
#include "interp/cpu/reduction.h"

namespace tl::cpu {

namespace {

using Values = std::vector<Ref>;

// As strided elements or an affine value, of which a span is a view.
Ref spannable(const Where& w, const Value& d) {
  if (d.form == Form::dense || d.form == Form::affine) return Ref::share(&d);
  Ref r = make_dense(w.state, d.dtype, d.rank, d.dims);
  std::memcpy(r->buffer->bytes(), flat(d), static_cast<std::size_t>(d.count * size_in_bytes(d.dtype)));
  return r;
}

// Lanes [first, first + n) along an axis, a view.
Ref span_of(const Where& w, const Value& whole, int axis, std::int64_t first, std::int64_t n) {
  const Ref d = spannable(w, whole);
  std::int64_t dims[max_rank];
  std::copy_n(d->dims, d->rank, dims);
  dims[axis] = n;
  Ref r = same_lanes(*d, d->rank, dims);
  for (int i = 0; i < d->rank; ++i) r->strides[i] = d->strides[i];
  r->base += first * d->strides[axis];
  return r;
}

// The combine function on values: `a` and `b` hold one each for the blocks.
class Combiner {
 public:
  template <class Combine>
  Combiner(const Where& w, const Combine& combine)
      : where_(w), call_([combine](const Block* const* sides, Values& to) {
          combine.call(
              combine.function, sides,
              [](void* out, int number, const Block& b) {
                auto& all = *static_cast<Values*>(out);
                if (all.size() <= static_cast<std::size_t>(number)) all.resize(static_cast<std::size_t>(number) + 1);
                all[static_cast<std::size_t>(number)] = Ref::share(b.data());
              },
              &to);
        }) {}

  Values operator()(const Values& a, const Values& b) const {
    std::vector<Block> held;
    for (const Values* side : {&a, &b})
      for (const Ref& r : *side) held.push_back(Block(Ref(r).release()));
    std::vector<const Block*> sides;
    for (const Block& h : held) sides.push_back(&h);
    Values made;
    call_(sides.data(), made);
    if (made.size() != a.size())
      fail(where_, FaultKind::shape, fmt::format("the combine function gives {} values", made.size()),
           fmt::format("it combines {}", a.size()),
           fmt::format("return {} of as many values as each side has",
                       notation_of(where_).is_python() ? "a tuple" : "tl.tuple"));
    for (std::size_t i = 0; i < made.size(); ++i)
      if (made[i]->dtype != a[i]->dtype)
        fail(where_, FaultKind::shape,
             fmt::format("the combine function gives {} from {}", name_of(made[i]->dtype), name_of(a[i]->dtype)), "",
             "cast the block first, so that both are one dtype");
    return made;
  }

 private:
  Where where_;
  std::function<void(const Block* const*, Values&)> call_;
};

Values spans_of(const Where& w, const Values& x, int axis, std::int64_t first, std::int64_t n) {
  Values spans;
  for (const Ref& r : x) spans.push_back(span_of(w, *r, axis, first, n));
  return spans;
}

// Halves of whole blocks at a time.
Values fold_blocks(const Where& w, Values x, int axis, const Combiner& combine) {
  for (std::int64_t n = x[0]->dims[axis] / 2; n > 0; n /= 2)
    x = combine(spans_of(w, x, axis, 0, n), spans_of(w, x, axis, n, n));
  return x;
}

// One lane of each value.
Values lanes_at(const Where& w, const Values& x, std::int64_t lane) {
  Values lanes;
  for (const Ref& r : x) {
    Ref one = make_dense(w.state, r->dtype, 0, nullptr);
    const auto size = static_cast<std::size_t>(size_in_bytes(r->dtype));
    std::memcpy(one->buffer->bytes(), flat(*r) + lane * static_cast<std::int64_t>(size), size);
    lanes.push_back(settle(std::move(one)));
  }
  return lanes;
}
void put_lanes(const Values& to, std::int64_t lane, const Values& lanes) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto size = static_cast<std::size_t>(size_in_bytes(to[i]->dtype));
    std::memcpy(to[i]->buffer->bytes() + lane * static_cast<std::int64_t>(size), view_of(*lanes[i]).data, size);
  }
}
Values make_like(const Where& w, const Values& x, int rank, const std::int64_t* dims) {
  Values made;
  for (const Ref& r : x) made.push_back(make_dense(w.state, r->dtype, rank, dims));
  return made;
}

// Lane by lane along the axis. `keeps`: every step's result is one of the output's, as in a scan.
Values walk_lanes(const Where& w, const Values& x, int axis, bool keeps, bool reverse, const Combiner& combine) {
  const Parts p = parts_of(*x[0], axis);
  Values out = keeps ? make_like(w, x, x[0]->rank, x[0]->dims) : make_like(w, x, p.rank, p.dims);
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t j = 0; j < p.inner; ++j) {
      Values total;
      for (std::int64_t n = 0; n < p.length; ++n) {
        const std::int64_t lane = (o * p.length + (reverse ? p.length - 1 - n : n)) * p.inner + j;
        total = n ? combine(total, lanes_at(w, x, lane)) : lanes_at(w, x, lane);
        if (keeps) put_lanes(out, lane, total);
      }
      if (!keeps) put_lanes(out, o * p.inner + j, total);
    }
  return out;
}

void check_count(const Where& w, const Value& made, std::int64_t count) {
  if (made.count != count)
    fail(w, FaultKind::shape, "the combine function changes the shape", "", "let it work lane by lane");
}

// Row after row along the axis, all other axes at once.
Values scan_blocks(const Where& w, const Values& x, int axis, bool reverse, const Combiner& combine) {
  const std::int64_t length = x[0]->dims[axis];
  Values out = make_like(w, x, x[0]->rank, x[0]->dims);
  Values total;
  const Parts p = parts_of(*x[0], axis);
  for (std::int64_t n = 0; n < length; ++n) {
    const std::int64_t at = reverse ? length - 1 - n : n;
    const Values row = spans_of(w, x, axis, at, 1);
    total = n ? combine(total, row) : row;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto bytes = p.inner * size_in_bytes(out[i]->dtype);
      check_count(w, *total[i], p.outer * p.inner);
      for (std::int64_t o = 0; o < p.outer; ++o)
        std::memcpy(out[i]->buffer->bytes() + (o * length + at) * bytes, flat(*total[i]) + o * bytes,
                    static_cast<std::size_t>(bytes));
    }
  }
  return out;
}

// f, or `other` where the combine function branches on its arguments and must have one lane at a time.
template <class F, class G>
Values by_blocks_or_lanes(const Where& w, F f, G other) {
  const Quiet quiet(w.state);
  try {
    return f();
  } catch (const FaultError& e) {
    if (e.fault.kind != FaultKind::shape) throw;
    return other();
  }
}

// All have one shape, since one function combines their lanes.
Values operands_of(const Where& w, const Block* const* x, int count) {
  Values values;
  for (int i = 0; i < count; ++i) {
    const Value &d = *x[i]->data(), &first = *x[0]->data();
    if (d.rank != first.rank || !std::equal(d.dims, d.dims + d.rank, first.dims))
      fail(w, FaultKind::shape, "the blocks of the tuple have different shapes",
           text_of_shape(first.dims, first.rank) + " and " + text_of_shape(d.dims, d.rank),
           "give all one shape: tl.broadcast_to(x, y.shape)");
    values.push_back(Ref::share(&d));
  }
  return values;
}

// A GPU combines lanes in an order of its own: (a, b) and c give what a and (b, c) give, but for rounding? Asked of the
// first lanes alone, under the checks.
void check_associative(const Where& w, const Values& x, int axis, const Combiner& combine) {
  const RunOptions& options = w.state.launch.options;
  const Parts p = parts_of(*x[0], axis);
  if (!options.checks.hints || !options.checks.race || p.length < 4) return;
  const Quiet quiet(w.state);
  for (std::int64_t first = 0; first + 2 < std::min<std::int64_t>(p.length, 8); ++first) {
    const auto at = [&](std::int64_t i) { return lanes_at(w, x, (first + i) * p.inner); };
    const Values left = combine(combine(at(0), at(1)), at(2)), right = combine(at(0), combine(at(1), at(2)));
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!is_float(left[i]->dtype) && !is_integer(left[i]->dtype)) continue;
      const auto number = [](const Value& v) {
        return is_float(v.dtype) ? double_of(v) : static_cast<double>(int_of(v));
      };
      const double a = number(*left[i]), b = number(*right[i]);
      if (a == b || !std::isfinite(a) || !std::isfinite(b)) continue;
      double size = std::max(std::abs(a), std::abs(b));  // sums that cancel keep the error of their operands
      for (std::int64_t k = 0; k < 3; ++k) size = std::max(size, std::abs(number(*at(k)[i])));
      const bool is_narrow = is_float(left[i]->dtype) && size_in_bytes(left[i]->dtype) < 4;
      if (is_float(left[i]->dtype) && std::abs(a - b) <= (is_narrow ? 0.05 : 1e-4) * size) continue;
      Fault f = make_fault(w, FaultKind::false_hint,
                           fmt::format("the combine function is not associative in program {}",
                                       text_of(w.state.program, w.state.launch.launch.grid)),
                           fmt::format("(a, b), c gives {}, a, (b, c) gives {}, with a = {}, b = {}, c = {}", a, b,
                                       number(*at(0)[i]), number(*at(1)[i]), number(*at(2)[i])),
                           "a GPU combines lanes in another order: use a function for which f(f(a, b), c) is "
                           "f(a, f(b, c)), or a loop");
      f.lane = first;
      return report(w.state, std::move(f));
    }
  }
}

// Reports the op to the observer; the values' references are the caller's.
Value** finish_op(const Where& w, const Values& in, Values made) {
  const Value *operands[8] = {}, *results[8] = {};
  const auto n = static_cast<int>(std::min<std::size_t>(in.size(), 8));
  for (int i = 0; i < n; ++i) {
    made[static_cast<std::size_t>(i)]->location = w.location;
    operands[i] = in[static_cast<std::size_t>(i)].get();
    results[i] = made[static_cast<std::size_t>(i)].get();
  }
  if (w.state.due(w.op, w.location)) w.state.on_op(w.op, w.location, operands, n, results, n, nullptr, {});
  thread_local std::vector<Value*> given;
  given.clear();
  for (Ref& r : made) given.push_back(r.release());
  return given.data();
}

}  // namespace

Block Context::block_of(Value* taken) { return Block(taken); }

Value** Context::reduce_by(const Block* const* x, int count, FixedInt axis, Location location, Combine combine) {
  const Where w{state_, Op::reduce, location};
  const Values in = operands_of(w, x, count);
  const int along = checked_axis(w, *in[0], axis.value);
  meet(w, *in[0]);
  const Parts p = parts_of(*in[0], along);
  state_.note({1, true, along, 0});
  Values made;
  state_.asks_values = true;  // is it associative?
  if (std::any_of(in.begin(), in.end(), [](const Ref& r) { return is_absent(*r); })) {
    for (const Ref& r : in) made.push_back(absent_result(w, {in[0].get()}, r->dtype, p.rank, p.dims));
    return finish_op(w, in, std::move(made));
  }
  const Combiner combiner(w, combine);
  check_associative(w, in, along, combiner);
  made = by_blocks_or_lanes(
      w, [&] { return fold_blocks(w, in, along, combiner); },
      [&] { return walk_lanes(w, in, along, false, false, combiner); });
  for (std::size_t i = 0; i < made.size(); ++i) {
    Ref out = make_dense(state_, made[i]->dtype, p.rank, p.dims);
    check_count(w, *made[i], out->count);
    std::memcpy(out->buffer->bytes(), flat(*made[i]), static_cast<std::size_t>(out->count * size_in_bytes(out->dtype)));
    made[i] = settle(std::move(out));
    if (in[i]->undefined) made[i]->undefined = undefined_along(state_, *in[i]->undefined, along, location).release();
  }
  return finish_op(w, in, std::move(made));
}

Value** Context::scan_by(const Block* const* x, int count, FixedInt axis, const ScanOptions& options, Location location,
                         Combine combine) {
  const Where w{state_, Op::associative_scan, location};
  const Values in = operands_of(w, x, count);
  const int along = checked_axis(w, *in[0], axis.value);
  state_.note({1, true, along, 0});
  Values made;
  state_.asks_values = true;  // is it associative?
  if (std::any_of(in.begin(), in.end(), [](const Ref& r) { return is_absent(*r); })) {
    for (const Ref& r : in) made.push_back(absent_result(w, {in[0].get()}, r->dtype, r->rank, r->dims));
    return finish_op(w, in, std::move(made));
  }
  const Combiner combiner(w, combine);
  check_associative(w, in, along, combiner);
  made = by_blocks_or_lanes(
      w, [&] { return scan_blocks(w, in, along, options.reverse, combiner); },
      [&] { return walk_lanes(w, in, along, true, options.reverse, combiner); });
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = settle(std::move(made[i]));
    if (in[i]->undefined)
      made[i]->undefined = running(w, *in[i]->undefined, DType::int1, Op::bit_or, along, options.reverse).release();
  }
  return finish_op(w, in, std::move(made));
}

// e^(x - max x) / sum e^(x - max x), in fp32, rounded once.
Block Context::softmax(const Block& x, FixedInt axis, Location location) {
  const Where w{state_, Op::softmax, location};
  const Value& d = *x.data();
  const int along = checked_axis(w, d, axis.value);
  const DType t = math_dtype(d.dtype), computed = accumulator_dtype(t);
  Ref r;
  {
    const Quiet quiet(state_);
    const ElementType wide{computed};
    const Block in = x.to(wide, location), e = exp(in - max(in, Constant(along), keep_dims, location), location),
                y = e / sum(e, Constant(along), keep_dims, location);
    r = cpu::cast(w, *y.data(), t);
  }
  state_.note({1, true, along, 0});
  return Block(finish(w, {&d}, std::move(r)).release());
}

}  // namespace tl::cpu
