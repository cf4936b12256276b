#include "interp/run/cuda_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/addresses.h"
#include "interp/cpu/facts.h"
#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/machine/access/coalescing.h"

namespace tl::run {

std::string why_no_cuda_path(const machine::Device& d) {
  return d.cc_major >= 8
             ? ""
             : fmt::format("our CUDA path needs compute capability 8.0, {} has {}.{}", d.name, d.cc_major, d.cc_minor);
}

cuda::Target target_of(const machine::Device& device, bool generic) {
  const int cc = device.cc_major * 10 + device.cc_minor;
  return {.arch = fmt::format("sm_{}{}", cc, cc == 90 ? "a" : ""), .generic = generic};
}

machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic) {
  machine::CudaConfig config = cuda::config_of(launch, cpu::facts_of(launch), device.cc_major == 9 && !generic);
  const auto known = cuda::known_resources(launch, target_of(device, generic));
  if (device.cc_major < 8) config.tensor_maps = config.copies_ahead = false;  // it has no cp.async
  config.formulas = !known || !known->is_plain;
  if (known && known->num_stages > 0) config.num_stages = known->num_stages;
  if ((config.tensor_maps || config.copies_ahead) && known && !known->has_roles) {
    config.tensor_maps = config.copies_ahead = false;
    config.matrix = rules::in_one_role(config.matrix);
  }
  return config;
}

bool expects_formulas(const Launch& launch, const trace::AccessRecord& record, const machine::CudaConfig& config,
                      const std::atomic<bool>* stop) {
  machine::PlanObserver observer(config, machine::programs_of_every_line(record));
  cpu::watch_addresses(launch, observer, {.stop = stop});
  return !observer.gives_up_formulas();
}

// cp.async takes four bytes or more: rows that do not begin at multiples of them go element by element.
static bool goes_by_elements(const trace::AccessPattern& p, const trace::AccessRecord& record) {
  const auto bytes = static_cast<std::int64_t>(size_in_bytes(record.tensors[p.tensor].dtype));
  if (p.route != trace::Route::staged || !p.is_tile || bytes >= 4) return false;
  for (int d = 0; d < p.shape.rank; ++d)
    if (p.strides[d] != 1 && p.strides[d] * bytes % 4 != 0) return true;
  return false;
}

std::set<std::string> route_as_compiled(trace::AccessRecord& record, const machine::CudaConfig& config) {
  record.uses_wgmma = config.matrix == rules::Matrix::wgmma, record.least_divisor = config.least_divisor;
  std::set<std::string> by_elements;
  for (trace::AccessPattern& p : record.patterns) {
    const bool is_descriptor = p.route == trace::Route::descriptor, is_load = p.kind == trace::AccessKind::load;
    if (is_descriptor && config.tensor_maps) continue;
    p.route = trace::Route::registers;
    if (config.copies_ahead && is_load && p.is_tile &&
        (is_descriptor || (config.formulas && rules::is_ring_load(machine::sizes_of(p.shape.span())))))
      p.route = trace::Route::staged;
    if (goes_by_elements(p, record))
      p.route = trace::Route::registers, by_elements.insert(record.tensors[p.tensor].name);
  }
  return by_elements;
}

}  // namespace tl::run
