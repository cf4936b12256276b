#include "kernels/reference/swizzle.h"

#include <algorithm>

namespace tl::reference {

std::vector<std::int64_t> grouped_order(std::int64_t rows, std::int64_t columns, std::int64_t group_size) {
  std::vector<std::int64_t> order;
  for (std::int64_t first = 0; first < rows; first += group_size)
    for (std::int64_t column = 0; column < columns; ++column)
      for (std::int64_t row = first; row < std::min(rows, first + group_size); ++row)
        order.push_back(row * columns + column);
  return order;
}

}  // namespace tl::reference
