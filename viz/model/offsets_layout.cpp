#include "viz/model/offsets_layout.h"

#include <algorithm>

namespace tl::viz {

namespace {
constexpr std::size_t most_rows = 7;  // as many as there are colours
}

std::vector<LaneRun> runs_of(const trace::RecordedAccess& a, bool merge) {
  std::vector<LaneRun> runs;
  if (a.lanes() > most_lanes) {
    for_each_run(a, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t lane) {
      for (std::int64_t k = 0; k < (stride == 1 ? 1 : count); ++k)
        runs.push_back({lane + k, stride == 1 ? count : 1, first + k * stride, true});
    });
    return runs;
  }
  for (std::int64_t lane = 0; lane < a.lanes(); ++lane) {
    const bool active = a.is_active(lane);
    const std::int64_t element = a.offset(lane);
    if (merge && !runs.empty() && runs.back().is_active == active && (!active || element == runs.back().end()))
      ++runs.back().lanes;
    else runs.push_back({lane, 1, element, active});
  }
  return runs;
}

std::vector<ProgramLanes> programs_around(const debug::Session& session, const AccessStep& here) {
  const auto& trace = session.trace();
  const int launch = trace.programs[here.program].launch;
  const auto in_launch = [&](std::size_t p) { return p < trace.programs.size() && trace.programs[p].launch == launch; };
  std::size_t first = here.program, last = here.program;
  while (last - first + 1 < most_rows) {
    if (in_launch(first - 1)) --first;
    else if (!in_launch(last + 1)) break;
    if (last - first + 1 < most_rows && in_launch(last + 1)) ++last;
  }
  std::vector<ProgramLanes> programs;
  for (std::size_t p = first; p <= last; ++p)
    if (const auto same = same_access(trace, here, p))
      programs.push_back({*same, is_done(session, *same), p == here.program});
  return programs;
}

std::vector<Stretch> stretches_of(const std::vector<ProgramLanes>& programs) {
  struct Event {
    std::int64_t at;
    int change;
    std::size_t program;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!programs[i].is_done && !programs[i].is_here) continue;
    const auto add = [&](std::int64_t first, std::int64_t end) {
      events.push_back({first, 1, i});
      events.push_back({end, -1, i});
    };
    for_each_run(programs[i].access(), [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
      if (stride == 1) return add(first, first + count);
      for (std::int64_t k = 0; k < count; ++k) add(first + k * stride, first + k * stride + 1);
    });
  }
  std::ranges::sort(events);
  std::vector<Stretch> stretches;
  std::vector<int> open(programs.size(), 0);
  for (std::size_t e = 0; e < events.size();) {
    const std::int64_t at = events[e].at;
    for (; e < events.size() && events[e].at == at; ++e) open[events[e].program] += events[e].change;
    const auto is_open = [](int n) { return n > 0; };
    const auto count = static_cast<int>(std::ranges::count_if(open, is_open));
    if (count == 0 || e == events.size()) continue;
    const auto owner = static_cast<std::size_t>(std::ranges::find_if(open, is_open) - open.begin());
    if (!stretches.empty() && stretches.back().end == at && stretches.back().programs == count &&
        (count > 1 || stretches.back().owner == owner))
      stretches.back().end = events[e].at;
    else stretches.push_back({at, events[e].at, count, owner});
  }
  return stretches;
}

MemoryWindow window_of(const std::vector<ProgramLanes>& programs, const AccessStep& here, const Sheet& sheet) {
  MemoryWindow w;
  const std::int64_t elements = here.tensor->storage_elems;
  w.high = elements - 1;
  std::int64_t first = here.access->first, last = here.access->last, lanes = 0;
  for (const ProgramLanes& p : programs) {
    lanes += p.access().lanes();
    if (p.access().active > 0) {
      first = std::min(first, p.access().first);
      last = std::max(last, p.access().last);
    }
  }
  w.has_numbers = lanes <= 48 && (elements <= 48 || last - first < 48);
  if (w.has_numbers && elements > 48) {
    w.low = std::max<std::int64_t>(0, first - 2);
    w.high = std::min(w.high, w.low + 47);
  } else if (!w.has_numbers && elements > 4 * (last - first + 1)) {
    const std::int64_t pad = (last - first + 1) / 4;
    w.low = std::max<std::int64_t>(0, first - pad);
    w.high = std::min(w.high, last + pad);
  }
  for (const ProgramLanes& p : programs)
    for (std::int64_t lane = 0; lane < std::min(p.access().lanes(), most_lanes); ++lane) {
      if (p.access().is_active(lane)) continue;
      const std::int64_t e = p.access().offset(lane);
      if (e < 0 && w.low == 0) w.before = std::max(w.before, -e);
      if (e >= elements && w.high == elements - 1) w.after = std::max(w.after, e - elements + 1);
    }
  const std::int64_t most = w.has_numbers ? 16 : w.elements() / 2;
  w.before = std::min(w.before, most);
  w.after = std::min(w.after, most);
  w.cell = sheet.inner() / length(w.elements() + w.before + w.after);
  if (w.has_numbers) w.cell = std::min(60.f, w.cell);
  w.left = sheet.left() + length(w.before) * w.cell;
  return w;
}

}  // namespace tl::viz
