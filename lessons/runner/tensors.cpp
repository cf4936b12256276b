#include "lessons/runner/tensors.h"

#include <cstring>

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

std::int64_t offset_of(const Tensor& t, std::int64_t i) {
  std::int64_t offset = 0;
  for (std::size_t axis = t.shape.size(); axis-- > 0; i /= t.shape[axis]) offset += i % t.shape[axis] * t.strides[axis];
  return offset;
}

Tensor packed(const Tensor& t) {
  Tensor p = make_tensor(t.name, t.dtype, t.shape);
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(t.dtype));
  for (std::int64_t i = 0; i < t.elems(); ++i)
    std::memcpy(p.data() + static_cast<std::size_t>(i) * size,
                t.data() + static_cast<std::size_t>(offset_of(t, i)) * size, size);
  return p;
}

std::vector<Tensor> packed(const std::vector<Tensor>& all) {
  std::vector<Tensor> out;
  for (const Tensor& t : all) out.push_back(packed(t));
  return out;
}

}  // namespace tl::lessons
