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

// What a launch's tensors held before it. A kernel that decides by data passes the same places again only where that is
// put back.
class HeldBefore {
 public:
  explicit HeldBefore(const Launch& launch) {
    for (const Argument& a : launch.arguments) {
      const auto* t = std::get_if<TensorArgument>(&a);
      const auto* d = std::get_if<DescriptorArgument>(&a);
      if (const Tensor* tensor = t ? &t->tensor : d ? &d->tensor : nullptr; tensor && tensor->holds_data)
        held_.emplace_back(*tensor, clone(*tensor));
    }
  }
  void put_back() const {
    for (const auto& [tensor, held] : held_) std::copy_n(held.data(), held.storage_bytes(), tensor.data());
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> held_;
};

CoalescedLaunch coalesced(const Launch& launch, const machine::Device& device, bool generic) {
  refuse_huge_grids(launch);
  const Progress progress("following the loads and stores of " + launch.kernel);
  const HeldBefore held(launch);
  const trace::AccessRecord record = cpu::record_accesses(launch);
  const auto plans = machine::plans_of_launch(cuda_config_of(launch, device, generic), record, [&](trace::Observer& o) {
    held.put_back();
    cpu::watch_addresses(launch, o, {.with_values = !record.needed_values.empty()});
  });
  CoalescedLaunch found{launch.kernel,
                        launch.options.num_warps,
                        static_cast<std::int64_t>(record.programs.size()),
                        record.needed_values,
                        {},
                        {}};
  const auto lines = machine::coalescing_of(record, plans);
  std::vector<machine::LineKey> keys;
  for (const auto& l : lines) keys.push_back(l.key);
  const auto places = text_locations_of(keys, record);
  std::vector<std::size_t> order(lines.size());  // as they stand in the text
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::tuple(lines[i].key.file, places[i].line, places[i].column); });
  for (const std::size_t i : order) found.lines.push_back(lines[i]), found.places.push_back(places[i]);
  return found;
}

}  // namespace

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
