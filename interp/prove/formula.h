// Whole numbers and conditions as formulas of sizes, ids and lanes: sums of products, in which quotients and choices
// are names of their own. What one formula says of an address, it says for every size.
//
//   pid * BLOCK + tl.arange(0, BLOCK) < n         64 p0 + l0 < n
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tl::prove {

struct Condition;
using ConditionPtr = std::shared_ptr<const Condition>;
struct Atom;
using AtomPtr = std::shared_ptr<const Atom>;

struct ByText {
  bool operator()(const AtomPtr& a, const AtomPtr& b) const;
};

// c0 + c1 a b + c2 a ..: of each product of atoms its factor.
class Number {
 public:
  Number(std::int64_t constant = 0);
  static Number symbol(const std::string& name);
  friend Number operator+(const Number&, const Number&);
  friend Number operator-(const Number&, const Number&);
  friend Number operator*(const Number&, const Number&);
  bool operator==(const Number& other) const { return text() == other.text(); }
  std::optional<std::int64_t> constant() const;
  bool overflows() const { return overflows_; }  // a factor left 64 bits: the formula means nothing
  // In SMT-LIB's notation.
  std::string text() const;
  void add_symbols(std::set<std::string>&) const;
  Number with(const std::map<std::string, Number>& symbols) const;
  using Product = std::vector<AtomPtr>;  // sorted
  std::vector<std::pair<Product, std::int64_t>> products() const { return {terms_.begin(), terms_.end()}; }
  // For each atom that is multiplied by another: what it is multiplied by, in all products together.
  std::vector<std::pair<Number, Number>> factors() const;

 private:
  friend Number made_of(AtomPtr);
  struct Less {
    bool operator()(const Product&, const Product&) const;
  };
  std::map<Product, std::int64_t, Less> terms_;
  bool overflows_ = false;
};

// A symbol; a quotient toward zero or down; one number where a condition holds, else another.
struct Atom {
  enum class Kind { symbol, quotient, floor_quotient, choice } kind;
  std::string text;
  Number a, b;
  ConditionPtr condition;
};

Number made_of(AtomPtr);
Number quotient(const Number&, const Number&);
Number floor_quotient(const Number&, const Number&);
Number choice(const ConditionPtr&, const Number&, const Number&);

struct Condition {
  enum class Kind { constant, less, equal, negation, conjunction, symbol } kind;
  bool value = false;
  Number a, b;
  ConditionPtr left, right;
  std::string name;
};

ConditionPtr constant(bool);
ConditionPtr condition_symbol(const std::string& name);
ConditionPtr less(const Number&, const Number&);
ConditionPtr at_most(const Number&, const Number&);
ConditionPtr equal(const Number&, const Number&);
ConditionPtr negation(const ConditionPtr&);
ConditionPtr both(const ConditionPtr&, const ConditionPtr&);
ConditionPtr either(const ConditionPtr&, const ConditionPtr&);
std::string text_of(const ConditionPtr&);
void add_symbols(const ConditionPtr&, std::set<std::string>&);
ConditionPtr with(const ConditionPtr&, const std::map<std::string, Number>& symbols, const std::string& suffix = "");

}  // namespace tl::prove
