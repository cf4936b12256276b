// What all of a walk uses: variables, calls, operators, conditions, faults.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/names.h"
#include "interp/cpu/state.h"
#include "interp/cpu/symbols.h"
#include "interp/triton/code.h"

namespace tl::triton {

using namespace cpu;

void fail(const Frame& frame, const Place* place, std::string fact, std::string fix) {
  Fault fault;
  fault.site = location_of(*place).site();
  fault.program = frame.tl.state().program;
  fault.headline = std::move(fact);
  fault.fix = std::move(fix);
  throw FaultError(std::move(fault));
}

Flow run(const Statements& all, Frame& frame) {
  for (const auto& statement : all)
    if (const Flow flow = statement->run(frame); flow != Flow::next) return flow;
  return Flow::next;
}

namespace {

bool stays_alike(const Handle& a, const Handle& b) {
  const auto &x = *static_cast<const cpu::Value*>(a.head()), &y = *static_cast<const cpu::Value*>(b.head());
  return x.dtype == y.dtype && x.rank == y.rank && std::equal(x.dims, x.dims + x.rank, y.dims);
}

void tell(const char* name, const AnyValue& v) {
  if (v.is<Block>()) tell_name(name, &v.as<Block>());
  else if (v.is<Pointer>()) tell_name(name, &v.as<Pointer>());
  else if (v.is<Constant>()) named(name, v.as<Constant>());
  else if (v.is<RealConstant>()) named(name, v.as<RealConstant>());
  else tell_name(name, nullptr);
}

}  // namespace

bool is_run_time(const Value& v) { return v.data.is<Block>() || (v.data.is_number() && v.is_strong); }

std::string type_of(const Value& v) {
  if (v.callable() || !v.is_known() || v.data.is<Tuple>()) return "";
  if (v.data.is<Constant>() && v.is_strong)
    return fmt::format("a scalar of {}", name_of(Literal(v.data.as<Constant>()).dtype));
  if (v.data.is<RealConstant>() && v.is_strong) return fmt::format("a scalar of {}", name_of(DType::float32));
  if (v.data.is<Block>() || v.data.is<Pointer>() || v.data.is<None>()) return text_of_kind(v.data);
  return v.data.is_number() ? "a constexpr" : "";
}

void assign(Frame& frame, std::size_t slot, Value&& v, bool is_weak) {
  if (frame.course.refusals) [[unlikely]]
    frame.hidden[slot] = nullptr;
  Value& to = frame.variables[slot];
  if (auto* const block = to.data.get_if<Block>(); block && v.data.is<Block>()) {
    if (stays_alike(*block, v.data.as<Block>())) return void(*block = v.data.as<Block>());
  } else if (auto* const pointer = to.data.get_if<Pointer>(); pointer && v.data.is<Pointer>()) {
    if (stays_alike(*pointer, v.data.as<Pointer>())) return void(*pointer = v.data.as<Pointer>());
  }
  if (names_are_wanted()) [[unlikely]] {
    if (auto* const number = to.data.get_if<Constant>()) forget_number(number);
    if (auto* const number = to.data.get_if<RealConstant>()) forget_number(&number->value);
  }
  if (cpu::Symbols* const s = frame.tl.state().launch.options.symbols) [[unlikely]]
    if (const auto* now = v.data.get_if<std::shared_ptr<const cpu::BlockPointer>>()) {
      const auto* old = to.data.get_if<std::shared_ptr<const cpu::BlockPointer>>();
      s->assigned(&to, old ? (*old)->formula : 0, (*now)->formula);
    }
  to = assigned(std::move(v), is_weak);
  if (names_are_wanted()) [[unlikely]]
    tell(frame.routine.variables[slot], to.data);
}

void turn(Frame& frame, const Place* loop) {
  constexpr std::int64_t turns_between_looks = 1 << 12, most_turns = 1 << 24;
  Course& course = frame.course;
  if (++course.turns % turns_between_looks != 0) return;
  const State& s = frame.tl.state();
  const auto* const stop = s.launch.options.stop;
  if (stop && stop->load(std::memory_order_relaxed)) {
    Fault fault;
    fault.kind = FaultKind::stopped;
    fault.site = location_of(*loop).site();
    fault.program = s.program;
    fault.headline = "stopped in program " + cpu::text_of(s.program, s.launch.launch.grid);
    throw FaultError(std::move(fault));
  }
  if (const std::int64_t ops = s.ops + s.ops_granted - s.ops_left; ops != course.ops) {
    course.turns = 0;
    course.ops = ops;
  } else if (course.turns >= most_turns)
    fail(frame, loop, "this loop has gone round 16,777,216 times, and no op has run",
         "change in the loop what its condition asks for, or let it go round less often");
}

namespace {
thread_local std::vector<std::vector<Value>> given_back;
}

Variables::Variables(std::size_t count) {
  if (!given_back.empty()) {
    values_ = std::move(given_back.back());
    given_back.pop_back();
  }
  values_.resize(count);
}
Variables::~Variables() {
  values_.clear();
  given_back.push_back(std::move(values_));
}

Value call(Context& tl, const Routine& routine, Course& course, std::span<Value> arguments, const Place* place,
           int depth) {
  constexpr int most_depth = 200;
  const cpu::Frame told(static_cast<int>(routine.place->line), static_cast<int>(routine.place->column),
                        location_of(*place), location_of(*routine.place));
  Frame frame{tl, routine, course, Variables(routine.variables.size()), {}, depth};
  if (course.refusals) frame.hidden.resize(routine.variables.size());
  if (depth > most_depth)
    fail(frame, place, fmt::format("{} calls itself without end", routine.name),
         "Triton has no recursion: write a loop");
  for (std::size_t i = 0; i < routine.parameters; ++i) {
    Value v = i < arguments.size() ? std::move(arguments[i]) : Value();
    if (!v.is_known() && routine.fallbacks[i]) v = routine.fallbacks[i]->value(frame);
    if (!v.is_known())
      fail(frame, place, fmt::format("{} is called without {}", routine.name, routine.variables[i]), "pass it");
    const bool is_weak = routine.is_constexpr[i] || !v.is_strong;
    assign(frame, i, std::move(v), is_weak);
  }
  run(routine.body, frame);
  return frame.result.is_known() ? std::move(frame.result) : Value(AnyValue(None{}));
}

bool truth(const Value& v, Frame& frame, const Place* place, const char* asks) {
  if (v.data.is<Block>()) return decides(v.data.as<Block>(), location_of(*place), asks);
  const auto yes = truth_of(v);
  if (!yes) fail(frame, place, fmt::format("{} is neither true nor false", text_of(v)), "compare it");
  return *yes;
}

bool counts(const Value& number, DType beside) {
  if (!number.is_strong) return false;
  if (number.data.is<RealConstant>()) return is_float(beside) ? size_in_bytes(beside) < 4 : false;
  return !is_float(beside) && beside != DType::int32 && beside != DType::int64;
}

namespace {

bool is_whole(const AnyValue& v) { return v.is<Constant>() || (v.is<Block>() && !is_float(v.as<Block>().dtype.value)); }

Op op_of(Sign sign) {
  switch (sign) {
    case Sign::add: return Op::add;
    case Sign::sub: return Op::sub;
    case Sign::mul: return Op::mul;
    case Sign::mod: return Op::mod;
    case Sign::bit_and: return Op::bit_and;
    case Sign::bit_or: return Op::bit_or;
    case Sign::bit_xor: return Op::bit_xor;
    case Sign::shl: return Op::shl;
    case Sign::shr: return Op::shr;
    case Sign::lt: return Op::lt;
    case Sign::le: return Op::le;
    case Sign::gt: return Op::gt;
    case Sign::ge: return Op::ge;
    case Sign::eq: return Op::eq;
    case Sign::ne: return Op::ne;
    default: return Op::div;
  }
}

// For two integers / is Python's: a float.
Value quotient(Frame& frame, const AnyValue& x, const AnyValue& y, const Place* place) {
  if (x.is<Block>() && y.is<Block>()) {
    const DType a = x.as<Block>().dtype.value, b = y.as<Block>().dtype.value;
    if (a != DType::int1 && b != DType::int1 && is_signed(a) != is_signed(b))
      fail(frame, place, fmt::format("/ of {} and {}, of which one has a sign", name_of(a), name_of(b)),
           "cast one of them first: x.to(tl.int32)");
  }
  AnyValue values[] = {x, y, NotGiven{}};
  return cpu::call(frame.tl, *function_called("fdiv"), values, location_of(*place));
}

}  // namespace

Value infix(Frame& frame, Sign sign, const Value& x, const Value& y, const Place* place) {
  const bool is_block = x.data.is<Block>() || y.data.is<Block>();
  if (!is_block && !x.data.is<Pointer>() && !y.data.is<Pointer>()) {
    try {
      if (auto v = computed(sign, x, y)) return std::move(*v);
    } catch (const Error& e) {
      fail(frame, place, e.what(), e.fix);
    }
  }
  if (sign == Sign::is || sign == Sign::is_not) {
    const bool none = x.data.is<None>() && y.data.is<None>();
    return AnyValue(none == (sign == Sign::is));
  }
  if (x.data.is<None>() || y.data.is<None>())
    fail(frame, place, fmt::format("{} {} {}: one side is None", text_of(x), text_of(sign), text_of(y)),
         "ask first: if x is not None:");
  const bool is_move = sign == Sign::add || sign == Sign::sub;
  if ((x.data.is<Pointer>() || y.data.is<Pointer>()) && !is_move)
    fail(frame, place, fmt::format("{} {} {}: pointers only move, by + and -", text_of(x), text_of(sign), text_of(y)),
         "tl.load(ptr) reads the value that a pointer leads to");
  const bool has_no_op = sign == Sign::power || sign == Sign::matmul || sign == Sign::in || sign == Sign::not_in;
  if ((x.callable() || y.callable()) || has_no_op || (!is_block && !is_move))
    fail(frame, place, fmt::format("no operator {} takes {} and {}", text_of(sign), text_of(x), text_of(y)),
         sign == Sign::matmul  ? "tl.dot(a, b) multiplies matrices"
         : sign == Sign::power ? "x * x, or tl.exp2(y * tl.log2(x))"
                               : "operators take blocks, pointers and numbers");
  const auto location = location_of(*place);
  if (x.data.is<Block>() && y.data.is_number() && counts(y, x.data.as<Block>().dtype.value))
    return infix(frame, sign, x, Value(scalar_of(frame.tl, y.data, location)), place);
  if (y.data.is<Block>() && x.data.is_number() && counts(x, y.data.as<Block>().dtype.value))
    return infix(frame, sign, Value(scalar_of(frame.tl, x.data, location)), y, place);
  const bool are_whole = is_whole(x.data) && is_whole(y.data);
  if (sign == Sign::true_div && are_whole) return quotient(frame, x.data, y.data, place);
  if (sign == Sign::floor_div && !are_whole)
    fail(frame, place, fmt::format("// of {} and {}", text_of(x), text_of(y)), "// is of integers: tl.floor(x / y)");
  return cpu::infix(frame.tl, op_of(sign), x.data, y.data, location);
}

}  // namespace tl::triton
