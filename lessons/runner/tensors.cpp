#include "lessons/runner/tensors.h"

namespace tl::lessons {

Tensor padded(std::string name, DType dtype, std::int64_t n, std::int64_t padding) {
  Tensor t = make_tensor(std::move(name), dtype, {n + padding});
  t.shape = {n};
  return t;
}

Tensor padded(std::string name, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride) {
  Tensor t = make_tensor(std::move(name), dtype, {rows, row_stride});
  t.shape = {rows, cols};
  return t;
}

Tensor strided(std::string name, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride,
               std::int64_t col_stride) {
  return make_tensor(std::move(name), dtype, {rows, cols}, {row_stride, col_stride});
}

std::pair<std::int64_t, std::int64_t> place_of(const Tensor& matrix, std::int64_t offset) {
  const std::int64_t down = matrix.strides[0], across = matrix.strides[1];
  return down >= across ? std::pair(offset / down, offset % down / across)
                        : std::pair(offset % across / down, offset / across);
}

// Each step of the mixing can be undone, so that no two numbers become one.
std::int64_t scrambled(std::int64_t i, int bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t x = (static_cast<std::uint64_t>(i) + 77) & mask;
  for (const std::uint64_t odd : {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u}) {
    x = x * odd & mask;
    x ^= x >> (bits / 2 + 1);
  }
  return static_cast<std::int64_t>(x) - (std::int64_t{1} << (bits - 1));
}

double rounded(DType dtype, double v) {
  const Tensor one = make_tensor("one", dtype, {1});
  set(one, 0, v);
  return get(one, 0);
}

}  // namespace tl::lessons
