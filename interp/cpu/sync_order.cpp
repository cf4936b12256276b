#include "interp/cpu/sync_order.h"

#include <algorithm>

namespace tl::cpu {

void SyncOrder::synchronize(std::int32_t program, std::pair<int, std::int64_t> cell, bool acquires, bool releases) {
  std::vector<Release>& at = cells_[cell];
  if (acquires && !at.empty()) acquired_[program].push_back({&at, at.size(), now_});
  if (releases) at.push_back({program, now_});
  ++now_;
}

bool SyncOrder::comes_before(std::int32_t program, std::int32_t other, std::int64_t time) const {
  if (program == known_program_ && other == known_other_ && time <= known_time_) return true;
  std::vector<std::pair<std::int32_t, std::int64_t>> seen;
  if (!reaches(program, now_, other, time, seen)) return false;
  known_program_ = program;
  known_other_ = other;
  known_time_ = time;
  return true;
}

// By what `program` acquired until then: directly, or by way of those that released it.
bool SyncOrder::reaches(std::int32_t program, std::int64_t until, std::int32_t other, std::int64_t time,
                        std::vector<std::pair<std::int32_t, std::int64_t>>& seen) const {
  const auto all = acquired_.find(program);
  if (all == acquired_.end()) return false;
  for (const Acquire& a : all->second) {
    if (a.time > until) break;
    for (std::size_t i = a.releases; i-- > 0;)
      if ((*a.cell)[i].program == other && (*a.cell)[i].time >= time) return true;
  }
  for (const Acquire& a : all->second) {
    if (a.time > until) break;
    for (std::size_t i = a.releases; i-- > 0;) {
      const Release& r = (*a.cell)[i];
      const bool is_new = std::none_of(seen.begin(), seen.end(),
                                       [&](const auto& s) { return s.first == r.program && s.second >= r.time; });
      if (r.program == program || !is_new) continue;
      seen.emplace_back(r.program, r.time);
      if (reaches(r.program, r.time, other, time, seen)) return true;
    }
  }
  return false;
}

}  // namespace tl::cpu
