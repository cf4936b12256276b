#include "kernels/reference/dot.h"

namespace tl::reference {

double dot(const float* a, const float* b, std::int64_t k) {
  // Four sums hide the latency of an addition; in double their order does not matter here.
  double sum[4] = {0, 0, 0, 0};
  std::int64_t l = 0;
  for (; l + 4 <= k; l += 4)
    for (int lane = 0; lane < 4; ++lane)
      sum[lane] += static_cast<double>(a[l + lane]) * static_cast<double>(b[l + lane]);
  for (; l < k; ++l) sum[0] += static_cast<double>(a[l]) * static_cast<double>(b[l]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace tl::reference
