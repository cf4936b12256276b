// Attention by Eigen: for 64 queries at a time their whole strip of scores, its softmax, its product with v. Strips are
// shared out by OpenMP.
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "kernels/peers/isa.h"

namespace tl::peers::TL_ISA {
namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Floats>;

void attention_f32(const float* q, const float* k, const float* v, float* o, std::int64_t heads, std::int64_t seq,
                   std::int64_t head_dim, float scale, bool causal, int threads) {
  constexpr std::int64_t strip = 64;
  const std::int64_t strips = (seq + strip - 1) / strip;
  Eigen::setNbThreads(1);  // threads take strips, not parts of a product
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads(team(threads))
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t first = s * strip, count = std::min(strip, seq - first), keys = causal ? first + count : seq;
      Floats p = View(q + (h * seq + first) * head_dim, count, head_dim) *
                 View(k + h * seq * head_dim, keys, head_dim).transpose();
      if (causal)
        for (std::int64_t i = 0; i < count; ++i)
          p.row(i).tail(keys - (first + i + 1)).setConstant(-std::numeric_limits<float>::infinity());
      Eigen::ArrayXf sums(count);
      for (std::int64_t i = 0; i < count; ++i) {
        p.row(i) = ((p.row(i).array() - p.row(i).maxCoeff()) * scale).exp();
        sums[i] = p.row(i).sum();
      }
      Eigen::Map<Floats> out(o + (h * seq + first) * head_dim, count, head_dim);
      out.noalias() = p * View(v + h * seq * head_dim, keys, head_dim);
      out.array().colwise() /= sums;
    }
}

template <class T>
Eigen::ArrayXf widened(const void* tensor, std::int64_t elems) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(static_cast<const T*>(tensor), elems)
      .template cast<float>();
}

}  // namespace

void attention(DType dtype, const void* q, const void* k, const void* v, void* o, std::int64_t heads, std::int64_t seq,
               std::int64_t head_dim, float scale, bool causal, int threads) {
  const auto run_narrow = [&]<class T>(T) {
    const std::int64_t elems = heads * seq * head_dim;
    const Eigen::ArrayXf wide_q = widened<T>(q, elems), wide_k = widened<T>(k, elems), wide_v = widened<T>(v, elems);
    Eigen::ArrayXf wide_o(elems);
    attention_f32(wide_q.data(), wide_k.data(), wide_v.data(), wide_o.data(), heads, seq, head_dim, scale, causal,
                  threads);
    Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>(static_cast<T*>(o), elems) = wide_o.cast<T>();
  };
  if (dtype == DType::float32)
    attention_f32(static_cast<const float*>(q), static_cast<const float*>(k), static_cast<const float*>(v),
                  static_cast<float*>(o), heads, seq, head_dim, scale, causal, threads);
  if (dtype == DType::float16) run_narrow(Eigen::half{});
  if (dtype == DType::bfloat16) run_narrow(Eigen::bfloat16{});
}

}  // namespace tl::peers::TL_ISA
