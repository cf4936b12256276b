// Reads what a compiled kernel tells the host through comments in its PTX: rules/report.h.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "interp/rules/report.h"
#include "interp/rules/ring.h"

namespace tl::cuda {

struct ReportedValue {
  std::optional<int> value;  // none: known only as the kernel runs
  std::size_t line = 0;      // of the PTX, from 0
};
std::vector<ReportedValue> read_reports(const std::string& ptx, rules::Report kind);

// The rings of tiles that a kernel reports, level by level.
struct Rings {
  std::array<rules::RingUse, rules::ring_levels> levels{};
  int stages_wanted = 0;   // the largest num_stages of a loop that loads tiles; 0: none has any
  bool is_regular = true;  // false: where a tile lies is known as the kernel runs, so that no memory can be set aside
  int bytes() const {
    return std::accumulate(levels.begin(), levels.end(), 0,
                           [](int sum, const rules::RingUse& use) { return sum + use.slots * use.bytes; });
  }
};
Rings read_rings(const std::string& ptx);

}  // namespace tl::cuda
