#include "interp/cpu/sync_order.h"

#include <algorithm>

namespace tl::cpu {

namespace {
constexpr std::size_t most_earlier = 64;  // bits of `otherwise`
}

// A program that polls by an atomic that changes nothing has one reading and one release for all of its turns.
std::size_t SyncOrder::synchronize(std::int32_t program, std::pair<int, std::int64_t> cell, std::int64_t before,
                                   bool acquires, bool releases) {
  Cell& at = cells_[cell];
  Readings& all = readings_[program];
  std::size_t n = at.releases.size();
  const bool is_own = n > 0 && at.releases.back().program == program;
  const bool polls = is_own && releases && at.seen < n && at.releases.back().before == before;
  if (polls) {
    at.releases.back().time = now_;
    --n;
  } else if (releases) at.releases.push_back({program, now_, before});
  if (!is_own) at.seen = n;
  if (all.empty() || all.back().cell != &at || all.back().releases != n || all.back().acquires != acquires)
    all.push_back({&at, n, now_, acquires});
  ++now_;
  return all.size() - 1;
}

std::vector<std::int64_t> SyncOrder::earlier(std::int32_t program, std::size_t reading) const {
  const Reading& r = readings_.at(program)[reading];
  std::vector<std::int64_t> values;
  for (std::size_t i = r.releases - std::min(r.releases, most_earlier); i < r.releases; ++i)
    values.push_back(r.cell->releases[i].before);
  return values;
}

void SyncOrder::decided(std::int32_t program, std::size_t reading, std::uint64_t otherwise) {
  readings_.at(program)[reading].otherwise |= otherwise;
}

// Between the other program's access and its release the cell held values; with none of them would the program be here.
// Its readings of the cell before the acquire count, too: `while` polls relaxed, and one acquire follows.
bool SyncOrder::needs(const Readings& all, const Reading& acquire, std::size_t release, std::int64_t since) {
  const std::vector<Release>& past = acquire.cell->releases;
  for (std::size_t at = static_cast<std::size_t>(&acquire - all.data()) + 1; at-- > 0;) {
    const Reading& r = all[at];
    if (r.cell != acquire.cell) continue;
    if (r.releases <= release) return false;
    const std::size_t first = r.releases - std::min(r.releases, most_earlier);
    bool otherwise = r.otherwise != 0;
    for (std::size_t i = release + 1; otherwise && i-- > first && past[i].time > since;)
      otherwise = r.otherwise >> (i - first) & 1;
    if (otherwise) return true;
  }
  return false;
}

bool SyncOrder::comes_before(std::int32_t program, std::int32_t other, std::int64_t time) const {
  if (program == last_.program && other == last_.other && time == last_.time &&
      (last_.is_before || last_.asked_at == now_))
    return last_.is_before;
  std::vector<std::pair<std::int32_t, std::int64_t>> seen;
  last_ = {program, other, time, now_, reaches(program, now_, other, time, seen)};
  return last_.is_before;
}

// By what `program` acquired until then: directly, or by way of those that released it.
bool SyncOrder::reaches(std::int32_t program, std::int64_t until, std::int32_t other, std::int64_t time,
                        std::vector<std::pair<std::int32_t, std::int64_t>>& seen) const {
  const auto found = readings_.find(program);
  if (found == readings_.end()) return false;
  const Readings& all = found->second;
  for (const Reading& a : all) {
    if (a.time > until) break;
    const std::vector<Release>& past = a.cell->releases;
    for (std::size_t i = a.acquires ? a.releases : 0; i-- > 0 && past[i].time >= time;)
      if (past[i].program == other && needs(all, a, i, time)) return true;
  }
  for (const Reading& a : all) {
    if (a.time > until) break;
    for (std::size_t i = a.acquires ? a.releases : 0; i-- > 0 && a.cell->releases[i].time >= time;) {
      const Release& r = a.cell->releases[i];
      const bool is_new = std::none_of(seen.begin(), seen.end(),
                                       [&](const auto& s) { return s.first == r.program && s.second >= r.time; });
      if (r.program == program || !is_new || !needs(all, a, i, r.time - 1)) continue;
      seen.emplace_back(r.program, r.time);
      if (reaches(r.program, r.time, other, time, seen)) return true;
    }
  }
  return false;
}

}  // namespace tl::cpu
