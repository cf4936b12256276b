#include "interp/prove/follower.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::prove {

using cpu::Value;

namespace {

constexpr std::int64_t most_programs = 256;

std::string lane_name(int axis) { return fmt::format("l{}", axis); }
std::string place_of(const Site& s) { return fmt::format("line {}", s.line); }

// Lanes that the interpreter computed from constants alone.
Known of_constant(const Value& v) {
  Known k;
  if (v.is_pointer || (is_integer(v.dtype) && v.dtype != DType::int1)) {
    if (v.form == cpu::Form::affine) {
      Number n(v.base);
      for (int i = 0; i < v.rank; ++i)
        if (v.dims[i] > 1) n = n + Number(v.strides[i]) * Number::symbol(lane_name(i));
      k.number = n;
    } else if (cpu::is_uniform(v)) {
      k.number = Number(cpu::int_of(v));
    }
  } else if (v.dtype == DType::int1 && v.form == cpu::Form::box) {
    if (v.rank == 0) k.condition = constant(v.base != 0);
    else {
      k.condition = constant(true);
      for (int i = 0; i < v.rank; ++i) {
        const Number lane = v.dims[i] > 1 ? Number::symbol(lane_name(i)) : Number(0);
        k.condition = both(k.condition, both(at_most(v.lo()[i], lane), less(lane, v.hi[i])));
      }
    }
  }
  return k;
}

// The value's axes are those of the numbers in `to`; an axis of one lane has none.
Known with_axes(Known k, const Value& v, const std::vector<int>& to) {
  std::map<std::string, Number> moved;
  for (int i = 0; i < v.rank; ++i)
    moved.emplace(lane_name(i), v.dims[i] > 1 && to[static_cast<std::size_t>(i)] >= 0
                                    ? Number::symbol(lane_name(to[static_cast<std::size_t>(i)]))
                                    : Number(0));
  if (k.number) k.number = k.number->with(moved);
  if (k.condition) k.condition = with(k.condition, moved);
  return k;
}

// As numpy aligns shapes: the last axes are the same.
Known broadcast_to(Known k, const Value& v, const Value& result) {
  std::vector<int> to;
  for (int i = 0; i < v.rank; ++i) to.push_back(i + result.rank - v.rank);
  return with_axes(std::move(k), v, to);
}

Number range_of(DType t, bool upper) {
  const int bits = 8 * size_in_bytes(t);
  const bool is_signed = t == DType::int32 || t == DType::int16 || t == DType::int8;
  if (is_signed) return upper ? (std::int64_t{1} << (bits - 1)) - 1 : -(std::int64_t{1} << (bits - 1));
  return upper ? (std::int64_t{1} << bits) - 1 : 0;
}

}  // namespace

// ---- loops

class Follower::Induction final : public cpu::Loop {
 public:
  Induction(Follower& of, const Site& site, RangeBounds bounds, long long lo, long long step, long long turns)
      : of_(of), site_(site), bounds_(std::move(bounds)), lo_(lo), step_(step), turns_(turns) {
    name_ =
        of_.turn_names_.try_emplace({site.line, site.column}, fmt::format("k{}", of_.turn_names_.size())).first->second;
    if (is_followed()) of_.turns[name_] = {*bounds_.lo.number, *bounds_.hi.number, step};
    else if (!is_fixed()) of_.gaps.insert(fmt::format("the range at {} is no formula", place_of(site)));
    if (is_followed() && turns < 3)
      of_.gaps.insert(fmt::format("the loop at {} turns only {} times in this case: give it sizes with more turns",
                                  place_of(site), turns));
  }

  // Three turns, but where it always has one or two.
  bool is_fixed() const {
    return turns_ <= 2 && bounds_.lo.number && bounds_.hi.number && bounds_.step.number &&
           bounds_.lo.number->constant() && bounds_.hi.number->constant() && bounds_.step.number->constant();
  }
  bool is_followed() const {
    return !is_fixed() && bounds_.lo.number && bounds_.hi.number && bounds_.step.number &&
           bounds_.step.number->constant() && step_ > 0;
  }
  bool is_muted() const { return !is_fixed() && turn_ != 2; }

  Number index() const {
    if (is_fixed()) return Number(lo_ + turn_ * step_);
    const Number turn = turn_ < 2 ? Number(turn_) : Number::symbol(name_);
    return is_followed() ? *bounds_.lo.number + turn * Number(step_) : Number(lo_ + turn_ * step_);
  }
  bool knows_index() const { return is_fixed() || is_followed(); }

