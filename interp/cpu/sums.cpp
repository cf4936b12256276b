#include "interp/cpu/sums.h"

#include <algorithm>

namespace tl::cpu {

OrderedSum::OrderedSum(const rules::SumOrder& order)
    : registers(1 << order.registers.count), lanes(1 << order.lanes.count), warps(1 << order.warps.count) {
  for (int w = 0; w < warps; ++w)
    for (int r = 0; r < registers; ++r)
      for (int l = 0; l < lanes; ++l) at.push_back(order.warps.of(w) + order.registers.of(r) + order.lanes.of(l));
}

void SumOrders::add(std::string file, int line, int column, const std::vector<rules::SumOrder>& passes) {
  PlacedSums place{std::move(file), line, column, {}};
  const bool alike = std::ranges::all_of(passes, [&](const auto& o) { return o == passes.front(); });
  for (std::size_t i = 0; i < (alike ? 1 : passes.size()); ++i) place.passes.emplace_back(passes[i]);
  places_.push_back(std::move(place));
}

int SumOrders::find(const Site& site) const {
  const auto at = std::ranges::find_if(places_, [&](const PlacedSums& p) {
    return p.line == site.line && p.column == site.column && p.file == site.file;
  });
  return at == places_.end() ? -1 : static_cast<int>(at - places_.begin());
}

}  // namespace tl::cpu
