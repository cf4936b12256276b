#include "interp/cuda/host/launch_once.h"

#include "interp/cuda/host/loaded_kernel.h"

namespace tl::cuda {

std::vector<LaunchFacts> launch_once(std::span<const Launch> launches, const FactsOf& facts_of, bool generic) {
  const Gpu& gpu = the_gpu();
  const Target target{.arch = gpu.info.arch(), .generic = generic};
  std::vector<LoadedKernel> kernels;
  for (const auto& launch : launches) {
    check_grid(launch);
    kernels.emplace_back(gpu, compile(launch, facts_of(launch), target));
  }
  const DeviceTensors tensors(gpu, launches, false);
  const Event start(gpu), end(gpu);
  std::vector<LaunchFacts> all;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    start.record();
    kernels[i].start(launches[i], tensors);
    end.record();
    gpu.wait(launches[i].kernel);
    const Compiled& compiled = *kernels[i].compiled();
    all.push_back({launches[i].kernel, launches[i].grid, compiled.resources, kernels[i].programs_per_sm(),
                   end.ms_since(start), compiled.notes});
  }
  return all;
}

}  // namespace tl::cuda
