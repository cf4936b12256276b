#include "interp/machine/schedule/dispatch.h"

#include <algorithm>
#include <numeric>

namespace tl::machine {

namespace {

// The half of the chip, by the L2 partition that its SMs are near, whose clocks are slower.
int slower_half(const Device& d, const SmMap& map) {
  if (d.group_pace_ppm.empty()) return 1;
  double sum[2] = {}, count[2] = {};
  for (std::size_t sm = 0; sm < map.group.size(); ++sm) {
    const int half = map.partition[sm] > 0;
    sum[half] += static_cast<double>(d.group_pace_ppm[map.group[sm]]);
    count[half] += 1;
  }
  return sum[1] * count[0] >= sum[0] * count[1];
}

}  // namespace

SmMap sm_map_of(const Device& d) {
  const int sms = static_cast<int>(d.sms), sms_per_gpc = static_cast<int>(d.sms_per_gpc),
            sms_per_tpc = static_cast<int>(d.sms_per_tpc);
  SmMap map;
  map.group.assign(d.sm_group.begin(), d.sm_group.end());
  if (map.group.empty()) {
    const int gpcs = std::max(1, (sms + sms_per_gpc - 1) / sms_per_gpc);
    for (int sm = 0; sm < sms; ++sm) map.group.push_back(sm / sms_per_tpc % gpcs);
  }
  map.groups = 1 + *std::max_element(map.group.begin(), map.group.end());

  map.partition.assign(d.sm_partition.begin(), d.sm_partition.end());
  if (map.partition.empty())
    for (int sm = 0; sm < sms; ++sm) map.partition.push_back(map.group[sm] % static_cast<int>(d.l2_partitions));

  // TPCs go to the parts of their GPC by turns.
  const int parts = static_cast<int>(d.gpc_parts);
  std::vector<int> seen(static_cast<std::size_t>(map.groups), 0), part(map.group.size()),
      size(static_cast<std::size_t>(map.groups * parts), 0);
  for (std::size_t sm = 0; sm < part.size(); ++sm) {
    part[sm] = map.group[sm] * parts + seen[map.group[sm]]++ / sms_per_tpc % parts;
    ++size[part[sm]];
  }
  const double served =
      static_cast<double>(std::ranges::count_if(size, [](int n) { return n > 0; })) / static_cast<double>(part.size());
  for (const int p : part) map.queue_share.push_back(served * size[p]);
  map.slow_half = slower_half(d, map);

  map.order.assign(d.sm_order.begin(), d.sm_order.end());
  if (map.order.empty()) {
    map.order.resize(static_cast<std::size_t>(sms));
    std::iota(map.order.begin(), map.order.end(), 0);
    std::stable_sort(map.order.begin(), map.order.end(), [&](int a, int b) { return map.group[a] < map.group[b]; });
  }
  return map;
}

}  // namespace tl::machine
