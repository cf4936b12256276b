// Sums over an access record.
#include "interp/trace/access_record.h"

#include <algorithm>
#include <cstring>

namespace tl::trace {

double AccessRecord::dot_flops(const ProgramAccesses& p) const {
  double total = 0;
  for (std::uint32_t s = p.first; s < p.first + p.size; ++s)
    total += segments[s].dot_flops * static_cast<double>(segments[s].iterations);
  return total;
}

double AccessRecord::lane_ops(const Segment& s) const {
  double total = 0;
  for (const LaneOps& ops : lane_works[s.lane_work]) total += ops.lanes;
  return total;
}

LaneWork since(const LaneWork& now, const LaneWork& then) {
  LaneWork more;
  for (std::size_t i = 0; i < now.size(); ++i) {
    LaneOps ops = now[i];
    if (i < then.size()) ops.lanes -= then[i].lanes, ops.times -= then[i].times;
    if (ops.times != 0) more.push_back(ops);
  }
  return more;
}

bool operator==(const AccessPattern& a, const AccessPattern& b) {
  return a.kind == b.kind && a.route == b.route && a.tensor == b.tensor && a.site.line == b.site.line &&
         a.site.column == b.site.column && (a.site.file == b.site.file || std::strcmp(a.site.file, b.site.file) == 0) &&
         a.shape == b.shape && a.is_tile == b.is_tile && a.strides == b.strides && a.lo == b.lo && a.hi == b.hi &&
         a.offsets == b.offsets && a.mask == b.mask;
}

std::int64_t access_count(const AccessRecord& r, const ProgramAccesses& p) {
  std::int64_t n = 0;
  for (std::uint32_t s = p.first; s < p.first + p.size; ++s) n += r.segments[s].iterations * r.segments[s].size;
  return n;
}

bool same_accesses(const AccessRecord& a, const ProgramAccesses& p, const AccessRecord& b, const ProgramAccesses& q) {
  struct Made {
    const AccessPattern* pattern;
    std::int64_t base;
  };
  std::vector<Made> made;
  for_each_access(a, p, [&](const AccessPattern& pattern, std::int64_t base) { made.push_back({&pattern, base}); });
  std::size_t i = 0;
  bool same = p.id == q.id;
  const AccessPattern *last_a = nullptr, *last_b = nullptr;  // patterns known to be equal
  for_each_access(b, q, [&](const AccessPattern& pattern, std::int64_t base) {
    if (i < made.size() && same) {
      same = made[i].base == base && ((made[i].pattern == last_a && &pattern == last_b) || *made[i].pattern == pattern);
      last_a = made[i].pattern;
      last_b = &pattern;
    }
    ++i;
  });
  return same && i == made.size();
}

std::int64_t active_lanes(const AccessPattern& p) {
  if (!p.is_tile) return p.mask.empty() ? std::ssize(p.offsets) : std::count(p.mask.begin(), p.mask.end(), 1);
  std::int64_t n = 1;
  for (int i = 0; i < p.shape.rank; ++i) n *= std::max<std::int64_t>(p.hi[i] - p.lo[i], 0);
  return n;
}

}  // namespace tl::trace
