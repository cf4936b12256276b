// Whether the tiles of a tensor coincide or are disjoint.
#pragma once

#include <algorithm>
#include <cstdint>

#include "interp/machine/access/rows.h"

namespace tl::machine {

// They are where all patterns have the same pitch, and tiles stand on a lattice of the largest rows x columns.
class Lattice {
 public:
  void add_pattern(const Rows& r, std::int64_t elem_bytes) {
    elem_bytes_ = elem_bytes;
    if (!r.is_regular) regular_ = false;
    if (r.pitch() != 0) {
      if (pitch_ != 0 && pitch_ != r.pitch()) regular_ = false;
      pitch_ = r.pitch();
    }
    rows_ = std::max(rows_, static_cast<std::int64_t>(r.starts.size()));
    width_ = std::max(width_, r.width);
  }
  void add_tile(std::int64_t lowest) {
    if (!started_) {
      origin_ = lowest;
      started_ = true;
    }
    const std::int64_t from = lowest - origin_;
    const std::int64_t row = pitch_ ? floor_div(from, pitch_) : 0, column = from - row * pitch_;
    if (row % rows_ != 0 || column % width_ != 0 || (column != 0 && width_ * elem_bytes_ < 32))
      fits_ = false;  // columns side by side share sectors
  }
  bool fits() const { return regular_ && fits_; }

 private:
  std::int64_t pitch_ = 0, rows_ = 1, width_ = 1, origin_ = 0, elem_bytes_ = 1;
  bool regular_ = true, fits_ = true, started_ = false;
};

}  // namespace tl::machine
