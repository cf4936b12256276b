#include "interp/cli/machine/coalesce_case.h"

#include "interp/cli/interrupt.h"
#include "interp/cli/machine/cuda_config.h"
#include "interp/cpu/addresses.h"

namespace tl::cli {

namespace {

CoalescedLaunch coalesced(const Launch& launch, const machine::Device& device, bool generic) {
  const cpu::AddressOptions options{.stop = &stop_requested()};
  const trace::AccessRecord record = cpu::record_accesses(launch, options);
  machine::PlanObserver observer(cuda_config_of(launch, device, generic), machine::programs_of_every_line(record));
  cpu::watch_addresses(launch, observer, options);
  return {launch.kernel, launch.options.num_warps, static_cast<std::int64_t>(record.programs.size()), record.needed_values, machine::coalescing_of(record, observer.plans())};
}

}  // namespace

std::vector<CoalescedLaunch> coalesced_launches(const KernelOptions& kernel, const machine::Device& device, bool generic) {
  return cpu::without_data_if_possible([&] {
    std::vector<CoalescedLaunch> found;
    for (const Launch& launch : make_case(kernel).instance.launches) found.push_back(coalesced(launch, device, generic));
    return found;
  });
}

}  // namespace tl::cli
