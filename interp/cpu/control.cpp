// Loops, hints and assertions.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/absent.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/symbols.h"
#include "interp/cpu/undefined.h"
#include "interp/trace/recorded.h"

namespace tl::cpu {

namespace {

std::int64_t bound(const Where& w, const Operand& o, DType& t) {
  if (!o.block) {
    if (o.literal.kind == LiteralKind::real)
      fail(w, FaultKind::shape, "a range needs integers", "", "cast the bound with .to(tl.int32)");
    if (o.literal.dtype == DType::int64 || o.literal.dtype == DType::uint32) t = DType::int64;
    return o.literal.integer;
  }
  const Value& d = *o.block->data();
  if (d.count != 1 || is_float(d.dtype))
    fail(w, FaultKind::shape,
         fmt::format("a range needs integer scalars, not {}{}", name_of(d.dtype), text_of_shape(d.dims, d.rank)), "",
         "pass a scalar, or cast it with .to(tl.int32)");
  if (is_absent(d)) {
    if (!goes_on_without(w)) needs_values(w, d, "the bound of tl.range");
    if (d.dtype == DType::int64 || d.dtype == DType::uint32) t = DType::int64;
    return 1;
  }
  w.state.goes_by(d);
  if (w.state.recording) w.state.recording->reads_bound(d);
  if (d.undefined) [[unlikely]]
    check_undefined_choice(w, d, "the bound of a loop");
  if (d.dtype == DType::int64 || d.dtype == DType::uint32) t = DType::int64;
  return int_of(d);
}

std::int64_t first_false(const Value& condition) {
  const auto* lanes = reinterpret_cast<const unsigned char*>(flat(condition));
  for (std::int64_t i = 0; i < condition.count; ++i)
    if (!lanes[i]) return i;
  return -1;
}

void require(const Where& w, const Value& condition, FaultKind kind, std::string fact, std::string detail,
             std::string fix) {
  if (is_absent(condition) && goes_on_without(w)) return;
  if (is_absent(condition)) needs_values(w, condition, trace::text_of(w.op));
  const Ref bools = cast(w, condition, DType::int1);
  const std::int64_t lane = is_uniform(*bools) && int_of(*bools) ? -1 : first_false(*bools);
  if (lane >= 0) {
    const bool scalar = condition.count == 1;
    Fault f = make_fault(w, kind, std::move(fact), std::move(detail), std::move(fix));
    f.headline +=
        scalar ? fmt::format(" in program {}", text_of(w.state.program, w.state.launch.launch.grid))
               : fmt::format(" in lane {} of program {}", lane, text_of(w.state.program, w.state.launch.launch.grid));
    f.lane = scalar ? -1 : lane;
    fail(std::move(f));
  }
  const Value* operand = &condition;
  if (w.state.due(w.op, w.location)) w.state.on_op(w.op, w.location, &operand, 1, nullptr, 0, nullptr, {});
}

// Every lane of an integer value, or every address of a pointer in bytes, is a multiple.
void check_multiple(const Where& w, const Value& d, std::int64_t n) {
  if (n <= 0) fail(w, FaultKind::shape, fmt::format("nothing is a multiple of {}", n), "", "pass a positive constant");
  if (is_float(d.dtype) && !d.is_pointer)
    fail(w, FaultKind::shape, fmt::format("{} has no multiples", name_of(d.dtype)), "", "hint an integer or a pointer");
  if (is_absent(d)) return;
  const std::int64_t unit = d.is_pointer ? size_in_bytes(d.dtype) : 1;
  if (d.form == Form::affine) {
    bool all = d.base * unit % n == 0;
    for (int i = 0; i < d.rank && all; ++i) all = d.dims[i] == 1 || d.strides[i] * unit % n == 0;
    if (all) return;
  }
  const DType t = d.element_dtype();
  const std::byte* const lanes = flat(d);
  const auto value = [&](std::int64_t lane) { return trace::decode_int(t, lanes + lane * size_in_bytes(t)); };
  // For a run such as 64 65 66 67 the hint is about the first: 16 divides it.
  const auto goes_on = [&](std::int64_t lane, std::int64_t v) {
    for (std::int64_t axis = d.rank - 1, step = 1; axis >= 0; step *= d.dims[axis--])
      if (lane / step % d.dims[axis] > 0 && value(lane - step) == v - 1) return true;
    return false;
  };
  for (std::int64_t i = 0; i < d.count; ++i) {
    const std::int64_t v = value(i);
    if (v * unit % n == 0 || goes_on(i, v)) continue;
    Fault f = make_fault(
        w, FaultKind::false_hint,
        d.count == 1
            ? fmt::format("the hint is false in program {}", text_of(w.state.program, w.state.launch.launch.grid))
            : fmt::format("the hint is false in lane {} of program {}", i,
                          text_of(w.state.program, w.state.launch.launch.grid)),
        d.is_pointer ? fmt::format("element {}, byte {}, is not a multiple of {} bytes", v, v * unit, n)
                     : fmt::format("{} is not a multiple of {}", v, n),
        "hint a smaller power of two, or drop the hint: a GPU would read wrong addresses");
    f.lane = d.count == 1 ? -1 : i;
    fail(std::move(f));
  }
}

// A hint's value is a value of its own: it is assigned, and may be named.
Ref copied(const Value& d) {
  Ref r = same_lanes(d, d.rank, d.dims);
  for (int i = 0; i < d.rank; ++i) {
    r->strides[i] = d.strides[i];
    r->hi[i] = d.form == Form::box ? d.hi[i] : 0;
  }
  if (d.undefined) r->undefined = Ref::share(d.undefined).release();
  return r;
}

// How often an exploration turns a loop: a few times, in which what one turn stores meets what the next one loads;
// where a bound is not known, not at all in one run and four times in another.
long long explored_turns(const Where& w, long long lo, long long hi, long long step,
                         std::initializer_list<const Operand*> bounds) {
  const Value* unknown = nullptr;
  for (const Operand* o : bounds)
    if (o->block && is_absent(*o->block->data()) && (!unknown || is_from_data(*o->block->data())))
      unknown = o->block->data();
  if (unknown) return choice_without(w, *unknown, "the bound of tl.range") ? 4 : 0;
  const long long distance = step > 0 ? hi - lo : lo - hi, size = step > 0 ? step : -step;
  return distance <= 0 ? 0 : std::min((distance - 1) / size + 1, 8LL);
}

}  // namespace

Range Context::range(Operand hi, RangeOptions options, Location location) {
  return range(Operand(0), hi, Operand(1), options, location);
}
Range Context::range(Operand lo, Operand hi, RangeOptions options, Location location) {
  return range(lo, hi, Operand(1), options, location);
}
Range Context::range(Operand lo, Operand hi, Operand step, RangeOptions options, Location location) {
  const Where w{state_, Op::range, location};
  Range r;
  r.context = this;
  r.location = location;
  r.lo = bound(w, lo, r.dtype);
  r.hi = bound(w, hi, r.dtype);
  r.step = bound(w, step, r.dtype);
  r.num_stages = options.num_stages.value;
  r.lo_source = {lo.literal.is_constant, lo.block ? lo.block->data()->id : 0};
  r.step_source = {step.literal.is_constant, step.block ? step.block->data()->id : 0};
  if (state_.replay) state_.replay->on_range(lo, hi, step, r.lo, r.hi, r.step);
  if (r.step == 0) fail(w, FaultKind::shape, "a range with step 0 never ends", "", "pass a step above or below 0");
  if (Symbols* s = state_.launch.options.symbols) s->range(lo, hi, step);
  if (state_.exploration) [[unlikely]] {
    r.hi = explored_turns(w, r.lo, r.hi, r.step, {&lo, &hi, &step});
    r.lo = 0;
    r.step = 1;
  }
  return r;
}

Loop* Range::enter() const {
  State& s = context->state();
  if (!(s.recording || s.launch.options.symbols) || lo == hi || (hi > lo) != (step > 0)) return nullptr;
  const long long size = step > 0 ? step : -step, distance = step > 0 ? hi - lo : lo - hi;
  const long long turns = (distance + size - 1) / size;
  if (s.recording) return s.recording->begin_loop(location.site(), lo, step, turns);
  return s.launch.options.symbols->begin_loop(location.site(), lo, step, turns);
}

long long Range::Iterator::next(Loop& loop) { return loop.next(); }
void Range::Iterator::leave(Loop& loop) { loop.leave(); }

Block Range::value(long long i, Loop* loop) const {
  const Where w{context->state(), Op::range, location};
  if (w.state.exploration) [[unlikely]]
    return Block(finish(w, {}, absent_scalar(w.state, dtype)).release());
  w.state.note({0, lo_source.is_constant, lo, lo_source.id});
  w.state.note({2, step_source.is_constant, step, step_source.id});
  Ref index = make_scalar(w.state, dtype, i);
  if (loop) [[unlikely]]
    loop->varies(*index);
  return Block(finish(w, {}, std::move(index)).release());
}

Block Context::multiple_of(const Block& x, FixedInt n, Location location) {
  const Where w{state_, Op::multiple_of, location};
  if (is_float(x.dtype.value))
    fail(w, FaultKind::shape, "only integers and pointers have multiples",
         fmt::format("this is {}", name_of(x.dtype.value)), "cast with .to(tl.int32)");
  if (state_.launch.options.checks.hints) check_multiple(w, *x.data(), n.value);
  state_.note({1, true, n.value, 0});
  return Block(finish(w, {x.data()}, copied(*x.data())).release());
}
Pointer Context::multiple_of(const Pointer& x, FixedInt n, Location location) {
  const Where w{state_, Op::multiple_of, location};
  if (state_.launch.options.checks.hints) check_multiple(w, *x.data(), n.value);
  state_.note({1, true, n.value, 0});
  return Pointer(finish(w, {x.data()}, copied(*x.data())).release());
}

void Context::check_static_step(long long step) {
  if (step == 0)
    fail({state_, Op::range, {}}, FaultKind::shape, "tl.static_for: a step of 0 never ends", "",
         "pass a step above or below 0");
}
void Context::static_check(Constant condition, const char* text, Location location) {
  if (!condition)
    fail({state_, Op::device_assert, location}, FaultKind::assertion,
         fmt::format("tl.{} does not hold",
                     Notation(location.site().file).is_python() ? "static_assert" : "static_check"),
         text, "launch it with constants for which it does");
}

void Context::debug_barrier(Location location) {
  const Where w{state_, Op::debug_barrier, location};
  ++state_.barriers;
  if (state_.due(w.op, location)) state_.on_op(w.op, location, nullptr, 0, nullptr, 0, nullptr, {});
}

namespace {
// In each run of n lanes of the last axis every lane is the one before it plus `step`.
Block hinted_runs(State& s, Op op, Location location, const Block& x, std::int64_t n, std::int64_t step) {
  const Where w{s, op, location};
  const Value& d = *x.data();
  if (n <= 0 || is_float(d.dtype))
    fail(w, FaultKind::shape,
         n <= 0 ? fmt::format("{} lanes are not a run", n)
                : fmt::format("a hint is for integers, not {}", name_of(d.dtype)),
         "", "pass an integer block and a positive constant");
  if (s.launch.options.checks.hints && !is_absent(d) && d.rank > 0) {
    const Ref wide = cast(w, d, DType::int64);
    const auto* lane = reinterpret_cast<const std::int64_t*>(flat(*wide));
    const std::int64_t row = d.dims[d.rank - 1];
    for (std::int64_t i = 0; i < d.count; ++i) {
      if (i % row % n == 0 || lane[i] == lane[i - 1] + step) continue;
      Fault f = make_fault(
          w, FaultKind::false_hint,
          fmt::format("the hint is false in lane {} of program {}", i, text_of(s.program, s.launch.launch.grid)),
          fmt::format("it is {} after {}", lane[i], lane[i - 1]),
          "hint a shorter run, or drop the hint: a GPU would read wrong addresses");
      f.lane = i;
      fail(std::move(f));
    }
  }
  s.note({1, true, n, 0});
  return Block(finish(w, {&d}, copied(d)).release());
}
}  // namespace

Block Context::max_contiguous(const Block& x, FixedInt n, Location p) {
  return hinted_runs(state_, Op::max_contiguous, p, x, n.value, 1);
}
Block Context::max_constancy(const Block& x, FixedInt n, Location p) {
  return hinted_runs(state_, Op::max_constancy, p, x, n.value, 0);
}

void Context::assume(const Block& condition, Location location) {
  const Where w{state_, Op::assume, location};
  if (!state_.launch.options.checks.hints) return;
  require(w, *condition.data(), FaultKind::false_hint, "the assumption is false", "",
          "drop the hint, or launch only what it promises: a GPU would compute nonsense");
}
void Context::assume(Constant condition, Location location) {
  const Where w{state_, Op::assume, location};
  if (state_.launch.options.checks.hints && !condition)
    fail(w, FaultKind::false_hint, "the assumption is false", "it is a constant",
         "drop the hint, or launch with other constants");
}

void Context::device_assert(const Block& condition, const char* text, Location location) {
  require({state_, Op::device_assert, location}, *condition.data(), FaultKind::assertion, "the assertion fails", text,
          "look at the values it compares");
}
void Context::device_assert(Constant condition, const char* text, Location location) {
  if (!condition)
    fail({state_, Op::device_assert, location}, FaultKind::assertion, "the assertion fails", text,
         "look at the constants it compares");
}

}  // namespace tl::cpu
