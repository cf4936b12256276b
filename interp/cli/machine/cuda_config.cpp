#include "interp/cli/machine/cuda_config.h"

#include <algorithm>

#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/sources.h"

namespace tl::cli {

machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic) {
  const bool has_descriptor = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                          [](const Argument& a) { return std::holds_alternative<DescriptorArgument>(a); });
  machine::CudaConfig config;
  config.num_warps = launch.options.num_warps;
  config.num_stages = launch.options.num_stages;
  config.vector = cuda::vector_width(launch);
  config.tensor_maps = has_descriptor && device.cc_major == 9 && !generic && cuda::tensor_maps_fit(launch);
  if (cuda::calls_dot(cuda::gather_sources({launch.source})))
    config.matrix = config.tensor_maps && config.num_warps % 4 == 0 ? machine::Matrix::wgmma : machine::Matrix::mma_sync;
  return config;
}

}  // namespace tl::cli