  long long next() override {
    ++turn_;
    const Number k = Number::symbol(name_);
    for (auto& [handle, v] : variables_) {
      if (is_fixed()) break;
      const Value* now = static_cast<const Value*>(handle->head());
      const Known known = of_.known(now);
      if (turn_ == 1) {
        v.moves = v.first && known.number;
        if (v.moves) v.step = *known.number - *v.first;
      } else if (turn_ == 2) {
        v.moves &= known.number.has_value();
        v.moves = v.moves && *known.number == *v.first + v.step + v.step;
        of_.learn(*now, v.moves ? Known{*v.first + k * v.step, {}, known.needs} : Known());
      } else if (turn_ == 3 && v.moves && !(known.number && *known.number == *v.first + (k + Number(1)) * v.step)) {
        of_.gaps.insert(fmt::format("a variable of the loop at {} moves unevenly", place_of(site_)));
      }
    }
    return lo_ + turn_ * step_;
  }

  void leave() override {
    if (turn_ < turns_) of_.gaps.insert(fmt::format("the loop at {} is left early", place_of(site_)));
    if (!is_fixed())
      for (auto& [handle, v] : variables_) of_.learn(*static_cast<const Value*>(handle->head()), Known());
    while (!of_.loops_.empty()) {
      const bool is_this = of_.loops_.back().get() == this;
      of_.ended_.push_back(std::move(of_.loops_.back()));
      of_.loops_.pop_back();
      if (is_this) break;
    }
  }

  void assigned(cpu::Handle& h, const Value* old) {
    if (old) variables_.try_emplace(&h, Variable{of_.known(old).number, {}, false});
  }
  void forgotten(const cpu::Handle& h) { variables_.erase(const_cast<cpu::Handle*>(&h)); }

 private:
  struct Variable {
    std::optional<Number> first;  // before the loop
    Number step;
    bool moves;
  };
  Follower& of_;
  Site site_;
  RangeBounds bounds_;
  long long lo_, step_, turns_, turn_ = 0;
  std::string name_;
  std::map<cpu::Handle*, Variable> variables_;
};

// ---- what the executor tells

Follower::Follower(const Launch& launch, std::vector<std::optional<Number>> arguments)
    : launch_(launch), arguments_(std::move(arguments)), path_(constant(true)) {
  int tensors = 0;
  for (const Argument& a : launch.arguments) {
    tensors_before_.push_back(tensors);
    tensors += std::holds_alternative<TensorArgument>(a) || std::holds_alternative<DescriptorArgument>(a);
  }
}
Follower::~Follower() = default;

void Follower::begins_program() {
  end_path();
  ++programs_;
  loops_.clear();
  ended_.clear();
  known_.clear();
}

void Follower::end_path() {
  if (programs_ > 0 && seen_paths_.insert(text_of(path_)).second) paths.push_back(path_);
  path_ = constant(true);
}

bool Follower::is_muted() const {
  return programs_ > most_programs || std::ranges::any_of(loops_, [](const auto& l) { return l->is_muted(); });
}

Known Follower::known(const Value* v) const {
  if (!v) return {};
  const auto found = known_.find(v->id);
  return v->id && found != known_.end() ? found->second : of_constant(*v);
}

void Follower::learn(const Value& v, Known k) {
  Value& value = const_cast<Value&>(v);
  if (!value.id) value.id = ++last_id_;
  known_[value.id] = std::move(k);
}

int Follower::need(Need n) {
  const auto [known, is_new] = need_numbers_.try_emplace(text_of(n.holds), static_cast<int>(needs.size()));
  if (is_new) needs.push_back(std::move(n));
  return known->second;
}

void Follower::program_id(Value& v, int axis) { learn(v, {Number::symbol(fmt::format("p{}", axis)), {}, {}}); }
void Follower::num_programs(Value& v, int axis) { learn(v, {Number::symbol(fmt::format("g{}", axis)), {}, {}}); }

void Follower::argument(Value& v, const IntArgument& a, int tensors_before) {
  std::optional<Number> found;
  bool is_ambiguous = false;
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
    const auto* other = std::get_if<IntArgument>(&launch_.arguments[i]);
    if (!other || other->value != a.value || other->dtype != a.dtype || tensors_before_[i] != tensors_before) continue;
    if (!arguments_[i] || (found && !(*found == *arguments_[i]))) is_ambiguous = true;
    else found = arguments_[i];
  }
  if (is_ambiguous) gaps.insert(fmt::format("two arguments are {}: give them different values", a.value));
  learn(v, {is_ambiguous ? std::nullopt : found, {}, {}});
}

void Follower::branches(const Value& v, bool taken) {
  if (is_muted()) return;
  const Known k = known(&v);
  ConditionPtr c = k.condition;
  if (!c && k.number) c = negation(equal(*k.number, 0));
  if (!c) c = condition_symbol("u_branch");
  path_ = both(path_, taken ? c : negation(c));
}

