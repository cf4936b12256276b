// The block of C that each program computes: row by row, in groups, or as in the run.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/lang/swizzle.h"
#include "viz/model/panel.h"

namespace tl::viz {

struct OrderedBlocks {
  std::int64_t m = 0, n = 0, k = 1, group = 1;
  std::int64_t rows = 1, columns = 1;  // elements of C a block
  bool is_grouped_run = false;         // the run's own order is that of groups
  bool is_run = false;                 // those of the run, not turned to others
  std::vector<std::int64_t> own = {};  // the run's block of each program, where it is neither of the two orders
  std::int64_t across = 1;             // the run's programs along axis 1
  bool is_product = true;              // of A and B; else there are only programs and their order
  std::int64_t launched = 0;           // programs of the run
  bool is_persistent() const { return is_run && is_product && launched < m * n; }  // a program makes several
  const char* made() const { return is_persistent() ? "tile" : "program"; }
  std::string name() const { return own.empty() ? fmt::format("grouped by {}", group) : "as this kernel orders them"; }
};

// The block that a program makes; in groups: the run's own order if it is neither of the two.
Swizzled<std::int64_t> block_of(const OrderedBlocks& blocks, bool is_grouped, std::int64_t program);

// The run's, or as the panel's settings change it; none if its programs make no blocks of a grid.
std::optional<OrderedBlocks> blocks_of(Scene& scene);

}  // namespace tl::viz
