// A kernel's launches and what each line of them asks for in sectors: from its addresses alone.
#pragma once

#include <string>
#include <vector>

#include "interp/machine/access/coalescing.h"
#include "interp/machine/device.h"
#include "interp/run/kernel_case.h"
#include "interp/run/text_locations.h"

namespace tl::run {

struct CoalescedLaunch {
  std::string kernel;
  int warps = 0;
  std::int64_t programs = 0;
  std::string needed_values;  // why the kernel's data had to be computed
  std::vector<machine::LineCoalescing> lines;
  std::vector<TextLocation> places;  // of the lines
};

// `generic`: nothing newer than sm_80, as with `run --generic`. Throws Error, FaultError.
std::vector<CoalescedLaunch> coalesced_launches(const KernelOptions& kernel, const machine::Device& device,
                                                bool generic = false);

}  // namespace tl::run
