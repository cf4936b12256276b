#include "interp/run/coalesce_case.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "interp/cpu/addresses.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/cuda_config.h"
#include "interp/run/schedule_case.h"

namespace tl::run {

using namespace report;

namespace {

CoalescedLaunch coalesced(const Launch& launch, const machine::Device& device, bool generic) {
  const Progress progress("following the loads and stores of " + launch.kernel);
  const RecordedPlans recorded = recorded_plans_of(launch, device, generic);
  const trace::AccessRecord& record = recorded.record;
  CoalescedLaunch found{launch.kernel,
                        launch.options.num_warps,
                        static_cast<std::int64_t>(record.programs.size()),
                        record.needed_values,
                        {},
                        {}};
  const auto lines = machine::coalescing_of(record, recorded.plans);
  std::vector<machine::LineKey> keys;
  for (const auto& l : lines) keys.push_back(l.key);
  const auto places = text_locations_of(keys, record);
  std::vector<std::size_t> order(lines.size());  // as they stand in the text
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::tuple(lines[i].key.file, places[i].line, places[i].column); });
  for (const std::size_t i : order) {
    found.lines.push_back(lines[i]);
    found.places.push_back(places[i]);
  }
  return found;
}

}  // namespace

RecordedPlans recorded_plans_of(const Launch& launch, const machine::Device& device, bool generic,
                                const std::atomic<bool>* stop) {
  refuse_huge_grids(launch);
  const Launch before = on_copies(launch);
  RecordedPlans r{cpu::record_accesses(launch, {.stop = stop}), {}};
  const auto programs = machine::programs_of_every_line(r.record);
  r.plans = machine::plans_of_launch(cuda_config_of(before, device, generic, programs, stop), r.record,
                                     [&](trace::Observer& o) { watch_apart(before, o, INT64_MAX, stop); });
  return r;
}

std::vector<CoalescedLaunch> coalesced_launches(const KernelOptions& kernel, const machine::Device& device,
                                                bool generic) {
  const problems::LaidOutFor chip(chip_of(device));
  return cpu::without_data_if_possible([&] {
    std::vector<CoalescedLaunch> found;
    for (const Launch& launch : make_case(kernel).instance.launches)
      found.push_back(coalesced(launch, device, generic));
    return found;
  });
}

}  // namespace tl::run
