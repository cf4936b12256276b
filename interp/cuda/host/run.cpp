#include "interp/cuda/host/run.h"

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "interp/cuda/host/loaded_kernel.h"

namespace tl::cuda {

namespace {

// compute-sanitizer reports accesses outside of an allocation; guards would hide those just beyond a tensor's end:
// TILESCOPE_GUARDS=0 leaves the guards out.
bool guards_wanted() {
  const char* value = std::getenv("TILESCOPE_GUARDS");
  return !value || std::string_view(value) != "0";
}

}  // namespace

RunResult run(std::span<const Launch> launches, const RunOptions& options) {
  const Gpu& gpu = the_gpu();
  const Target target{
      .arch = gpu.info.arch(), .generic = options.generic, .fused_multiply_add = options.fused_multiply_add};
  RunResult result;
  std::vector<LoadedKernel> kernels;
  for (const auto& launch : launches) {
    check_grid(launch);
    kernels.emplace_back(gpu, compile(launch, target));
    const auto& compiled = kernels.back().compiled();
    result.kernels.push_back(compiled);
    result.truncates_tf32 |= compiled->uses_wgmma;
    result.notes.insert(result.notes.end(), compiled->notes.begin(), compiled->notes.end());
  }

  const auto wall_start = std::chrono::steady_clock::now();
  const DeviceTensors tensors(gpu, launches, guards_wanted());
  const Event start(gpu), end(gpu);
  try {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      start.record();
      kernels[i].start(launches[i], tensors);
      end.record();
      gpu.wait(launches[i].kernel);
      result.gpu_ms += end.ms_since(start);
      result.programs += launches[i].grid.programs();
    }
  } catch (const FaultError& error) {
    result.faults.push_back(error.fault);
    return result;
  }
  result.faults = tensors.check_guards();
  tensors.copy_to_host();
  result.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - wall_start).count();
  return result;
}

int programs_per_sm(const Launch& launch) {
  const Gpu& gpu = the_gpu();
  return LoadedKernel(gpu, compile(launch, {.arch = gpu.info.arch()})).programs_per_sm();
}

}  // namespace tl::cuda
