// Memory where tiles touch parts of lines: which quarters of a line are there, and which are asked for.
#include <algorithm>
#include <bit>

#include "interp/machine/schedule/memory.h"

namespace tl::machine {

double Memory::load_lines(const TileRun& run, const Piece& piece, int sm, double now, Sectors& found) {
  const auto at = static_cast<std::size_t>(sm), t = static_cast<std::size_t>(run.tensor);
  Port& port = ports_[at];
  totals_.unit_accesses += piece.units;
  const double quarter = footprint_.unit_bytes / 4,
               sectors_a_quarter = quarter / static_cast<double>(device_.sector_bytes);
  const bool in_pairs = static_cast<double>(device_.fetch_bytes) >= 2 * quarter;
  double ready = now, fetched = 0;
  Sectors one;
  constexpr std::uint32_t ahead = 12;
  for (std::uint32_t i = piece.first; i < piece.first + piece.units; ++i) {
    if (i + ahead < piece.first + piece.units) {
      const std::uint32_t later = footprint_.line_units[i + ahead];
      l2_.prefetch({later, 1}, port.side);
      port.requests.prefetch({later, 1});
      __builtin_prefetch(&arrives_[later], 1);
      __builtin_prefetch(&valid_[later], 1);
    }
    const std::uint32_t unit = footprint_.line_units[i];
    const unsigned asked = footprint_.line_parts[i] & 15u;
    const double sectors = sectors_a_quarter * std::popcount(asked), bytes = quarter * std::popcount(asked);
    one.requested += sectors;
    if (run.route == trace::Route::registers && l1_.read(at, unit, asked)) {  // the same quarters again
      one.l1_hits += sectors;
      continue;
    }
    ready = std::max(ready, port.server.serve(now, bytes) + device_.l2_latency_ns);
    if (!(asked & ~unsigned{valid_[unit]}) &&
        port.requests.joins(unit, static_cast<float>(now))) {  // of quarters that the request asks for
      one.merged += sectors;
      ready = std::max(ready, double(arrives_[unit]));
      continue;
    }
    bool crossed = false;
    const Found where = l2_.read(unit, port.side, crossed);
    if (where == Found::miss) {
      valid_[unit] = 0;
      displace_others(crossed ? 2 * footprint_.unit_bytes : footprint_.unit_bytes);
    }
    const unsigned missing = asked & ~unsigned{valid_[unit]};
    const double served = l2_server_.serve(now, bytes),
                 missed = sectors_a_quarter * std::popcount(missing) * (1 - double(run.found_later));
    double data = served + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
    if (missing) {
      const unsigned pairs = in_pairs ? missing | (missing & 5u) << 1 | (missing & 10u) >> 1 : missing,
                     brought = pairs & ~unsigned{valid_[unit]};
      valid_[unit] = static_cast<std::uint8_t>(valid_[unit] | brought);
      const double from_dram = quarter * std::popcount(brought);
      fetched += from_dram;
      data = std::max(data, dram_server_.serve(served, from_dram) + device_.dram_latency_ns);
      arrives_[unit] = static_cast<float>(data);
    } else data = std::max(data, double(arrives_[unit]));
    one.misses += missed;
    (crossed ? one.far_hits : one.near_hits) += sectors - missed;
    if (crossed) totals_.fabric_sectors += sectors;
    port.requests.open(unit, now, served - now, missing || double(arrives_[unit]) > now,
                       merging_.window_share(random_.uniform()));
    ready = std::max(ready, data);
  }
  found += one;
  totals_.reads[t] += one;
  totals_.dram_read[t] += fetched;
  window_bytes_ += fetched;
  if (now >= window_end_) update_dram_load(now);
  if (l2_.has_written_back()) write_back();
  return ready;
}

void Memory::store_lines(const TileRun& run, const Piece& piece, int sm, double now) {
  const auto at = static_cast<std::size_t>(sm), t = static_cast<std::size_t>(run.tensor);
  const double quarter = footprint_.unit_bytes / 4;
  for (std::uint32_t i = piece.first; i < piece.first + piece.units; ++i) {
    const std::uint32_t unit = footprint_.line_units[i];
    const unsigned touched = footprint_.line_parts[i] & 15u, covered = footprint_.line_parts[i] >> 4;
    l2_server_.serve(now, quarter * std::popcount(touched));
    if (!l2_.write(unit, ports_[at].side)) valid_[unit] = 0;
    const unsigned before = written_[unit] & 15u;
    unsigned whole =
        (written_[unit] >> 4) | covered | (before & touched);  // neighbours complete what each writes in part
    if (run.kind == trace::AccessKind::atomic) {
      const unsigned missing = touched & ~unsigned{valid_[unit]};
      const double bytes = quarter * std::popcount(missing | (missing & 5u) << 1 | (missing & 10u) >> 1);
      if (missing) {
        totals_.dram_read[t] += bytes;
        dram_server_.serve(now, bytes);
      }
      whole |= touched;
    }
    written_[unit] = static_cast<std::uint8_t>(before | touched | whole << 4);
    valid_[unit] = static_cast<std::uint8_t>(valid_[unit] | whole);
  }
}

}  // namespace tl::machine
