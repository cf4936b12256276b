// What our CUDA path fixes for a launch on a device, without compiling it: the machine model's view of
// interp/cuda/host.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "interp/cuda/host/compile.h"
#include "interp/lang/launch.h"
#include "interp/machine/access/cuda_type.h"
#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::run {

// Why our CUDA path, which needs compute capability 8.0, does not run on this device; "" where it does.
std::string why_no_cuda_path(const machine::Device& device);

// As it was compiled before, where it was: without formulas if need be.
machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic = false);
cuda::Target target_of(const machine::Device& device, bool generic);
// Whether the model expects CUDA to compile the launch with formulas (rules/config.h): a few of its programs are
// watched.
bool expects_formulas(const Launch& launch, const trace::AccessRecord& record, const machine::CudaConfig& config,
                      const std::atomic<bool>* stop = nullptr);
// The record afterwards says how tiles travel there: by tensor maps, by cp.async ahead of dots, or through registers.
// Returns the tensors whose tiles cp.async cannot copy, since their rows begin at no multiple of 16 elements. Without
// formulas it copies no tile of pointers.
std::set<std::string> route_as_compiled(trace::AccessRecord& record, const machine::CudaConfig& config);

}  // namespace tl::run
