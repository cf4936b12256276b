// The access records of a problem's launches, made without its tensors wherever data does not decide what is touched.
#pragma once

#include <vector>

#include "interp/run/kernel_case.h"
#include "interp/trace/access_record.h"

namespace tl::run {

// One a launch, in order. Throws FaultError where the kernel fails.
std::vector<trace::AccessRecord> record_accesses(const KernelOptions& options, bool compress_loops = true);

// Throws Error where a launch has more programs than can be followed one by one.
void refuse_huge_grids(const Launch& launch);

}  // namespace tl::run
