// A pattern as rows of consecutive elements: what a tile, or a list of lanes, covers of its tensor.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "interp/trace/access_record.h"

namespace tl::machine {

// Relative to the lowest active element.
struct Rows {
  std::int64_t lowest = 0;  // offset of that element from the access's base
  std::vector<std::int64_t> starts;
  std::int64_t width = 0;  // elements of a row
  std::int64_t elements = 0;
  bool is_regular = true;  // rows at equal distances: the shape that tiles of a matrix have
  bool empty() const { return elements == 0; }
  std::int64_t pitch() const { return starts.size() > 1 ? starts[1] - starts[0] : 0; }
};

Rows rows_of(const trace::AccessPattern& p);

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b > 0 && (b & (b - 1)) == 0) return a >> std::countr_zero(static_cast<std::uint64_t>(b));
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

// visit(block) for every block of `size` bytes that the rows touch; a block that two rows share may come twice, one
// after the other never.
template <class Visit>
void for_each_block(const Rows& r, std::int64_t first_elem, std::int64_t elem_bytes, std::int64_t size, Visit visit) {
  std::int64_t last = INT64_MIN;
  for (const std::int64_t start : r.starts) {
    const std::int64_t from = (first_elem + start) * elem_bytes, to = from + r.width * elem_bytes - 1;
    for (std::int64_t b = floor_div(from, size); b <= floor_div(to, size); ++b)
      if (b != last) {
        visit(b);
        last = b;
      }
  }
}

}  // namespace tl::machine
