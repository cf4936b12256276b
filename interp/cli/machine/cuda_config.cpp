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

void route_as_compiled(trace::AccessRecord& record, const Launch& launch, const machine::Device& device, bool generic) {
  const auto is_descriptor = [](const trace::AccessPattern& p) { return p.route == trace::Route::descriptor; };
  if (std::ranges::none_of(record.patterns, is_descriptor) || cuda_config_of(launch, device, generic).tensor_maps) return;
  for (trace::AccessPattern& p : record.patterns)
    if (is_descriptor(p)) p.route = p.kind == trace::AccessKind::load ? trace::Route::staged : trace::Route::registers;
}

}  // namespace tl::cli
