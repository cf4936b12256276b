// Row-wise normalizations in double: softmax, layer normalization.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::reference {

// Softmax of one row with its steps.  y = exp(x - max x) / sum exp(x - max x)
struct Softmax {
  double max = 0;
  std::vector<double> shifted;    // x - max
  std::vector<double> numerator;  // exp(x - max)
  double denominator = 0;
  std::vector<double> y;
};
Softmax softmax(const float* x, std::int64_t n);

// y = (x - mean x) / sqrt(variance x + eps) * w + b, the variance over n (not n - 1) elements.
std::vector<double> layernorm(const float* x, const float* w, const float* b, std::int64_t n, double eps);

}  // namespace tl::reference
