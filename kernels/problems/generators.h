// Configs by the rules of PyTorch's triton_heuristics: from the sizes of a kernel alone. Duplicates are removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/problems/tuning.h"

namespace tl::problems {

// An axis of a kernel's data: the setting that is its block, and its length (a size hint).
struct Axis {
  std::string block;
  std::int64_t size = 1;
};

struct PointwiseOptions {
  std::int64_t min_elem_per_thread = 0;
  bool square_tiles = false;            // of two axes: one config of 32 x 32
  bool one_element_per_thread = false;  // a hint: smaller blocks are tried as well
};
// For one to three axes, x first: its elements are neighbours. Throws Error for more.
std::vector<Config> pointwise(const std::vector<Axis>& axes, const PointwiseOptions& options = {});

// inner: a row's elements are neighbours; outer: a column's; tiny_outer: of few elements each.
enum class ReductionHint : unsigned char { none, inner, outer, tiny_outer };
struct ReductionOptions {
  ReductionHint hint = ReductionHint::none;
  bool many_values = false;  // ten loads and reductions or more: smaller blocks, fewer warps
};
// In a loop over `r`, a block of `x` results at once.
std::vector<Config> reduction(const Axis& x, const Axis& r, const ReductionOptions& options = {});
// All `r_size` elements at once.
std::vector<Config> persistent_reduction(const Axis& x, std::int64_t r_size, const ReductionOptions& options = {});
// A kernel that was written for its sizes: nothing is left but these two.
std::vector<Config> template_config(int warps, int stages);

}  // namespace tl::problems
