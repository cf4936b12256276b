// Products of unknowns make formulas hard. Here each product is an unknown of its own, of which no more is said than
// what a proof about rows mostly needs: who is in an earlier row is a whole row earlier.
//
//   r < m, c < n   so   r n + c < m n      since   r + 1 <= m   gives   r n + n <= m n
//
// What cannot hold so cannot hold at all; what can is asked again with the products as they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interp/prove/formula.h"

namespace tl::prove {

class Linear {
 public:
  ConditionPtr operator()(const ConditionPtr&);
  // Of the products and quotients in the conditions so far.
  std::vector<ConditionPtr> facts();

 private:
  Number operator()(const Number&);
  Number of(const AtomPtr&);
  void collect(const Number&);

  std::map<std::string, Number> products_;  // by text
  std::vector<ConditionPtr> facts_;
  struct Factor {
    Number is;
    std::vector<Number> times;  // what it is multiplied by
  };
  std::map<std::string, Factor> factors_;
};

}  // namespace tl::prove
