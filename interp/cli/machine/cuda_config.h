// What our CUDA path fixes for a launch on a device, without compiling it: the machine model's view of interp/cuda/host.
#pragma once

#include "interp/lang/launch.h"
#include "interp/machine/cuda_layout.h"
#include "interp/machine/device.h"

namespace tl::cli {

machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic = false);

}  // namespace tl::cli
