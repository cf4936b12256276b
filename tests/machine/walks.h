// The synthetic products of probes/walk.cu, loops.cu and pace.cu as the model reads a kernel: which panels of
// tiles each CTA multiplies, and what an H200's counters said. No kernel of ours is among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::test {

// Panels of A and of B, tiles a panel, rows a group; and how the tiles travel.
struct Walk {
  std::string name, file;
  std::vector<std::int64_t> group_pace_ppm;  // of the chip that ran it
  trace::Route route = trace::Route::staged;
  std::int64_t index_work = 0;  // of walk.cu's loops, beside the dots
  std::int64_t bm = 128, bn = 128, bk = 64, warps = 8, ctas_per_sm = 1;
  std::int64_t rows = 0, columns = 0, length = 0, group = 1;
  std::int64_t shared_rows =
      0;                // of pace.cu: CTA i reads panel i % shared_rows of A and i / shared_rows of B; 0: a product
  bool writes = false;  // its tile of the product, at the end of each pair of panels
  double step_ns = 0;   // of a step that waits for nothing
  double step_dram_gb_per_s = 0;  // beside so much from DRAM
  double requested_bytes = 0;
  struct Round {
    double step_ns = 0, step_cycles = 0, clock_ghz = 0, dram_read_bytes = 0, tex_sectors = 0, hit_rate = 0,
           duration_ns = 0, shown = 0;
  };
  std::vector<Round> rounds;  // measured: the same launch on the same chip again
};

std::vector<Walk> recorded_walks(const std::string& folder);

trace::AccessRecord record_of(const Walk& walk, const machine::Device& device);

// The model's figures over the measured ones; points of hit rate; and how much more of the GPCs' clocks shows: of
// group_pace_ppm, as the paces of CTAs have it.
struct WalkError {
  double dram = 0, tex = 0, hit_points = 0, time = 0, shown = 0;
};
// How much of a chip's clocks some paces show, both of the GPCs and in parts of a million: their projection, 1 where
// they differ by all of it.
double shown_of(const std::vector<double>& paces_ppm, const std::vector<double>& group_pace_ppm);

// Of each round.
std::vector<WalkError> errors_of(const Walk& walk, const machine::Device& device, std::uint64_t seed = 1);

}  // namespace tl::test
