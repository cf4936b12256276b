#include "interp/prove/formula.h"

#include <fmt/format.h>

#include <algorithm>

namespace tl::prove {

bool ByText::operator()(const AtomPtr& a, const AtomPtr& b) const { return a->text < b->text; }

bool Number::Less::operator()(const Product& a, const Product& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), ByText());
}

Number::Number(std::int64_t constant) {
  if (constant) terms_[{}] = constant;
}

Number made_of(AtomPtr a) {
  Number n;
  n.terms_[{std::move(a)}] = 1;
  return n;
}

Number Number::symbol(const std::string& name) {
  return made_of(std::make_shared<Atom>(Atom{Atom::Kind::symbol, name, {}, {}, {}}));
}

Number operator+(const Number& a, const Number& b) {
  Number r = a;
  r.overflows_ |= b.overflows_;
  for (const auto& [product, factor] : b.terms_) {
    std::int64_t& sum = r.terms_[product];
    r.overflows_ |= __builtin_add_overflow(sum, factor, &sum);
    if (sum == 0) r.terms_.erase(product);
  }
  return r;
}

Number operator-(const Number& a, const Number& b) { return a + b * Number(-1); }

Number operator*(const Number& a, const Number& b) {
  Number r;
  r.overflows_ = a.overflows_ || b.overflows_;
  for (const auto& [p, f] : a.terms_)
    for (const auto& [q, g] : b.terms_) {
      Number::Product product = p;
      product.insert(product.end(), q.begin(), q.end());
      std::sort(product.begin(), product.end(), ByText());
      Number one;
      one.overflows_ = __builtin_mul_overflow(f, g, &one.terms_[product]);
      r = r + one;
    }
  return r;
}

std::optional<std::int64_t> Number::constant() const {
  if (overflows_ || terms_.size() > 1) return {};
  if (terms_.empty()) return 0;
  return terms_.begin()->first.empty() ? std::optional(terms_.begin()->second) : std::nullopt;
}

namespace {
std::string text_of_constant(std::int64_t v) {
  return v < 0
             ? fmt::format("(- {})", -static_cast<__int128>(v) > INT64_MAX ? "9223372036854775808" : std::to_string(-v))
             : std::to_string(v);
}
}  // namespace

std::string Number::text() const {
  if (terms_.empty()) return "0";
  std::string sum;
  for (const auto& [product, factor] : terms_) {
    std::string one = product.empty() || factor != 1 ? " " + text_of_constant(factor) : "";
    for (const AtomPtr& a : product) one += " " + a->text;
    sum += product.size() + (product.empty() || factor != 1) > 1 ? " (*" + one + ")" : one;
  }
  return terms_.size() > 1 ? "(+" + sum + ")" : sum.substr(1);
}

std::vector<std::pair<Number, Number>> Number::factors() const {
  std::map<AtomPtr, Number, ByText> all;
  for (const auto& [product, factor] : terms_)
    if (product.size() > 1)
      for (const AtomPtr& a : product) all.try_emplace(a);
  for (auto& [atom, times] : all)
    for (const auto& [product, factor] : terms_) {
      const auto at = std::ranges::find(product, atom->text, [](const AtomPtr& a) { return a->text; });
      if (at == product.end()) continue;
      Product rest = product;
      rest.erase(rest.begin() + (at - product.begin()));
      Number one;
      one.terms_[rest] = factor;
      times = times + one;
    }
  std::vector<std::pair<Number, Number>> found;
  for (const auto& [atom, times] : all) found.emplace_back(made_of(atom), times);
  return found;
}

void Number::add_symbols(std::set<std::string>& names) const {
  for (const auto& [product, factor] : terms_)
    for (const AtomPtr& a : product) {
      if (a->kind == Atom::Kind::symbol) names.insert(a->text);
      a->a.add_symbols(names);
      a->b.add_symbols(names);
      if (a->condition) prove::add_symbols(a->condition, names);
    }
}

namespace {
Number atom_with(const Atom& a, const std::map<std::string, Number>& symbols) {
  switch (a.kind) {
    case Atom::Kind::symbol: {
      const auto found = symbols.find(a.text);
      return found == symbols.end() ? Number::symbol(a.text) : found->second;
    }
    case Atom::Kind::quotient: return quotient(a.a.with(symbols), a.b.with(symbols));
    case Atom::Kind::floor_quotient: return floor_quotient(a.a.with(symbols), a.b.with(symbols));
    case Atom::Kind::choice: break;
  }
  return choice(prove::with(a.condition, symbols), a.a.with(symbols), a.b.with(symbols));
}
}  // namespace

