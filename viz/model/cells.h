// The cells of a tensor's elements in a field of rows and columns, for any strides: by rows, by columns, with gaps.
#pragma once

#include <cstdint>
#include <utility>

namespace tl::viz {

struct Cells {
  std::int64_t rows = 1, columns = 1;
  std::int64_t row_stride = 1, column_stride = 1;  // cell (r, c) is element r * row_stride + c * column_stride
  auto operator<=>(const Cells&) const = default;

  // Row and column of an element; (-1, -1): it has no cell.
  std::pair<std::int64_t, std::int64_t> cell_of(std::int64_t element) const {
    if (element < 0 || row_stride < 1 || column_stride < 1) return {-1, -1};
    const bool by_rows = row_stride >= column_stride;
    const std::int64_t far = by_rows ? row_stride : column_stride, near = by_rows ? column_stride : row_stride;
    const std::int64_t major = element / far, rest = element % far;
    if (rest % near != 0 || rest / near >= (by_rows ? columns : rows) || major >= (by_rows ? rows : columns))
      return {-1, -1};
    return by_rows ? std::pair{major, rest / near} : std::pair{rest / near, major};
  }
};

}  // namespace tl::viz
