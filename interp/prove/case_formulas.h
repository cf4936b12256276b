// The words of a case as formulas of its sizes: tensors' elements, the grid, the numbers that the kernel takes. A size
// is a word that is a number, as in n=1000, and no constant of the kernel: constants stay as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/prove/formula.h"
#include "interp/run/kernel_case.h"

namespace tl::prove {

struct TensorFormula {
  std::vector<Number> shape, strides;
};

struct CaseFormulas {
  std::vector<std::string> sizes;                     // n; the symbol of one is s_n
  std::vector<std::int64_t> values;                   // that the case has for them
  std::vector<std::optional<Number>> arguments;       // of the launch's, where they are numbers
  std::vector<std::optional<TensorFormula>> tensors;  // of the launch, ...
  std::vector<std::optional<Number>> elements;        // ... and how many elements they have
  std::vector<std::optional<Number>> grid;            // 3 axes
  ConditionPtr constants;                             // the kernel's, which follow from sizes, are what they are
  std::vector<std::string> not_formulas;              // words that are none
};
CaseFormulas formulas_of(const run::Case& c);

}  // namespace tl::prove
