// A kernel's launches and what each line of them asks for in sectors: from its addresses alone.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "interp/machine/access/coalescing.h"
#include "interp/machine/device.h"
#include "interp/run/kernel_case.h"
#include "interp/run/text_locations.h"

namespace tl::run {

// What a launch touches, and how each line's accesses become requests: coalesce and the pictures of sectors ask this.
struct RecordedPlans {
  trace::AccessRecord record;
  machine::LinePlans plans;
};
RecordedPlans recorded_plans_of(const Launch& launch, const machine::Device& device, bool generic = false,
                                const std::atomic<bool>* stop = nullptr);

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