void Follower::range(const cpu::Operand& lo, const cpu::Operand& hi, const cpu::Operand& step) {
  const auto of = [&](const cpu::Operand& o) {
    return o.block ? known(o.block->data()) : Known{Number(o.literal.integer), {}, {}};
  };
  bounds_ = {of(lo), of(hi), of(step)};
}

cpu::Loop* Follower::begin_loop(const Site& site, long long lo, long long step, long long turns) {
  loops_.push_back(std::make_unique<Induction>(*this, site, bounds_, lo, step, turns));
  return loops_.back().get();
}

void Follower::assigned(cpu::Handle& h, Value* old, Value& now) {
  if (loops_.empty()) return;
  now.observed = true;  // so that the handle's end is told
  for (const auto& l : loops_) l->assigned(h, old);
}
void Follower::forgotten(const cpu::Handle& h) {
  for (const auto& l : loops_) l->forgotten(h);
}

void Follower::op(const cpu::Where& w, std::span<const Value* const> operands, std::span<const Value* const> results,
                  std::span<const trace::LiteralOperand> literals, const trace::Access* a) {
  if (w.state.quiet || programs_ > most_programs) return;
  if (a) access(w, operands, *a);
  if (w.op == Op::range && results.size() == 1 && !loops_.empty())
    return learn(*results[0], loops_.back()->knows_index() ? Known{loops_.back()->index(), {}, {}} : Known());
  for (const Value* r : results) {
    if (known_.contains(r->id) && r->id) continue;  // an operand itself, an id
    learn(*r, results.size() == 1 ? computed(w, operands, *r, literals) : Known());
  }
}

Known Follower::operand(std::span<const Value* const> operands, std::size_t i,
                        std::span<const trace::LiteralOperand> literals, const Value& result) const {
  if (i < operands.size() && operands[i]) return broadcast_to(known(operands[i]), *operands[i], result);
  const auto l = std::ranges::find(literals, i, [](const auto& o) { return o.position; });
  return l == literals.end() ? Known() : Known{Number(l->value), {}, {}};
}

