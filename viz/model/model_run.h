// A launch as the machine model runs it, and the same work in the other order. Every figure here is the model's; none
// is measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interp/machine/access/coalescing.h"
#include "interp/machine/limits/occupancy.h"
#include "interp/machine/limits/roofline.h"
#include "interp/machine/schedule/schedule.h"

namespace tl::viz {

// Row and column of the first element that a program's last store writes.
struct StoredAt {
  std::int64_t row = -1, column = -1;  // -1: it stored nothing
};

struct Limits {
  machine::Occupancy occupancy;
  machine::Roofline roofline;
  double ridge = 0;        // flops a byte
  std::string cause = {};  // what sets its time, as `schedule` says it: latency (DRAM 44 %)
};

struct ModelRun {
  machine::Schedule own;
  bool awaits_compiler = false;  // an estimate until then
  std::optional<Limits> limits;
  // Of kernels that multiply block by block: grouped ones run row by row here, row-major ones in groups.
  std::optional<machine::Schedule> other_order;
  std::string other_cause;                    // of its time, as limits->cause
  bool is_grouped = false;                    // the kernel's own order
  std::map<std::string, std::int64_t> sizes;  // the whole-number settings it was run for: m, bm, group_size
  std::int64_t l2_bytes = 0;                  // of the chip
  std::vector<StoredAt> last_stores;          // of own, by linear id
  std::vector<machine::LinePlans> plans;      // of each launch: how its lines' accesses become requests on CUDA
};

}  // namespace tl::viz
