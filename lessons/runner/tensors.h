// Tensors that no wrong kernel fits by luck: coded by index, padded with sentinels.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interp/lang/tensor.h"

namespace tl::lessons {

// One axis: `n` elements, and `padding` behind them that belong to the storage alone. A store there is no fault, but it
// is found.
Tensor padded(std::string name, DType dtype, std::int64_t n, std::int64_t padding);
// Two axes: rows `row_stride` apart.
Tensor padded(std::string name, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride);

// The same with both strides given: columns that follow each other, or gaps between neighbours.
Tensor strided(std::string name, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride,
               std::int64_t col_stride);

// Row and column of element `offset` of a matrix; padding lies beyond its last row or column.
std::pair<std::int64_t, std::int64_t> place_of(const Tensor& matrix, std::int64_t offset);

// A number of `bits` bits, negative ones too; no two i below 2^bits give the same, and no step from one to the next
// comes twice.
std::int64_t scrambled(std::int64_t i, int bits);

// What a tensor of that dtype holds of a number.
double rounded(DType dtype, double v);

// Fills the whole storage with `sentinel`, then element i (in row-major order) with value(i).
template <class Value>
void fill_coded(const Tensor& t, double sentinel, Value value) {
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, sentinel);
  for (std::int64_t i = 0; i < t.elems(); ++i) set(t, offset_of(t, i), value(i));
}

}  // namespace tl::lessons
