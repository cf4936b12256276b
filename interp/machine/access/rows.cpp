#include "interp/machine/access/rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tl::machine {

namespace {

using trace::AccessPattern;

bool has_equal_distances(const Rows& r) {
  for (std::size_t i = 2; i < r.starts.size(); ++i)
    if (r.starts[i] - r.starts[i - 1] != r.pitch()) return false;
  return true;
}

void merge_touching(Rows& r) {
  std::sort(r.starts.begin(), r.starts.end());
  r.starts.erase(std::unique(r.starts.begin(), r.starts.end()), r.starts.end());
  r.is_regular = has_equal_distances(r);
  if (!r.is_regular || r.starts.size() < 2 || r.pitch() != r.width) return;
  r.width *= static_cast<std::int64_t>(r.starts.size());
  r.starts.erase(r.starts.begin() + 1, r.starts.end());
}

Rows rows_of_tile(const AccessPattern& p) {
  Rows r;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
  for (int d = 0; d < p.shape.rank; ++d) {
    const std::int64_t extent = p.hi[d] - p.lo[d];
    if (extent <= 0) return r;
    r.lowest += p.lo[d] * p.strides[d] + (p.strides[d] < 0 ? (extent - 1) * p.strides[d] : 0);
    if (extent > 1 && p.strides[d] != 0) axes.push_back({std::abs(p.strides[d]), extent});
  }
  std::sort(axes.begin(), axes.end());
  r.width = 1;
  r.starts = {0};
  for (const auto& [stride, extent] : axes) {
    if (r.starts.size() == 1 && stride <= r.width) {
      r.width = std::max(r.width, stride * (extent - 1) + r.width);
      continue;
    }
    const std::size_t n = r.starts.size();
    for (std::int64_t i = 1; i < extent; ++i)
      for (std::size_t j = 0; j < n; ++j) r.starts.push_back(r.starts[j] + i * stride);
  }
  merge_touching(r);
  r.elements = r.width * static_cast<std::int64_t>(r.starts.size());
  return r;
}

Rows rows_of_lanes(const AccessPattern& p) {
  Rows r;
  std::vector<std::int64_t> at;
  trace::for_each_active_lane(p, [&](std::int64_t, std::int64_t element) { at.push_back(element); });
  if (at.empty()) return r;
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  r.lowest = at.front();
  // One width for all rows: the whole when it is one stretch, else single elements.
  const bool one_stretch = at.back() - at.front() + 1 == static_cast<std::int64_t>(at.size());
  r.width = one_stretch ? static_cast<std::int64_t>(at.size()) : 1;
  for (const std::int64_t a : at)
    if (r.starts.empty() || !one_stretch) r.starts.push_back(a - r.lowest);
  r.elements = static_cast<std::int64_t>(at.size());
  r.is_regular = has_equal_distances(r);
  return r;
}

}  // namespace

Rows rows_of(const AccessPattern& p) { return p.is_tile ? rows_of_tile(p) : rows_of_lanes(p); }

}  // namespace tl::machine
