// Runs a test's launches on every device there is: the interpreter always, a GPU where there is one. With
// TILESCOPE_OPS_ARCHS=sm_90a,sm_80 compiles them for these chips in place of the GPU, which needs none; the values are
// then the interpreter's.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "interp/lang/error.h"
#include "interp/lang/launch.h"
#include "interp/testing/devices.h"

namespace tl::test {

struct Device {
  std::string name;                                      // cpu, cuda, sm_90a
  std::function<std::vector<Fault>(const Launch&)> run;  // throws Error when the kernel does not compile
  bool compiles = false;                                 // and no more than that
};

// The dtypes of a test, each in several sizes: a device that only compiles takes of each dtype the last size, which
// says what its code is, and one of the others by turns, so that all of them are compiled in some dtype.
class Turns {
 public:
  explicit Turns(int sizes) : sizes_(sizes) {}
  bool leave_out(const Device& device) {  // the next one
    const int dtype = next_ / sizes_, size = next_ % sizes_;
    ++next_;
    return device.compiles && size + 1 != sizes_ && size != dtype % (sizes_ - 1);
  }

 private:
  int sizes_, next_ = 0;
};

// The second is missing without a GPU, which is said once, with the reason.
const std::vector<Device>& devices();

using testing::poisoned;
using testing::tensor_of;

// Runs on one device and fails the test on a fault.
void run(const Device& device, const Launch& launch);

// Whether the device refuses the launch, and its words.
std::string refusal(const Device& device, const Launch& launch);

}  // namespace tl::test
