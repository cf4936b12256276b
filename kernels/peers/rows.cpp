// Peers that work along rows, by Eigen's vectorized arrays: softmax, layer normalization.
#include <Eigen/Core>

#include "kernels/peers/isa.h"

namespace tl::peers::TL_ISA {
namespace {

template <class T>
using Row = Eigen::Map<Eigen::Array<T, 1, Eigen::Dynamic>>;
template <class T>
using ConstRow = Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>>;

template <class T>
void layernorm_of(const T* x, const T* w, const T* b, T* y, std::int64_t rows, std::int64_t cols, float eps,
                  int threads) {
  const Eigen::ArrayXf weight = ConstRow<T>(w, cols).template cast<float>(),
                       bias = ConstRow<T>(b, cols).template cast<float>();
#pragma omp parallel num_threads(team(threads))
  {
    Eigen::ArrayXf row(cols);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      row = ConstRow<T>(x + i * cols, cols).template cast<float>();
      row -= row.mean();
      const float rstd = 1 / std::sqrt(row.square().mean() + eps);
      Row<T>(y + i * cols, cols) = (row * rstd * weight + bias).template cast<T>();
    }
  }
}

}  // namespace

void softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols, int threads) {
#pragma omp parallel for schedule(static) num_threads(team(threads))
  for (std::int64_t i = 0; i < rows; ++i) {
    const ConstRow<float> in(x + i * cols, cols);
    Row<float> out(y + i * cols, cols);
    out = (in - in.maxCoeff()).exp();
    out /= out.sum();
  }
}

void unfused_softmax(const float* x, float* scratch, float* y, std::int64_t rows, std::int64_t cols, int threads) {
  Eigen::ArrayXf max(rows), denominator(rows);
  const auto each_row = [&](auto work) {
#pragma omp parallel for schedule(static) num_threads(team(threads))
    for (std::int64_t i = 0; i < rows; ++i)
      work(i, ConstRow<float>(x + i * cols, cols), Row<float>(scratch + i * cols, cols),
           Row<float>(y + i * cols, cols));
  };
  each_row([&](std::int64_t i, auto in, auto, auto) { max[i] = in.maxCoeff(); });
  each_row([&](std::int64_t i, auto in, auto z, auto) { z = in - max[i]; });
  each_row([&](std::int64_t, auto, auto z, auto out) { out = z.exp(); });
  each_row([&](std::int64_t i, auto, auto, auto out) { denominator[i] = out.sum(); });
  each_row([&](std::int64_t i, auto, auto, auto out) { out /= denominator[i]; });
}

void layernorm(DType dtype, const void* x, const void* w, const void* b, void* y, std::int64_t rows, std::int64_t cols,
               float eps, int threads) {
  const auto run = [&]<class T>(T) {
    layernorm_of(static_cast<const T*>(x), static_cast<const T*>(w), static_cast<const T*>(b), static_cast<T*>(y), rows,
                 cols, eps, threads);
  };
  if (dtype == DType::float32) run(float{});
  if (dtype == DType::float16) run(Eigen::half{});
  if (dtype == DType::bfloat16) run(Eigen::bfloat16{});
}

}  // namespace tl::peers::TL_ISA
