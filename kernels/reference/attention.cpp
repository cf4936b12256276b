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

namespace {

// p and scale ds of query i and key j.
struct Weight {
  double p, ds;
};
double delta_of(const AttentionHead& h, std::int64_t i) {
  return dot(h.o + i * h.head_dim, h.d_o + i * h.head_dim, h.head_dim);
}
Weight weight_of(const AttentionHead& h, std::int64_t i, std::int64_t j, double delta) {
  const std::int64_t d = h.head_dim;
  const double score = h.scale * dot(h.q + i * d, h.k + j * d, d) / std::log(2.0);
  const double p = std::exp2(score - static_cast<double>(h.m[i]));
  return {p, h.scale * p * (dot(h.d_o + i * d, h.v + j * d, d) - delta)};
}
void add(std::vector<double>& sum, double factor, const float* x) {
  for (double& element : sum) element += factor * static_cast<double>(*x++);
}

}  // namespace

AttentionBackward attention_backward(const AttentionHead& h, std::int64_t row) {
  const std::int64_t d = h.head_dim;
  const std::vector<double> zeros(static_cast<std::size_t>(d), 0.0);
  AttentionBackward result{delta_of(h, row), zeros, zeros, zeros};
  for (std::int64_t j = 0; j < (h.causal ? row + 1 : h.seq); ++j)
    add(result.dq, weight_of(h, row, j, result.delta).ds, h.k + j * d);
  for (std::int64_t i = h.causal ? row : 0; i < h.seq; ++i) {
    const Weight w = weight_of(h, i, row, delta_of(h, i));
    add(result.dk, w.ds, h.q + i * d);
    add(result.dv, w.p, h.d_o + i * d);
  }
  return result;
}

}  // namespace tl::reference
