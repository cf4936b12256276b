// The machine model held against an H200's recorded counters: one row a launch, and what all rows together say.
#pragma once

#include <string>
#include <vector>

#include "interp/run/counters/measured.h"
#include "interp/run/counters/predicted.h"

namespace tl::test {

struct Row {
  std::string run, set;
  std::vector<std::int64_t> clocks;  // of the chip: Measurements::group_pace_ppm
  run::MeasuredLaunch measured;
  run::Prediction model;
  double wave_count_bytes = 0, lru_bytes = 0;  // the baselines' DRAM bytes read

  double dram() const { return *measured.get("dram_read_bytes"); }
  double dram_error() const { return model.dram_read_bytes / dram() - 1; }
  double tex_error() const { return model.tex_sectors / *measured.get("tex_sectors") - 1; }
  double hit_points() const { return 100 * (model.logical_hit_rate - *measured.logical_hit_rate()); }
  bool is_row_major() const;  // a product whose programs walk whole rows of blocks
  bool has_aligned_rows()
      const;  // of a product: its loads are wide, so that what they ask for does not depend on lanes
  // B is larger than what a sweep of an H200 can read again from L2 (41 MiB): a row of programs leaves nothing for the
  // next row. There the hardware itself differs from run to run.
  bool is_past_the_edge() const;
};

enum class Extent { quick, full };
// Quick leaves out the largest problems, above 8192^3, and the LRU baseline. TILESCOPE_VALIDATION=full asks for all.
Extent wanted_extent();

// The model and the baselines over every launch that was measured, when all warps did the same (one_role.h) or as
// kernels are compiled today.
enum class Roles { one, as_compiled };
std::vector<Row> replay(const run::Measurements& measurements, Extent extent, Roles roles = Roles::one);

// Nearest rank: the smallest value that at least this share does not exceed.
double percentile(std::vector<double> values, double share);
double median_of(std::vector<double> values);

// Of pairs of rows of one problem in different orders on one chip, whose measured DRAM bytes differ by more than 5 %.
struct Ranking {
  int pairs = 0, right = 0;
  double share() const { return pairs ? static_cast<double>(right) / pairs : 1; }
};
Ranking ranking_of(const std::vector<Row>& rows);

std::string table_of(const std::vector<Row>& rows);
// The same as a page, the largest error first.
std::string markdown_of(std::vector<Row> rows);

}  // namespace tl::test
