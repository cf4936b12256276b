// Walks K strided views side by side in runs, as few and as long as their strides allow.
#pragma once

#include "interp/cpu/value.h"

namespace tl::cpu {

// f(n, at, offset, step): n lanes, from lane `at` (row-major) on; view i starts at element offset[i] and goes in steps
// of step[i].
template <int K, class F>
void walk(int rank, const std::int64_t* dims, const View* views, F f) {
  // Axes of one lane are dropped, and axes that all views step through evenly are one.
  int n = 0;
  std::int64_t extent[max_rank + 1], strides[K][max_rank + 1];
  for (int i = rank - 1; i >= 0; --i) {  // innermost first
    if (dims[i] == 1) continue;
    bool merges = n > 0;
    for (int k = 0; k < K && merges; ++k) merges = views[k].strides[i] == strides[k][n - 1] * extent[n - 1];
    if (merges) {
      extent[n - 1] *= dims[i];
      continue;
    }
    extent[n] = dims[i];
    for (int k = 0; k < K; ++k) strides[k][n] = views[k].strides[i];
    ++n;
  }
  if (n == 0) {
    extent[0] = 1;
    for (int k = 0; k < K; ++k) strides[k][0] = 1;
    n = 1;
  }
  std::int64_t offset[K] = {}, step[K], at[max_rank + 1] = {};
  for (int k = 0; k < K; ++k) step[k] = strides[k][0];
  for (std::int64_t lane = 0;; lane += extent[0]) {
    f(extent[0], lane, offset, step);
    int i = 1;
    for (; i < n; ++i) {
      for (int k = 0; k < K; ++k) offset[k] += strides[k][i];
      if (++at[i] < extent[i]) break;
      for (int k = 0; k < K; ++k) offset[k] -= strides[k][i] * extent[i];
      at[i] = 0;
    }
    if (i == n) return;
  }
}

}  // namespace tl::cpu