Known Follower::computed(const cpu::Where& w, std::span<const Value* const> operands, const Value& result,
                         std::span<const trace::LiteralOperand> literals) {
  const OpFamily family = family_of(w.op);
  if (operands.empty()) return family == OpFamily::memory ? Known() : of_constant(result);  // arange, zeros
  if (family == OpFamily::memory || family == OpFamily::reduction || family == OpFamily::scan) return {};
  const bool counts = result.is_pointer || is_integer(result.dtype);
  if (!counts) return {};
  Known a = operand(operands, 0, literals, result), b = operand(operands, 1, literals, result), r;
  r.needs = a.needs;
  r.needs.insert(b.needs.begin(), b.needs.end());
  const bool both_numbers = a.number && b.number;
  // A bool counts as 0 or 1.
  const auto as_number = [](Known& k) {
    if (!k.number && k.condition) k.number = choice(k.condition, 1, 0);
  };
  switch (w.op) {
    case Op::add:
      if (both_numbers) r.number = *a.number + *b.number;
      break;
    case Op::sub:
      if (both_numbers) r.number = *a.number - *b.number;
      break;
    case Op::mul:
      if (both_numbers) r.number = *a.number * *b.number;
      break;
    case Op::neg:
      if (a.number) r.number = Number(0) - *a.number;
      break;
    case Op::div:
    case Op::mod:
    case Op::cdiv:
      if (!both_numbers) break;
      if (!(b.number->constant() && *b.number->constant() > 0)) {
        r.needs.insert(need({less(0, *b.number), w.location.site(), "the divisor is not positive"}));
      }
      r.number = quotient(w.op == Op::cdiv ? *a.number + *b.number - Number(1) : *a.number, *b.number);
      if (w.op == Op::mod) r.number = *a.number - *b.number * *r.number;
      break;
    case Op::minimum:
      if (both_numbers) r.number = choice(less(*a.number, *b.number), *a.number, *b.number);
      break;
    case Op::maximum:
      if (both_numbers) r.number = choice(less(*a.number, *b.number), *b.number, *a.number);
      break;
    case Op::lt:
      if (both_numbers) r.condition = less(*a.number, *b.number);
      break;
    case Op::le:
      if (both_numbers) r.condition = at_most(*a.number, *b.number);
      break;
    case Op::gt:
      if (both_numbers) r.condition = less(*b.number, *a.number);
      break;
    case Op::ge:
      if (both_numbers) r.condition = at_most(*b.number, *a.number);
      break;
    case Op::eq:
      if (both_numbers) r.condition = equal(*a.number, *b.number);
      break;
    case Op::ne:
      if (both_numbers) r.condition = negation(equal(*a.number, *b.number));
      break;
    case Op::bit_and:
    case Op::bit_or:
      if (result.dtype == DType::int1) {
        // What is not known may be either.
        const auto side = [&](const Known& k) {
          return k.condition ? k.condition : condition_symbol(fmt::format("u{}", w.location.site().line));
        };
        r.condition = w.op == Op::bit_and ? both(side(a), side(b)) : either(side(a), side(b));
      } else if (w.op == Op::bit_and && both_numbers && b.number->constant()) {
        const std::int64_t ones = *b.number->constant();
        if (ones >= 0 && (ones & (ones + 1)) == 0)
          r.number = *a.number - Number(ones + 1) * floor_quotient(*a.number, ones + 1);
      }
      break;
    case Op::shl:
    case Op::shr:
      if (both_numbers && b.number->constant() && *b.number->constant() >= 0 && *b.number->constant() < 62) {
        const Number power(std::int64_t{1} << *b.number->constant());
        r.number = w.op == Op::shl ? *a.number * power : floor_quotient(*a.number, power);
      }
      break;
    case Op::bit_not:
    case Op::logical_not:
      if (a.condition) r.condition = negation(a.condition);
      break;
    case Op::cast:
      if (result.dtype == DType::int1) r.condition = a.condition;
      else as_number(a), r.number = a.number;
      break;
    case Op::where: {
      Known c = operand(operands, 2, literals, result);
      r.needs.insert(c.needs.begin(), c.needs.end());
      if (a.condition && b.number && c.number) r.number = choice(a.condition, *b.number, *c.number);
      break;
    }
    case Op::multiple_of:
    case Op::broadcast_to:
    case Op::scalar:
    case Op::full: r.number = a.number, r.condition = a.condition; break;
    case Op::slice:
    case Op::expand_dims:
    case Op::reshape: {  // axes of several lanes keep their order
      const Value& v = *operands[0];
      Known k = known(&v);
      std::vector<int> to;
      int at = 0;
      bool is_same = true;
      for (int i = 0; i < v.rank; ++i) {
        while (v.dims[i] > 1 && at < result.rank && result.dims[at] == 1) ++at;
        is_same &= v.dims[i] == 1 || (at < result.rank && result.dims[at] == v.dims[i]);
        to.push_back(v.dims[i] > 1 && is_same ? at++ : -1);
      }
      while (at < result.rank && result.dims[at] == 1) ++at;
      if (is_same && at == result.rank) r = with_axes(std::move(k), v, to);
      break;
    }
    case Op::trans:
      if (operands[0]->rank == 2) r = with_axes(known(operands[0]), *operands[0], {1, 0});
      break;
    default:
      if (family == OpFamily::hint && operands.size() == 1) r.number = a.number, r.condition = a.condition;
  }
  if (r.number && r.number->overflows()) r.number.reset();
  const bool may_wrap = family == OpFamily::arithmetic || w.op == Op::shl || (w.op == Op::cast && !result.is_pointer);
  if (r.number && may_wrap && !result.is_pointer && size_in_bytes(result.dtype) < 8 && result.dtype != DType::int1 &&
      !r.number->constant() && w.op != Op::mod && w.op != Op::minimum && w.op != Op::maximum) {
    r.needs.insert(
        need({both(at_most(range_of(result.dtype, false), *r.number), at_most(*r.number, range_of(result.dtype, true))),
              w.location.site(), fmt::format("{} wraps", name_of(result.dtype))}));
  }
  return r;
}

void Follower::access(const cpu::Where& w, std::span<const Value* const> operands, const trace::Access& a) {
  if (is_muted()) return;
  FoundAccess found;
  found.site = w.location.site();
  found.op = w.op;
  found.tensor = a.tensor;
  found.mask = constant(true);
  found.path = path_;
  for (const std::int64_t n : a.shape.span()) found.extents.push_back(n);
  const Value* pointer = operands.empty() ? nullptr : operands[0];
  if (!pointer || !pointer->is_pointer) found.unknown = "block pointers and descriptors are not followed";
  else {
    const Known p = known(pointer);
    if (p.number) found.offset = *p.number;
    else found.unknown = "its offsets follow from data, or from an op that formulas do not know";
    found.needs = p.needs;
    const std::size_t mask_at = w.op == Op::load ? 1 : 2;
    if (const Value* m = mask_at < operands.size() && w.op != Op::atomic_cas ? operands[mask_at] : nullptr) {
      const Known mask = broadcast_to(known(m), *m, *pointer);
      found.mask = mask.condition ? mask.condition : condition_symbol(fmt::format("u_mask{}", found.site.line));
      found.mask_needs = mask.needs;
    }
  }
  const std::string key = fmt::format("{}:{}:{}:{}:{}:{}:{}", found.site.line, found.site.column, found.tensor,
                                      found.unknown, found.offset.text(), text_of(found.mask), text_of(found.path));
  if (seen_.insert(key).second) accesses.push_back(std::move(found));
}

}  // namespace tl::prove
