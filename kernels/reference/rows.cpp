#include "kernels/reference/rows.h"

#include <algorithm>
#include <cmath>

namespace tl::reference {

Softmax softmax(const float* x, std::int64_t n) {
  Softmax s;
  s.max = *std::max_element(x, x + n);
  for (std::int64_t i = 0; i < n; ++i) {
    s.shifted.push_back(static_cast<double>(x[i]) - s.max);
    s.numerator.push_back(std::exp(s.shifted.back()));
    s.denominator += s.numerator.back();
  }
  for (double e : s.numerator) s.y.push_back(e / s.denominator);
  return s;
}

std::vector<double> layernorm(const float* x, const float* w, const float* b, std::int64_t n, double eps) {
  const double count = static_cast<double>(n);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += static_cast<double>(x[i]) / count;
  for (std::int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean) / count;
  std::vector<double> y;
  for (std::int64_t i = 0; i < n; ++i) y.push_back((x[i] - mean) / std::sqrt(variance + eps) * w[i] + b[i]);
  return y;
}

}  // namespace tl::reference
