// What is kept of each iteration, for those who look at it.
#include <algorithm>
#include <utility>

#include "interp/machine/schedule/simulation.h"

namespace tl::machine {

// Before the step's tallies are counted.
void Simulation::keep_access(const Slot& s, const Stream& at, double there, const Sectors& before) {
  const TileRun& run = footprint_.runs[at.run];
  const trace::Segment& segment = record_.segments[s.segment];
  const auto iteration = static_cast<std::uint32_t>(segment.iterations) - s.iterations_left;
  const Memory::Tally& t = at.tally;
  FoundAt found = FoundAt::l1;
  if (run.kind != trace::AccessKind::load) found = FoundAt::written;
  else if (t.near_misses + t.far_misses > 0 || of_step_.misses > before.misses) found = FoundAt::dram;
  else if (t.far_hits > 0 || of_step_.far_hits > before.far_hits) found = FoundAt::far;
  else if (t.near_hits > 0 || of_step_.near_hits > before.near_hits) found = FoundAt::near;
  else if (t.merged > 0 || of_step_.merged > before.merged) found = FoundAt::merged;
  out_.accesses.push_back({access_of(s, at), footprint_.tile_numbers[run.first_piece + iteration],
                           static_cast<float>(there * 1e-3), found});
}

// Streams leave out the accesses that touch nothing.
std::uint32_t Simulation::access_of(const Slot& s, const Stream& at) const {
  std::uint32_t access = record_.segments[s.segment].first;
  for (auto left = &at - &streams_[first_stream(s)];; ++access)
    if (footprint_.run_of_access[access] != UINT32_MAX && left-- == 0) return access;
}

void Simulation::keep_step(Slot& s, double start, double ready, double end, double work) {
  const double before = std::exchange(dram_read_, memory_.dram_read_bytes()), read = dram_read_ - before;
  const double written = memory_.dram_write_bytes(), written_back = written - std::exchange(dram_written_, written);
  const auto us = [](double ns) { return static_cast<float>(ns * 1e-3); };
  if (static_cast<std::int64_t>(out_.steps.size()) < options_.step_limit)
    out_.steps.push_back({s.program, s.step, us(start), us(end),
                          us(std::max(start, ready - read / (device_.dram_gb_per_s * device_.dram_reachable))),
                          us(ready), of_step_, written_, read, written_back, us(work),
                          us(s.ns > 0 ? work * work_.of(s.segment).dot_ns / s.ns : 0), s.segment, s.pipeline.ahead(),
                          accesses_kept_, static_cast<std::uint32_t>(out_.accesses.size()) - accesses_kept_});
  else out_.steps_cut = true;
  accesses_kept_ = static_cast<std::uint32_t>(out_.accesses.size());
  for (; changes_timed_ < out_.l2_changes.size(); ++changes_timed_) out_.l2_changes[changes_timed_].us = us(start);
  s.reads += of_step_;
  of_step_ = {}, written_ = 0;
}

}  // namespace tl::machine
