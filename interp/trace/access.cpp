#include "interp/trace/access.h"

#include <algorithm>
#include <string>

#include "interp/lang/error.h"

namespace tl::trace {

Extents::Extents(std::span<const std::int64_t> from) : rank(static_cast<int>(from.size())) {
  if (from.size() > max_rank)
    throw Error("a block of " + std::to_string(from.size()) + " axes", "a recorded block has at most six");
  std::ranges::copy(from, at.begin());
}

std::int64_t Access::active_lanes() const {
  if (!is_tile) return mask ? std::count(mask, mask + lanes(), 1) : lanes();
  std::int64_t n = 1;
  for (int d = 0; d < shape.rank; ++d) n *= std::max<std::int64_t>(hi[d] - lo[d], 0);
  return n;
}

bool Access::is_active(std::int64_t lane) const {
  if (!is_tile) return !mask || mask[lane];
  for (int d = shape.rank - 1; d >= 0; --d) {
    const std::int64_t at = lane % shape[d];
    if (at < lo[d] || at >= hi[d]) return false;
    lane /= shape[d];
  }
  return true;
}

std::int64_t Access::offset(std::int64_t lane) const {
  if (!is_tile) return base + offsets[lane];
  std::int64_t result = base;
  for (int d = shape.rank - 1; d >= 0; --d) {
    result += lane % shape[d] * strides[d];
    lane /= shape[d];
  }
  return result;
}

bool same_but_for_place(const Access& a, const Access& b) {
  if (a.kind != b.kind || a.is_tile != b.is_tile || a.tensor != b.tensor || a.shape != b.shape) return false;
  if (a.is_tile) return a.strides == b.strides && a.lo == b.lo && a.hi == b.hi;
  const std::int64_t lanes = a.lanes();
  if (!a.mask != !b.mask || (a.mask && !std::equal(a.mask, a.mask + lanes, b.mask))) return false;
  for (std::int64_t i = 0; i < lanes; ++i)
    if (a.offsets[i] - a.offsets[0] != b.offsets[i] - b.offsets[0]) return false;
  return true;
}

}  // namespace tl::trace
