// What a launch moves through shared memory.
#pragma once

#include "interp/lang/launch.h"
#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::run {

// Bytes that all programs together store to and read from it.
double shared_bytes_of(const Launch& launch, const trace::AccessRecord& record, const machine::Device& device);

}  // namespace tl::run
