// Capturing a program: what each op becomes, and the steps of its numbers.
#include "interp/cpu/replay.h"

#include <algorithm>

#include "interp/cpu/absent.h"

namespace tl::cpu {

namespace {
constexpr std::size_t most_values = 8192;  // a program with more is not worth it
constexpr int most_captures = 16, most_failures = 3;
constexpr int most_waits = 4;                        // programs that a thread runs while another tries
constexpr std::int64_t far = std::int64_t{1} << 60;  // a number beyond might overflow in a later step
}  // namespace

void Replay::clear() {
  numbers_.assign(1, 0);
  made_by_.assign(1, -1);
  steps_.clear();
  std::fill(ids_, ids_ + 3, none);
  known_.clear();
  works_.clear();
  calls_.clear();
  fetched_.clear();
  geometries_.clear();
  tiles_.clear();
  uses_.clear();
  scratch_.clear();
  kept_.clear();
  copies_.clear();
  failed_ = ready_ = is_special_ = false;
  given_ = 0;
}

Replay::Verdict Replay::at_first(std::int64_t programs, int threads, const RunOptions& o) {
  const bool may =
      programs >= 8 * threads && !o.op_limit && !o.checks.nan && !o.checks.differences && !o.checks.undefined_lane;
  return may ? Verdict::untried : Verdict::no;
}

void Replay::begin_program() {
  captures_ = (!ready_ || misses_ >= 2) && captures_made_ < most_captures && failures_ < most_failures;
  if (!captures_) return;
  Verdict v = Verdict::untried;
  if (!verdict_.compare_exchange_strong(v, Verdict::tried))
    captures_ = v == Verdict::yes || (v == Verdict::tried && ++waits_ > most_waits);
  if (!captures_) return;
  clear();
  misses_ = 0;
  state_.replay = this;
}

void Replay::end_program(bool ok) {
  if (!captures_) return;
  captures_ = false;
  state_.replay = nullptr;
  ready_ = ok && !failed_;
  if (ready_) ++captures_made_;
  else failures_ += is_special_ ? 1 : most_failures;  // what stops an ordinary program stops all
  Verdict v = Verdict::tried;
  verdict_.compare_exchange_strong(v, ready_                      ? Verdict::yes
                                      : failures_ < most_failures ? Verdict::untried
                                                                  : Verdict::no);
  if (!ready_) return;
  read_in_place();
  write_in_place();
  for (Work& w : works_)
    if (w.geometry >= 0) flatten(w, geometries_[static_cast<std::size_t>(w.geometry)]);
  fetch_ahead();
  calls_.assign(works_.begin(), works_.end());
}

void Replay::learn(const Value& v, Known k) {
  const_cast<Value&>(v).id = known_.size() + 1;
  if (!k.whole) k.whole = v.id;
  known_.push_back(k);
}

void Replay::share(const Value& view, const Value& of) {
  const Known k = known(of);
  if (k.load >= 0) uses_.push_back({k.load, 0, 0, false, {}});
  learn(view, {k.number, -1, k.whole});
}

void Replay::on_op(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                   const trace::Access* access, bool rounds_to_tf32) {
  if (!state_.quiet) capture(w, operands, results, access, rounds_to_tf32);
  given_ = 0;
  if (failed_) state_.replay = nullptr;  // the rest of the program runs undisturbed
}

void Replay::capture(const Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                     const trace::Access* access, bool rounds_to_tf32) {
  if (known_.size() > most_values) fails();
  if (failed_) return;
  const bool varies = std::any_of(operands.begin(), operands.end(), [](const Value* v) { return v && v->id; });
  switch (family_of(w.op)) {
    case OpFamily::debugging: return fails();
    case OpFamily::pointer: return;  // int_operand() has called decides() for its ints
    case OpFamily::memory:
      if (!access || access->kind == trace::AccessKind::atomic || !access->is_tile) return fails();
      if (!state_.has_data) return on_address(operands, results, *access);
      return !access->writes() ? on_load(operands, *results[0], *access) : on_store(w, operands, *access);
    case OpFamily::loop:
      if (w.op == Op::range && state_.literals[0].id) {
        const Number first = known_[state_.literals[0].id - 1].number;
        const Number n = step(Op::add, first, constant(results[0]->base - state_.literals[0].value), -far, far);
        if (results[0]->dtype == DType::int32) require(n, INT32_MIN, INT32_MAX);
        learn(*results[0], {n});
      }
      return;
    default: break;
  }
  if (!varies) return;
  const auto absent = [](const Value* v) { return is_absent(v); };
  if (std::ranges::any_of(operands, absent) || std::ranges::any_of(results, absent)) return;  // of an address run
  if (results.size() != 1 || (w.op == Op::multiple_of && state_.launch.options.checks.hints)) return fails();
  const Value& r = *results[0];
  if (r.id) return;  // the result is an operand itself
  for (const Value* v : operands)
    if (v && v->buffer && v->buffer == r.buffer && r.form == Form::dense) {
      if (v->id) share(r, *v);
      return;
    }
  const bool numbers = std::all_of(operands.begin(), operands.end(),
                                   [&](const Value* v) { return !v || !v->id || known(*v).number >= 0; });
  if (numbers && w.op != Op::where) return on_numbers(w, operands, r);
  if (!state_.has_data && w.op != Op::where) return learn(r, {});  // fails where an address needs it
  switch (family_of(w.op)) {
    case OpFamily::cast:
    case OpFamily::arithmetic:
    case OpFamily::bitwise:
    case OpFamily::logical:
    case OpFamily::comparison:
    case OpFamily::math: return on_elementwise(w, operands, r);
    case OpFamily::creation:
    case OpFamily::view:  // one element, for all lanes
      return r.form == Form::splat && operands[0] && r.dtype == operands[0]->dtype && !is_narrow_float(r.dtype)
                 ? add({{.kind = Kind::unary, .unary = loops().cast(r.dtype, r.dtype)}}, 1, operands.data(), r)
                 : fails();
    case OpFamily::select: return on_where(w, operands, r);
    case OpFamily::reduction: return on_reduction(w, *operands[0], r);
    case OpFamily::dot: return on_dot(w, operands, r, rounds_to_tf32);
    default: return fails();
  }
}

// ---- numbers

Replay::Number Replay::constant(std::int64_t v) {
  if (v == 0) return 0;
  numbers_.push_back(v);
  made_by_.push_back(-1);
  return static_cast<Number>(numbers_.size()) - 1;
}

Replay::Number Replay::step(Op op, Number a, Number b, std::int64_t lo, std::int64_t hi) {
  const auto to = static_cast<Number>(numbers_.size());
  numbers_.push_back(0);
  made_by_.push_back(static_cast<int>(steps_.size()));
  steps_.push_back({op, a, b, to, lo, hi});
  if (!compute(steps_.back(), numbers_.data())) fails();
  return to;
}

void Replay::require(Number n, std::int64_t lo, std::int64_t hi) {
  if (numbers_[static_cast<std::size_t>(n)] < lo || numbers_[static_cast<std::size_t>(n)] > hi) return fails();
  const int by = made_by_[static_cast<std::size_t>(n)];
  if (by < 0) {
    step(Op::add, n, 0, lo, hi);
    return;
  }
  Step& s = steps_[static_cast<std::size_t>(by)];
  s.lo = std::max(s.lo, lo);
  s.hi = std::min(s.hi, hi);
}

// The number of an operand, or of the literal that stands for it: of the first lane, if there are several.
Replay::Number Replay::number_of(std::span<const Value* const> operands, std::size_t i) {
  const Value* v = operands[i];
  if (v && v->id) return known(*v).number;
  if (v && v->form == Form::affine && is_counted(*v)) return constant(v->base);
  if (!v && i < 3 && (given_ >> i & 1) && literals_[i].kind == LiteralKind::integer)
    return constant(literals_[i].integer);
  fails();
  return 0;
}

void Replay::on_program_id(const Value& v, int axis) {
  Number& n = ids_[axis];
  if (n == none) {
    n = constant(v.base + 1);
    numbers_.back() = v.base;
  }  // never numbers_[0]: this one varies
  learn(v, {n});
}

// Requires as many iterations as the captured program has.
void Replay::on_range(const Operand& lo, const Operand& hi, const Operand& by, std::int64_t first, std::int64_t end,
                      std::int64_t size) {
  const auto id = [](const Operand& o) { return o.block ? o.block->data()->id : 0; };
  if (!id(lo) && !id(hi)) return id(by) ? fails() : void();
  const auto number = [&](const Operand& o, std::int64_t v) {
    return id(o) ? known(*o.block->data()).number : constant(v);
  };
  const Number a = number(lo, first), b = number(hi, end);
  if (id(by) || a == none || b == none || size <= 0) return fails();
  const std::int64_t distance = end - first, times = distance > 0 ? (distance + size - 1) / size : 0;
  step(Op::sub, b, a, times ? (times - 1) * size + 1 : -far, times * size);
}

void Replay::on_numbers(const Where& w, std::span<const Value* const> operands, const Value& result) {
  const auto counted = [](const Value* v) { return !v || is_counted(*v); };
  if (!std::all_of(operands.begin(), operands.end(), counted) || operands.empty()) return fails();
  if (is_comparison(w.op)) return on_comparison(w.op, operands, result);
  if (result.form != Form::affine || !is_counted(result)) return fails();
  const Bounds b = bounds_of(result);
  const bool wide = result.is_pointer || result.dtype == DType::int64;
  const std::int64_t lo = (wide ? -far : INT32_MIN) - (b.min - result.base),
                     hi = (wide ? far : INT32_MAX) - (b.max - result.base);
  const auto uniform = [](const Value* v) { return !v || is_uniform(*v); };
  const Number x = number_of(operands, 0), y = operands.size() > 1 ? number_of(operands, 1) : 0;
  if (failed_) return;
  Number n = none;
  switch (w.op) {
    case Op::add:
    case Op::sub: n = step(w.op, x, y, lo, hi); break;
    case Op::neg: n = step(Op::sub, 0, x, lo, hi); break;
    case Op::mul:  // a factor that varies must not scale the distance between lanes
      for (std::size_t i = 0; i < 2; ++i)
        if (operands[i] && operands[i]->id && !uniform(operands[1 - i])) return fails();
      n = step(w.op, x, y, lo, hi);
      break;
    case Op::cdiv:
    case Op::div:
    case Op::mod:
    case Op::minimum:
    case Op::maximum: {
      if (!uniform(operands[0]) || !uniform(operands[1])) return fails();
      const Number a = w.op == Op::cdiv ? step(Op::sub, step(Op::add, x, y, lo, hi), constant(1), lo, hi) : x;
      n = step(w.op == Op::cdiv ? Op::div : w.op, a, y, lo, hi);
      break;
    }
    default:
      if (family_of(w.op) != OpFamily::view && w.op != Op::cast && w.op != Op::multiple_of) return fails();
      n = x;
      if (w.op == Op::cast && !wide) require(n, lo, hi);
  }
  if (failed_ || numbers_[static_cast<std::size_t>(n)] != result.base) return fails();
  learn(result, {n});
}

// Requires that the comparison holds for all lanes, or for none, as in the captured program: then its mask is known.
void Replay::on_comparison(Op op, std::span<const Value* const> operands, const Value& result) {
  if (result.form == Form::box && !is_uniform(result)) is_special_ = true;
  if (result.form != Form::box || !is_uniform(result)) return fails();
  const Number d = step(Op::sub, number_of(operands, 0), number_of(operands, 1));
  if (failed_) return;
  std::int64_t min = 0, max = 0;  // of a - b over the lanes, less that of the first lane
  for (int i = 0; i < result.rank; ++i) {
    std::int64_t stride[2] = {};
    for (std::size_t k = 0; k < 2; ++k)
      if (const Value* v = operands[k])
        if (const int own = i - (result.rank - v->rank); own >= 0 && v->dims[own] > 1) stride[k] = v->strides[own];
    const std::int64_t span = (stride[0] - stride[1]) * (result.dims[i] - 1);
    (span < 0 ? min : max) += span;
  }
  const bool holds = int_of(result) != 0;
  const auto below = [&](std::int64_t v) { require(d, INT64_MIN, v - max); };  // a - b <= v in every lane
  const auto above = [&](std::int64_t v) { require(d, v - min, INT64_MAX); };
  switch (op) {
    case Op::lt: return holds ? below(-1) : above(0);
    case Op::le: return holds ? below(0) : above(1);
    case Op::gt: return holds ? above(1) : below(0);
    case Op::ge: return holds ? above(0) : below(-1);
    default:
      if ((op == Op::eq) == holds) {
        below(0);
        above(0);
      } else {
        numbers_[static_cast<std::size_t>(d)] > 0 ? above(1) : below(-1);
      }
  }
}

}  // namespace tl::cpu
