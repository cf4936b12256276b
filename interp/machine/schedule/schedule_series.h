// A schedule over time and over the output: what the SVG, the Chrome trace and the window all draw.
#pragma once

#include <vector>

#include "interp/machine/schedule/schedule.h"

namespace tl::machine {

// Reads of the steps (or, where none were kept, of the programs) spread over equal stretches of time.
struct TimeBin {
  double start_us = 0, end_us = 0;
  Sectors reads;
  double written_bytes = 0;
  double dram_read_bytes = 0;   // where DRAM sent them, not where they were asked for; all bins together: the launch's
  double dram_write_bytes = 0;  // as they leave L2; together the launch's
  double dram_bytes() const { return dram_read_bytes + dram_write_bytes; }
};
std::vector<TimeBin> time_bins(const Schedule& schedule, int count);
// No stretch with more than DRAM can move in it: what waits in one goes on to the next, and at the end back to those
// before. Writes go first, since no program waits for them. The sums stay.
void level_dram(std::vector<TimeBin>& bins, double gb_per_s);

double end_of(const Schedule& schedule);  // us
double tail_begins(
    const Schedule& schedule);  // us: from here on an SM's slot stays empty; the end where none does early

// The block of the output that each program computes: by its first stored tile; the grid itself if programs store no
// tiles.
struct OrderGrid {
  int rows = 0, cols = 0;
  bool of_output = false;             // else of the launch's grid, axis 0 to the right
  std::vector<std::int64_t> program;  // row by row: the first program that stores there; -1: none
};
OrderGrid order_grid(const Schedule& schedule, const trace::AccessRecord& record);

}  // namespace tl::machine
