#include "kernels/reference/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/reference/dot.h"

namespace tl::reference {

Attention attention(const float* q, const float* k, const float* v, std::int64_t keys, std::int64_t head_dim,
                    double scale) {
  std::vector<double> score;
  for (std::int64_t j = 0; j < keys; ++j) score.push_back(scale * dot(q, k + j * head_dim, head_dim));
  const double max = *std::max_element(score.begin(), score.end());
  Attention result;
  result.o.assign(static_cast<std::size_t>(head_dim), 0.0);
  double sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    const double p = std::exp(score[static_cast<std::size_t>(j)] - max);
    sum += p;
    for (std::int64_t d = 0; d < head_dim; ++d)
      result.o[static_cast<std::size_t>(d)] += p * static_cast<double>(v[j * head_dim + d]);
  }
  for (double& o : result.o) o /= sum;
  result.log2_sum = (max + std::log(sum)) / std::log(2.0);
  return result;
}

}  // namespace tl::reference