Number Number::with(const std::map<std::string, Number>& symbols) const {
  Number r;
  r.overflows_ = overflows_;
  for (const auto& [product, factor] : terms_) {
    Number one(factor);
    for (const AtomPtr& a : product) one = one * atom_with(*a, symbols);
    r = r + one;
  }
  return r;
}

Number quotient(const Number& a, const Number& b) {
  const auto x = a.constant(), y = b.constant();
  if (x && y && *y > 0) return *x / *y;
  if (y == 1) return a;
  return made_of(std::make_shared<Atom>(
      Atom{Atom::Kind::quotient,
           fmt::format("(ite (>= {0} 0) (div {0} {1}) (- (div (- {0}) {1})))", a.text(), b.text()),
           a,
           b,
           {}}));
}

Number floor_quotient(const Number& a, const Number& b) {
  return made_of(std::make_shared<Atom>(
      Atom{Atom::Kind::floor_quotient, fmt::format("(div {} {})", a.text(), b.text()), a, b, {}}));
}

Number choice(const ConditionPtr& c, const Number& a, const Number& b) {
  if (c->kind == Condition::Kind::constant) return c->value ? a : b;
  if (a == b) return a;
  return made_of(std::make_shared<Atom>(
      Atom{Atom::Kind::choice, fmt::format("(ite {} {} {})", text_of(c), a.text(), b.text()), a, b, c}));
}

namespace {
using Kind = Condition::Kind;
ConditionPtr made(Condition c) { return std::make_shared<const Condition>(std::move(c)); }
}  // namespace

ConditionPtr constant(bool value) { return made({Kind::constant, value, {}, {}, {}, {}, ""}); }
ConditionPtr condition_symbol(const std::string& name) { return made({Kind::symbol, false, {}, {}, {}, {}, name}); }
ConditionPtr less(const Number& a, const Number& b) {
  if (const auto d = (b - a).constant()) return constant(*d > 0);
  return made({Kind::less, false, a, b, {}, {}, ""});
}
ConditionPtr at_most(const Number& a, const Number& b) { return less(a, b + Number(1)); }
ConditionPtr equal(const Number& a, const Number& b) {
  if (const auto d = (b - a).constant()) return constant(*d == 0);
  return made({Kind::equal, false, a, b, {}, {}, ""});
}
ConditionPtr negation(const ConditionPtr& c) {
  if (c->kind == Kind::constant) return constant(!c->value);
  return c->kind == Kind::negation ? c->left : made({Kind::negation, false, {}, {}, c, {}, ""});
}
ConditionPtr both(const ConditionPtr& a, const ConditionPtr& b) {
  if (a->kind == Kind::constant) return a->value ? b : a;
  if (b->kind == Kind::constant) return b->value ? a : b;
  return made({Kind::conjunction, false, {}, {}, a, b, ""});
}
ConditionPtr either(const ConditionPtr& a, const ConditionPtr& b) { return negation(both(negation(a), negation(b))); }

std::string text_of(const ConditionPtr& c) {
  switch (c->kind) {
    case Kind::constant: return c->value ? "true" : "false";
    case Kind::less: return fmt::format("(< {} {})", c->a.text(), c->b.text());
    case Kind::equal: return fmt::format("(= {} {})", c->a.text(), c->b.text());
    case Kind::negation: return fmt::format("(not {})", text_of(c->left));
    case Kind::conjunction: return fmt::format("(and {} {})", text_of(c->left), text_of(c->right));
    case Kind::symbol: break;
  }
  return c->name;
}

void add_symbols(const ConditionPtr& c, std::set<std::string>& names) {
  if (c->kind == Kind::symbol) names.insert(c->name);
  c->a.add_symbols(names);
  c->b.add_symbols(names);
  if (c->left) add_symbols(c->left, names);
  if (c->right) add_symbols(c->right, names);
}

ConditionPtr with(const ConditionPtr& c, const std::map<std::string, Number>& symbols, const std::string& suffix) {
  switch (c->kind) {
    case Kind::constant: return c;
    case Kind::less: return less(c->a.with(symbols), c->b.with(symbols));
    case Kind::equal: return equal(c->a.with(symbols), c->b.with(symbols));
    case Kind::negation: return negation(with(c->left, symbols, suffix));
    case Kind::conjunction: return both(with(c->left, symbols, suffix), with(c->right, symbols, suffix));
    case Kind::symbol: break;
  }
  return condition_symbol(c->name + suffix);
}

}  // namespace tl::prove
