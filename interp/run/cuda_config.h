// What our CUDA path fixes for a launch on a device: the machine model's view of interp/cuda/host.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/lang/launch.h"
#include "interp/machine/access/cuda_type.h"
#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::run {

// Why our CUDA path, which needs compute capability 8.0, does not run on this device; "" where it does.
std::string why_no_cuda_path(const machine::Device& device);

cuda::Target target_of(const machine::Device& device, bool generic);

// What the compiler is expected to make of the launch. It follows from the kernel, the launch and the device alone,
// never from what was compiled before: warps have roles where no fact of the kernel forbids it (cpu/facts.h) and
// there is a tile to copy ahead; formulas are given up where a variable is assigned what its first type cannot hold.
// Looks at these programs, by linear id, ascending.
machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic = false,
                                   const std::vector<std::int64_t>& programs = {0},
                                   const std::atomic<bool>* stop = nullptr);
// The same as the compiler then made it.
machine::CudaConfig as_compiled(machine::CudaConfig config, const cuda::Resources& compiled);

// The record afterwards says how tiles travel there: by tensor maps, by cp.async ahead of dots, or through registers.
// Returns the tensors whose tiles cp.async cannot copy, since their rows begin at no multiple of 16 elements. Without
// formulas it copies no tile of pointers.
std::set<std::string> route_as_compiled(trace::AccessRecord& record, const machine::CudaConfig& config);

}  // namespace tl::run
