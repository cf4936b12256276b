#include "tests/ops/every_device.h"

#include <cstdlib>

#include "interp/cpu/run.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"

namespace tl::test {

const std::vector<Device>& devices() {
  static const std::vector<Device> all = [] {
    std::vector<Device> found{{"cpu", [](const Launch& launch) { return cpu::run(launch).faults; }}};
    std::string why_not;
    if (cuda::available(&why_not)) {
      setenv("TILESCOPE_SOURCES", SOURCE_DIR, 0);  // the tests' kernels are not built into the program
      found.push_back({"cuda", [](const Launch& launch) {
                         // Without fused multiply-adds the executors agree to the bit, op by op.
                         return cuda::run({&launch, 1}, {.fused_multiply_add = false}).faults;
                       }});
    } else {
      MESSAGE("skipped on cuda: " << why_not);
    }
    return found;
  }();
  return all;
}

void run(const Device& device, const Launch& launch) {
  for (const Fault& f : device.run(launch)) FAIL_CHECK(device.name << ": " << f.headline << ": " << f.detail);
}

std::string refusal(const Device& device, const Launch& launch) {
  try {
    const auto faults = device.run(launch);
    return faults.empty() ? "" : faults[0].headline + " " + faults[0].detail;
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace tl::test
