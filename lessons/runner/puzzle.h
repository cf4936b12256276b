// What puzzles share: trials made of a formula, and what is wrong with a kernel that computes something else.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/problems/build.h"
#include "lessons/runner/lesson.h"

namespace tl::lessons {

// A further output, which begins at 0 and which programs add to by atomics: in any order, hence the tolerance.
struct PuzzleSum {
  Tensor tensor;
  std::int64_t terms = 1;  // that are added to an element
  std::function<double(std::int64_t element)> value = {};
  problems::Tolerance tolerance = {};
};

// A trial in the order of the functor's parameters: inputs, output, sums, scratch, sizes, floats; sizes in capitals are
// constants, and come last.
struct PuzzleTrial {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // {"n", 97}, {"BLOCK", 16}
  std::vector<float> floats = {};
  Grid grid = {};
  std::vector<Tensor> inputs = {};
  Tensor output = {};                                      // without a name: there are sums alone
  std::function<double(std::int64_t element)> value = {};  // of the output, counted in row-major order
  problems::Tolerance tolerance = {};                      // 0: the numbers are exact in f32, in any order
  std::vector<PuzzleSum> sums = {};
  std::vector<Tensor> scratch = {};  // locks, flags, parts: begins at 0, read and written by all, and is no result
  std::map<std::string, std::int64_t> allowed_loads = {};
  std::int64_t share = 0;
  std::vector<Slip> slips = {};
  bool on_gpu = false;
};
Trial trial_of(const Kernel& kernel, PuzzleTrial trial);

// A row-major input with elements behind it that are not its own; element i is value(scrambled number of i).
// `what` tells tensors and trials apart. Numbers are zero now and then.
Tensor puzzle_input(const std::string& name, DType dtype, std::vector<std::int64_t> shape, std::int64_t what,
                    const std::function<double(std::int64_t number)>& value);
Tensor puzzle_output(const std::string& name, DType dtype, std::vector<std::int64_t> shape);

// Whole numbers from -bound to bound; and 13 significant bits, with fractions, which neither integers nor f16 hold.
std::function<double(std::int64_t)> small_numbers(std::int64_t bound);
double wide_number(std::int64_t number);

// All of it once, when first asked for: a check asks after each order of programs.
problems::ReferenceAt computed_once(std::function<double(std::int64_t element)> value, std::int64_t elems);

// For a softmax whose outputs are all nan.
Slip all_nan();

// For every puzzle: where lanes stand, what was computed instead.
std::optional<Finding> diagnose_puzzle(const Failure& failure);

}  // namespace tl::lessons
