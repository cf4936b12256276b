// What ops on numbers and bools make of formulas.
#include <fmt/format.h>

#include <algorithm>

#include "interp/prove/follower.h"

namespace tl::prove {

using cpu::Value;

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
      else {
        as_number(a);
        r.number = a.number;
      }
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
    case Op::full: {
      r.number = a.number;
      r.condition = a.condition;
    } break;
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
      if (family == OpFamily::hint && operands.size() == 1) {
        r.number = a.number;
        r.condition = a.condition;
      }
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

}  // namespace tl::prove
