// swizzle2d: programs in row-major order walk groups of `group` rows, column by column. Free of std.
#pragma once

namespace tl {

template <class Int>
struct Swizzled {
  Int i, j;
};

// ij = i * size_j + j;  first = ij / (group * size_j) * group;  g = min(size_i - first, group), the group tail;
// ij %= group * size_j;  i' = first + ij % g;  j' = ij / g
template <class Int>
constexpr Swizzled<Int> swizzle2d(Int i, Int j, Int size_i, Int size_j, Int group) {
  const Int ij = i * size_j + j;
  const Int per_group = group * size_j;
  const Int first = ij / per_group * group;
  const Int rows = size_i - first < group ? size_i - first : group;
  const Int within = ij % per_group;
  return {first + within % rows, within / rows};
}

}  // namespace tl
