// The access records of a problem's launches, made without its tensors wherever data does not decide what is touched.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "interp/run/kernel_case.h"
#include "interp/trace/access_record.h"
#include "interp/trace/event.h"

namespace tl::run {

// One a launch, in order. Throws FaultError where the kernel fails.
std::vector<trace::AccessRecord> record_accesses(const KernelOptions& options, bool compress_loops = true);

// Throws Error where a launch has more programs than can be followed one by one.
void refuse_huge_grids(const Launch& launch);

// The launch on copies of the tensors that hold data.
Launch on_copies(Launch launch);

// Runs the first programs of the launch for the observer and leaves the launch's tensors as they are: without data, or
// on copies of the tensors where data decides; returns whether it does. Throws NeedsTensorData: it does, and there is
// none.
bool watch_apart(const Launch& launch, trace::Observer& observer, std::int64_t programs = INT64_MAX,
                 const std::atomic<bool>* stop = nullptr, std::int64_t op_limit = 0);

}  // namespace tl::run
