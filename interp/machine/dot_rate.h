// How fast a device multiplies blocks: by the units that take the dtype of a launch's dots.
#pragma once

#include <string>

#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

// How fast a device multiplies the record's blocks, flops a second, and with what.
struct DotRate {
  double flops_per_s = 0;
  std::string units;
  bool on_tensor_cores = false;
};
DotRate dot_rate(const trace::AccessRecord& record, const Device& device);

}  // namespace tl::machine
