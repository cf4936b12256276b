#include "interp/cuda/host/run.h"

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "interp/cuda/host/loaded_kernel.h"
#include "interp/cuda/host/prints.h"
#include "interp/lang/print_record.h"

namespace tl::cuda {

namespace {

// compute-sanitizer reports accesses outside of an allocation; guards would hide those just beyond a tensor's end:
// TILESCOPE_GUARDS=0 leaves the guards out.
bool guards_wanted() {
  const char* value = std::getenv("TILESCOPE_GUARDS");
  return !value || std::string_view(value) != "0";
}

}  // namespace

RunResult run(std::span<const Launch> launches, const FactsOf& facts_of, const RunOptions& options) {
  const Gpu& gpu = the_gpu();
  const Target target{.arch = gpu.info.arch(),
                      .generic = options.generic,
                      .fused_multiply_add = options.fused_multiply_add,
                      .prints = true};
  RunResult result;
  std::vector<LoadedKernel> kernels;
  for (const auto& launch : launches) {
    check_grid(launch);
    kernels.emplace_back(gpu, compile(launch, facts_of(launch), target));
    const auto& compiled = kernels.back().compiled();
    result.kernels.push_back(compiled);
    result.truncates_tf32 |= compiled->uses_wgmma;
    result.notes.insert(result.notes.end(), compiled->notes.begin(), compiled->notes.end());
  }

  const auto take_prints = [&](const LoadedKernel& kernel) {
    if (!kernel.prints()) return;
    const auto lines = printed_lines({gpu.prints, print_buffer_bytes});
    result.prints.insert(result.prints.end(), lines.begin(), lines.end());
  };
  const auto wall_start = std::chrono::steady_clock::now();
  const DeviceTensors tensors(gpu, launches, guards_wanted());
  const Event start(gpu), end(gpu);
  try {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      kernels[i].clear_prints();
      start.record();
      kernels[i].start(launches[i], tensors);
      end.record();
      try {
        gpu.wait(launches[i].kernel);
      } catch (const FaultError&) {
        take_prints(kernels[i]);
        throw;
      }
      take_prints(kernels[i]);
      if (kernels[i].lost_prints())
        result.notes.push_back(
            launches[i].kernel + " prints more than " + std::to_string(print_buffer_bytes >> 20) +
            " MiB: lines are missing\n    fix: print of fewer programs, tl.print_if(text, \"=0\", ...)");
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

int programs_per_sm(const Launch& launch, const rules::KernelFacts& facts) {
  const Gpu& gpu = the_gpu();
  return LoadedKernel(gpu, compile(launch, facts, {.arch = gpu.info.arch()})).programs_per_sm();
}

}  // namespace tl::cuda
