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
  for (const LaneOps& ops : lane_works[s.lane_work])
    if (ops.op != Op::trans) total += ops.lanes;
  return total;
}

LaneWork since(const LaneWork& now, const LaneWork& then) {
  LaneWork more;
  for (std::size_t i = 0; i < now.size(); ++i) {
    LaneOps ops = now[i];
    if (i < then.size()) {
      ops.lanes -= then[i].lanes;
      ops.times -= then[i].times;
    }
    if (ops.times != 0) more.push_back(ops);
  }
  return more;
}

bool AccessPattern::is_of(const Access& a, Route by, const Site& at) const {
  return route == by && site.line == at.line && site.column == at.column &&
         (site.file == at.file || std::strcmp(site.file, at.file) == 0) && same_but_for_place(*this, a);
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

}  // namespace tl::trace
