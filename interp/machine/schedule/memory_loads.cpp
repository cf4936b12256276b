// The way of a load: L1, the neighbours' requests, L2 and its fabric, DRAM.
#include <algorithm>
#include <bit>

#include "interp/machine/schedule/memory.h"

namespace tl::machine {

namespace {

double later(double a, double b) { return a > b ? a : b; }

}  // namespace

// What L2's near partition does not hold: from the far one, or from DRAM. Returns when it is there.
inline double Memory::fetch(std::uint32_t unit, const Port& port, double now, double found, double bytes, double share,
                            Tally& tally) {
  bool crossed = false;
  const Found where = l2_.fetch(unit, port.side, crossed);
  double data = found + (crossed ? device_.l2_remote_latency_ns : device_.l2_latency_ns);
  bool is_on_its_way = true;
  if (where == Found::miss) {
    (crossed ? tally.far_misses : tally.near_misses) += 1;
    const double taken = dram_server_.serve(found, bytes);
    data = std::max(data, found + (taken - found) * double(port.queue_share) + device_.dram_latency_ns);
    arrives_[unit] = static_cast<float>(data);
    displace_others(crossed ? 2 * footprint_.unit_bytes : footprint_.unit_bytes);
  } else {
    tally.far_hits += 1;
    data = std::max(data, double(arrives_[unit]));
    is_on_its_way = double(arrives_[unit]) > now;
  }
  port.requests.open(unit, now, found - now, is_on_its_way, share);
  return data;
}

// For a tile that is one unit and not in L1. Most of the simulation's time is spent here where tiles coincide or are
// disjoint: no branch that a processor cannot predict, and the only call at the end, so that all stays in registers.
double Memory::load_one(const TileRun& run, std::uint32_t unit, int sm, double now, Tally& tally) {
  Port& port = ports_[sm];
  const double bytes = double(run.sectors) * sector_bytes_, near_ns = near_ns_, arrival = double(arrives_[unit]);
  const double ready = port.server.serve(now, bytes) + near_ns, arrived = later(ready, arrival);
  const Merging::Group::Pending request = port.requests.pending(unit);
  if (!run.is_unaligned && request.joins(static_cast<float>(now), port.requests.limit)) {
    ++tally.merged;
    return arrived;
  }
  const double served = l2_server_.serve(now, double(run.served_bytes)),
               share = merging_.window_share(random_.uniform());
  if (!l2_.holds_unchecked(unit, port.side)) return load_distant(run, unit, port, now, ready, served, share, tally);
  ++tally.near_hits;
  request.open(port.requests.deadline(now, served - now, arrival > now, share));
  return later(arrived, served + near_ns);  // a line still on its way is a hit that waits
}

double Memory::load_distant(const TileRun& run, std::uint32_t unit, Port& port, double now, double ready, double served,
                            double share, Tally& tally) {
  const double bytes = double(run.sectors) * sector_bytes_;
  const std::uint32_t hits = tally.far_hits;
  ready = later(ready, fetch(unit, port, now, served, bytes, share, tally));
  if (tally.far_hits == hits) window_bytes_ += bytes * footprint_.first_reads[run.tensor].fetched;
  if (l2_.has_written_back()) write_back();
  return ready;
}

// Most of the simulation's time is spent here where L2 is followed line by line. All units of a tile pass one station
// after the other (L1, the request coalescer, L2, DRAM), neighbours together, and those found there leave the list: a
// branch for each unit could not be predicted and would cost more than all the rest.
double Memory::load_several(const TileRun& run, const Piece& piece, int sm, double now, Tally& tally) {
  constexpr std::uint32_t stretch = Merging::most_neighbours;
  Neighbours asked[stretch], open[stretch];
  struct Absent {
    std::uint32_t unit, place;
  } absent[stretch];  // place: in the queue of L2
  Port& port = ports_[sm];
  const double bytes = double(run.sectors) / piece.units * sector_bytes_, near_ns = near_ns_,
               l2_bytes = double(run.served_bytes) / piece.units, l2_ns = l2_bytes * l2_server_.ns_a_byte;
  const auto clock = static_cast<float>(now);
  const std::uint32_t missed = tally.near_misses + tally.far_misses;
  double ready = now;
  std::int32_t latest =
      0;  // times are not negative: ordered like their bits, of which a processor compares several at once
  for (std::uint32_t from = 0; from < piece.units; from += stretch) {
    std::uint32_t units = std::min(stretch, piece.units - from), stretches = 1, openings = 0, opened = 0, distant = 0;
    asked[0] = {piece.first + from, units};
    if (piece.is_scattered || run.route == trace::Route::registers)
      units = not_in_l1(run, piece, from, units, sm, asked, stretches, tally);
    for (std::uint32_t s = 0; s < stretches; ++s) {
      const float* const arrives = &arrives_[asked[s].first];
      for (std::uint32_t i = 0; i < asked[s].units; ++i) {
        const auto bits = std::bit_cast<std::int32_t>(arrives[i]);
        latest = latest > bits ? latest : bits;
      }
      const auto found_open = [&](Neighbours those) {
        open[openings++] = those;
        opened += those.units;
      };
      if (run.is_unaligned) found_open(asked[s]);
      else port.requests.join(asked[s], clock, found_open);
    }
    tally.merged += units - opened;
    if (units > 0) ready = std::max(ready, port.server.serve(now, bytes * units) + near_ns);
    if (opened == 0) continue;

    const double served = std::max(l2_server_.free_at, now), share = merging_.window_share(random_.uniform());
    auto until = static_cast<float>(now + (served - now + port.requests.ns[0]) * share);
    const auto more = static_cast<float>((port.requests.ns[1] - port.requests.ns[0]) * share),
               step = static_cast<float>(l2_ns * share);
    std::uint32_t place = 0;
    for (std::uint32_t s = 0; s < openings; ++s) {
      l2_.find_missing(open[s], port.side, [&](std::uint32_t i) {
        absent[distant++] = {open[s].first + i, place + i};
        l2_.prefetch_distant(open[s].first + i);
      });
      until = port.requests.open(open[s], until, step, more, clock,
                                 &arrives_[open[s].first]);  // a line still on its way is a hit that waits
      place += open[s].units;
    }
    ready = std::max(ready, l2_server_.serve(now, l2_bytes * opened) + near_ns);
    tally.near_hits += opened - distant;
    for (std::uint32_t i = 0; i < distant; ++i)
      ready = std::max(ready,
                       fetch(absent[i].unit, port, now, served + (absent[i].place + 1) * l2_ns, bytes, share, tally));
  }
  window_bytes_ += (tally.near_misses + tally.far_misses - missed) * bytes * footprint_.first_reads[run.tensor].fetched;
  if (l2_.has_written_back()) write_back();
  return std::max(ready, double(std::bit_cast<float>(latest)));
}

// Lists those of a tile's units [from, from + units) that L1 does not hold, neighbours together; returns their number.
std::uint32_t Memory::not_in_l1(const TileRun& run, const Piece& piece, std::uint32_t from, std::uint32_t units, int sm,
                                Neighbours* asked, std::uint32_t& stretches, Tally& tally) {
  std::uint32_t left = 0;
  stretches = 0;
  for (std::uint32_t i = from; i < from + units; ++i) {
    const std::uint32_t unit = unit_of(piece, i);
    if (run.route == trace::Route::registers && l1_.read(static_cast<std::size_t>(sm), unit)) continue;
    ++left;
    if (stretches > 0 && asked[stretches - 1].first + asked[stretches - 1].units == unit) ++asked[stretches - 1].units;
    else asked[stretches++] = {unit, 1};
  }
  tally.l1_hits += units - left;
  return left;
}

void Memory::prefetch_scattered(const Piece& piece, int sm) const {
  const Port& port = ports_[sm];
  for (std::uint32_t i = 0; i < piece.units; i += 8) {  // neighbours stand side by side
    const std::uint32_t unit = unit_of(piece, i);
    __builtin_prefetch(&arrives_[unit], 1);
    l2_.prefetch({unit, 1}, port.side);
    port.requests.prefetch({unit, 1});
  }
}

}  // namespace tl::machine
