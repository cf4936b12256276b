// Matrix multiplication by Eigen's blocked, vectorized product.
#include <Eigen/Core>

#include "kernels/peers/isa.h"

namespace tl::peers::TL_ISA {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void multiply(Eigen::Ref<const Matrix<float>> a, Eigen::Ref<const Matrix<float>> b, bool b_is_nk,
              Eigen::Ref<Matrix<float>> c) {
  if (b_is_nk) c.noalias() = a * b.transpose();
  else c.noalias() = a * b;
}

// Narrow floats are widened once, multiplied as f32 and rounded once: Eigen's own products of half are not vectorized.
template <class T>
void matmul_of(const T* a, const T* b, bool b_is_nk, T* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Eigen::Map<const Matrix<T>> a_map(a, m, k), b_map(b, b_is_nk ? n : k, b_is_nk ? k : n);
  Eigen::Map<Matrix<T>> c_map(c, m, n);
  if constexpr (std::is_same_v<T, float>) {
    multiply(a_map, b_map, b_is_nk, c_map);
  } else {
    Matrix<float> wide(m, n);
    multiply(a_map.template cast<float>().eval(), b_map.template cast<float>().eval(), b_is_nk, wide);
    c_map = wide.cast<T>();
  }
}

}  // namespace

void matmul(DType dtype, const void* a, const void* b, bool b_is_nk, void* c, std::int64_t m, std::int64_t n,
            std::int64_t k, int threads) {
  Eigen::setNbThreads(team(threads));
  const auto run = [&]<class T>(T) {
    matmul_of(static_cast<const T*>(a), static_cast<const T*>(b), b_is_nk, static_cast<T*>(c), m, n, k);
  };
  if (dtype == DType::float32) run(float{});
  if (dtype == DType::float16) run(Eigen::half{});
  if (dtype == DType::bfloat16) run(Eigen::bfloat16{});
}

}  // namespace tl::peers::TL_ISA
