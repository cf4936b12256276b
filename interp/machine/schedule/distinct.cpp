#include "interp/machine/schedule/distinct.h"

#include <algorithm>

namespace tl::machine {

void count_distinct(const trace::AccessRecord& record, const Footprint& f, std::int64_t first_programs, Schedule& out) {
  const auto all = static_cast<std::int64_t>(record.programs.size());
  const std::int64_t first = first_programs > 0 ? std::min(first_programs, all) : all;
  out.first_programs = first;
  std::vector<std::vector<bool>> seen;
  for (const std::uint32_t tiles : f.tensor_tiles) seen.emplace_back(tiles, false);
  std::vector<bool> run_done(f.runs.size(), false);
  for (std::int64_t p = 0; p < all; ++p) {
    if (p == first)
      for (auto& t : out.tensors) t.distinct_after_programs = t.distinct_block_loads;
    const auto& program = record.programs[p];
    for (std::uint32_t s = program.first; s < program.first + program.size; ++s) {
      const trace::Segment& segment = record.segments[s];
      for (std::uint32_t a = segment.first; a < segment.first + segment.size; ++a) {
        const std::uint32_t r = f.run_of_access[a];
        if (r == UINT32_MAX || f.runs[r].kind != trace::AccessKind::load) continue;
        const TileRun& run = f.runs[r];
        TensorTraffic& tensor = out.tensors[run.tensor];
        tensor.block_loads += run.iterations;
        if (run_done[r]) continue;
        run_done[r] = true;
        for (std::uint32_t k = 0; k < run.iterations; ++k) {
          const auto tile = seen[run.tensor].begin() + f.tile_numbers[run.first_piece + k];
          if (!*tile) {
            *tile = true;
            ++tensor.distinct_block_loads;
            out.distinct_read_bytes += double(run.bytes);
          }
        }
      }
    }
  }
  for (auto& t : out.tensors) {
    if (first == all) t.distinct_after_programs = t.distinct_block_loads;
    out.block_loads += t.block_loads;
    out.distinct_total += t.distinct_block_loads;
    out.distinct_after_programs += t.distinct_after_programs;
  }
}

// Narrow where L2 keeps what is read again. Wide where it does not: then how far GPCs have drifted apart decides what
// is still there, and their clocks differ from chip to chip and from run to run.
void state_interval(Schedule& s, const Device& d) {
  const double half = s.dram_read_bytes < d.rereads_from * s.distinct_read_bytes ? d.interval_kept : d.interval_reread;
  s.dram_read_low = std::max((1 - half) * s.dram_read_bytes,
                             std::min(s.dram_read_bytes, s.distinct_read_bytes));  // what is read at all is read once
  s.dram_read_high = (1 + half) * s.dram_read_bytes;
}

}  // namespace tl::machine
