#include "interp/prove/linear.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::prove {

namespace {
constexpr std::size_t most_times = 6;  // of one factor: each pair is a fact
}

void Linear::collect(const Number& n) {
  for (const auto& [factor, times] : n.factors()) {
    Factor& f = factors_[factor.text()];
    f.is = factor;
    if (f.times.size() < most_times && std::ranges::find(f.times, times) == f.times.end()) f.times.push_back(times);
  }
}

Number Linear::of(const AtomPtr& a) {
  if (a->kind == Atom::Kind::symbol) return Number::symbol(a->text);
  if (a->kind == Atom::Kind::choice) return choice((*this)(a->condition), (*this)(a->a), (*this)(a->b));
  if (a->b.constant()) {
    const Number of = (*this)(a->a);
    return a->kind == Atom::Kind::quotient ? quotient(of, a->b) : floor_quotient(of, a->b);
  }
  if (const auto known = products_.find(a->text); known != products_.end()) return known->second;
  const Number q = Number::symbol(fmt::format("q{}", products_.size()));
  products_.emplace(a->text, q);
  // For a positive divisor and what is not negative: q b <= a < q b + b.
  const Number whole = made_of(a) * a->b;
  const ConditionPtr usual = both(less(0, a->b), at_most(0, a->a));
  const ConditionPtr around = both(at_most(0, made_of(a)), both(at_most(whole, a->a), less(a->a, whole + a->b)));
  facts_.push_back((*this)(either(negation(usual), around)));
  return q;
}

Number Linear::operator()(const Number& n) {
  collect(n);
  Number sum;
  for (const auto& [atoms, factor] : n.products()) {
    if (atoms.size() < 2) {
      sum = sum + Number(factor) * (atoms.empty() ? Number(1) : of(atoms[0]));
      continue;
    }
    Number product(1);
    for (const AtomPtr& a : atoms) product = product * made_of(a);
    const auto [known, is_new] = products_.try_emplace(product.text(), 0);
    if (is_new) known->second = Number::symbol(fmt::format("q{}", products_.size()));
    sum = sum + Number(factor) * known->second;
    for (const AtomPtr& a : atoms) of(a);
  }
  return sum;
}

ConditionPtr Linear::operator()(const ConditionPtr& c) {
  switch (c->kind) {
    case Condition::Kind::constant:
    case Condition::Kind::symbol: return c;
    case Condition::Kind::less: {
      collect(c->b - c->a);
      return less((*this)(c->a), (*this)(c->b));
    }
    case Condition::Kind::equal: return equal((*this)(c->a), (*this)(c->b));
    case Condition::Kind::negation: return negation((*this)(c->left));
    case Condition::Kind::conjunction: break;
  }
  return both((*this)(c->left), (*this)(c->right));
}

std::vector<ConditionPtr> Linear::facts() {
  const auto factors = factors_;  // those of the facts themselves add none
  for (const auto& [text, f] : factors)
    for (const Number& x : f.times) {
      const ConditionPtr positive = less(0, f.is);
      const auto gives = [&](const ConditionPtr& a, const ConditionPtr& b) {
        facts_.push_back((*this)(either(negation(both(positive, a)), b)));
      };
      gives(at_most(0, x), at_most(0, x * f.is));
      for (const Number& y : f.times)
        if (!(x == y)) {
          gives(less(x, y), at_most(x * f.is + f.is, y * f.is));
          gives(equal(x, y), equal(x * f.is, y * f.is));
        }
    }
  return facts_;
}

}  // namespace tl::prove
