// The recordings that the model is held against were made when all warps of a kernel without tensor maps did the same:
// mma.sync multiplied, and cp.async brought the tiles of these kernels, b's before a's, registers those of all others
// and narrow elements of rows that do not begin at multiples of 16 of them. An int was known as a multiple of 16 or as
// none.
#pragma once

#include <algorithm>
#include <utility>

#include "interp/run/counters/predicted.h"
#include "interp/run/cuda_config.h"

namespace tl::test {

inline bool was_staged(const Launch& launch) {
  for (const char* name : {"::matmul_kernel", "::grouped_matmul_kernel", "::persistent_matmul_kernel",
                           "::batched_matmul_kernel", "::split_k_matmul_kernel"})
    if (launch.kernel.ends_with(name)) return true;
  return false;
}

inline bool began_anywhere(const trace::AccessPattern& p, const trace::AccessRecord& record) {
  if (size_in_bytes(record.tensors[p.tensor].dtype) >= 4) return false;
  return std::ranges::any_of(p.strides.span(), [](std::int64_t s) { return s != 1 && s % 16 != 0; });
}

inline void route_as_measured(trace::AccessRecord& record, const Launch& launch, const machine::Device& device,
                              bool generic = false) {
  run::route_as_compiled(record, run::cuda_config_of(launch, device, generic));
  record.uses_wgmma = false;
  record.least_divisor = 16;
  for (trace::AccessPattern& p : record.patterns)
    if (p.route == trace::Route::staged && (!was_staged(launch) || began_anywhere(p, record)))
      p.route = trace::Route::registers;
  if (!was_staged(launch)) return;
  const auto is_load = [&](const trace::PlacedAccess& a) {
    return record.patterns[a.pattern].kind == trace::AccessKind::load;
  };
  for (const trace::Segment& s : record.segments) {
    const auto first = record.accesses.begin() + s.first;
    if (s.size == 2 && is_load(first[0]) && is_load(first[1])) std::swap(first[0], first[1]);
  }
}

// What the model says of it with as many programs an SM, of as many threads, as were measured.
inline run::Prediction predicted(const trace::AccessRecord& record, const Launch& launch, const machine::Device& device,
                                 const run::MeasuredLaunch& measured) {
  return run::prediction_of(machine::simulate(record, device,
                                              {.ctas_per_sm = measured.programs_per_sm,
                                               .threads_per_cta = measured.threads,
                                               .stages = launch.options.num_stages}));
}

inline machine::CudaConfig config_as_measured(const Launch& launch, const machine::Device& device) {
  machine::CudaConfig config = run::cuda_config_of(launch, device);
  config.least_divisor = 16;
  if (!config.copies_ahead || was_staged(launch)) return config;
  config.copies_ahead = false;
  config.matrix = rules::matrix_of(rules::Dots::any, false, config.num_warps);
  return config;
}

}  // namespace tl::test
