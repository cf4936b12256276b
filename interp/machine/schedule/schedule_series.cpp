#include "interp/machine/schedule/schedule_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tl::machine {

namespace {

// part(bin, share of the stretch from `from` to `to` that lies in it).
template <class Part>
void spread(std::vector<TimeBin>& bins, double from, double to, Part part) {
  const double width = bins.front().end_us - bins.front().start_us;
  const auto at = [&](double t) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(t / width), 0,
                                    static_cast<std::int64_t>(bins.size()) - 1);
  };
  const double length = std::max(to - from, 1e-9);
  for (std::int64_t i = at(from); i <= at(to); ++i) {
    TimeBin& b = bins[i];
    part(b, at(from) == at(to) ? 1 : std::max(0.0, std::min(to, b.end_us) - std::max(from, b.start_us)) / length);
  }
}

void spread_reads(std::vector<TimeBin>& bins, double from, double to, const Sectors& reads, double written) {
  spread(bins, from, to, [&](TimeBin& b, double share) {
    b.reads += {reads.requested * share, reads.l1_hits * share, reads.merged * share,  reads.near_hits * share,
                reads.far_hits * share,  reads.misses * share,  reads.promoted * share};
    b.written_bytes += written * share;
  });
}

void spread_dram(std::vector<TimeBin>& bins, double from, double to, double bytes) {
  if (bytes > 0) spread(bins, from, to, [&](TimeBin& b, double share) { b.dram_read_bytes += bytes * share; });
}

void spread_writes(std::vector<TimeBin>& bins, double from, double to, double bytes) {
  if (bytes > 0) spread(bins, from, to, [&](TimeBin& b, double share) { b.dram_write_bytes += bytes * share; });
}

// The first tile that a program stores.
const trace::PlacedAccess* first_store(const trace::AccessRecord& record, const trace::ProgramAccesses& program) {
  for (std::uint32_t s = program.first; s < program.first + program.size; ++s) {
    const trace::Segment& segment = record.segments[s];
    for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a) {
      const trace::AccessPattern& p = record.patterns[record.accesses[a].pattern];
      if (p.kind == trace::AccessKind::store && p.is_tile && p.shape.rank == 2) return &record.accesses[a];
    }
  }
  return nullptr;
}

OrderGrid launch_grid(const Schedule& schedule) {
  OrderGrid g;
  const std::int64_t programs = static_cast<std::int64_t>(schedule.programs.size());
  const bool is_flat = schedule.grid[1] * schedule.grid[2] == 1;
  g.cols =
      static_cast<int>(is_flat ? std::max<std::int64_t>(
                                     1, static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(programs)))))
                               : schedule.grid[0]);
  g.rows = static_cast<int>((programs + g.cols - 1) / g.cols);
  g.program.assign(static_cast<std::size_t>(g.rows) * static_cast<std::size_t>(g.cols), -1);
  for (std::int64_t i = 0; i < programs; ++i) g.program[i] = i;
  return g;
}

}  // namespace

double end_of(const Schedule& s) {
  double end = 0;
  for (const ProgramRun& p : s.programs) end = std::max(end, p.end_us);
  return end;
}

double tail_begins(const Schedule& s) {
  std::map<std::pair<int, int>, double> last;
  for (const ProgramRun& p : s.programs) {
    double& end = last[{p.sm, p.slot}];
    end = std::max(end, p.end_us);
  }
  double tail = end_of(s);
  for (const auto& [slot, end] : last) tail = std::min(tail, end);
  return tail;
}

std::vector<TimeBin> time_bins(const Schedule& s, int count) {
  const double end = end_of(s), width = end / count;
  std::vector<TimeBin> bins(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    bins[i].start_us = i * width;
    bins[i].end_us = (i + 1) * width;
  }
  if (end <= 0) return bins;
  double sent = 0, written = 0;
  if (!s.steps.empty() && !s.steps_cut) {
    for (const StepRun& step : s.steps) {
      // Reads until the data is there, writes after the work on it.
      spread_reads(bins, step.start_us, std::max(step.start_us, step.data_us), step.reads, 0);
      spread_reads(bins, std::min(step.end_us, std::max(step.start_us, step.data_us + step.work_us)), step.end_us, {},
                   step.written_bytes);
      spread_dram(bins, step.dram_from_us, step.data_us, step.dram_read_bytes);
      sent += step.dram_read_bytes;
      spread_writes(bins, step.start_us, step.end_us, step.dram_write_bytes);
      written += step.dram_write_bytes;
    }
    spread_dram(bins, end, end, s.dram_read_bytes - sent);  // sectors that were written in part, read as they leave L2
    spread_writes(bins, end, end, s.dram_write_bytes - written);
  } else {
    for (const ProgramRun& p : s.programs) {
      spread_reads(bins, p.start_us, p.end_us, p.reads, 0);
      if (s.reads.misses > 0)
        spread_dram(bins, p.start_us, p.end_us, s.dram_read_bytes * p.reads.misses / s.reads.misses);
      spread_writes(bins, p.start_us, p.end_us, s.dram_write_bytes / static_cast<double>(s.programs.size()));
    }
  }
  return bins;
}

void level_dram(std::vector<TimeBin>& bins, double gb_per_s) {
  const auto level = [&](double TimeBin::* bytes, double TimeBin::* others) {
    double waiting = 0;
    const auto move = [&](TimeBin& b) {
      waiting += b.*bytes;
      const double most = gb_per_s * 1e3 * (b.end_us - b.start_us) - (others ? b.*others : 0);
      b.*bytes = std::min(waiting, std::max(0.0, most));
      waiting -= b.*bytes;
    };
    std::for_each(bins.begin(), bins.end(), move);
    std::for_each(bins.rbegin(), bins.rend(), move);
    bins.back().*bytes += waiting;  // of a launch that is faster than DRAM: there should be none
  };
  level(&TimeBin::dram_write_bytes, nullptr);
  level(&TimeBin::dram_read_bytes, &TimeBin::dram_write_bytes);
}

OrderGrid order_grid(const Schedule& schedule, const trace::AccessRecord& record) {
  std::vector<std::pair<std::int64_t, std::int64_t>> place(record.programs.size(), {-1, -1});
  std::set<std::int64_t> rows, cols;
  for (std::size_t i = 0; i < record.programs.size(); ++i) {
    const trace::PlacedAccess* store = first_store(record, record.programs[i]);
    if (!store) return launch_grid(schedule);
    const trace::AccessPattern& p = record.patterns[store->pattern];
    const std::int64_t pitch = p.strides[0];
    if (pitch <= 0 || p.strides[1] != 1) return launch_grid(schedule);
    place[i] = {store->base / pitch, store->base % pitch};
    rows.insert(place[i].first);
    cols.insert(place[i].second);
  }
  OrderGrid g;
  g.rows = static_cast<int>(rows.size());
  g.cols = static_cast<int>(cols.size());
  if (rows.size() * cols.size() > 4 * record.programs.size())
    return launch_grid(schedule);  // scattered stores are no grid
  g.of_output = true;
  g.program.assign(rows.size() * cols.size(), -1);
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto row = static_cast<std::size_t>(std::distance(rows.begin(), rows.find(place[i].first)));
    const auto col = static_cast<std::size_t>(std::distance(cols.begin(), cols.find(place[i].second)));
    std::int64_t& cell = g.program[row * cols.size() + col];
    if (cell < 0) cell = static_cast<std::int64_t>(i);
  }
  return g;
}

}  // namespace tl::machine
