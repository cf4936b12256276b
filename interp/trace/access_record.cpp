// Sums over an access record.
#include "interp/trace/access_record.h"

#include <algorithm>

namespace tl::trace {

namespace {

double sum(const AccessRecord& r, const ProgramAccesses& p, double Segment::* what) {
  double total = 0;
  for (std::uint32_t s = p.first; s < p.first + p.size; ++s) total += r.segments[s].*what * static_cast<double>(r.segments[s].iterations);
  return total;
}

}  // namespace

double AccessRecord::dot_flops(const ProgramAccesses& p) const { return sum(*this, p, &Segment::dot_flops); }
double AccessRecord::lane_ops(const ProgramAccesses& p) const { return sum(*this, p, &Segment::lane_ops); }

std::int64_t active_lanes(const AccessPattern& p) {
  if (!p.is_tile) return p.mask.empty() ? std::ssize(p.offsets) : std::count(p.mask.begin(), p.mask.end(), 1);
  std::int64_t n = 1;
  for (int i = 0; i < p.shape.rank; ++i) n *= std::max<std::int64_t>(p.hi[i] - p.lo[i], 0);
  return n;
}

}  // namespace tl::trace
