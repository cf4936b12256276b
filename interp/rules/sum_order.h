// In which order the threads of a program add along an axis of a block: registers, then lanes, then warps.
#pragma once

#include "interp/rules/layout.h"

namespace tl::rules {

// A thread's running sums: register after register in turn, and then one after the other. A tree would hold half of
// the registers a second time.
constexpr int sum_chains(int registers) { return least(registers, 4); }

// The step along the axis of each bit of a register's, lane's or warp's number; bits without a step are left out. Lanes
// then add in pairs, the lowest bit first; warps one after the other.
struct SumOrder {
  Bases registers, lanes, warps;
  friend constexpr bool operator==(const SumOrder&, const SumOrder&) = default;
};
constexpr SumOrder sum_order(const Layout& l, const Sizes& shape, int axis) {
  const auto along = [&](const Bases& from) {
    Bases to;
    for (int i = 0; i < from.count; ++i)
      if (from.at[i] != 0 && sliced_index(shape, axis, from.at[i]) == 0) to.add(from.at[i] / shape.stride(axis));
    return to;
  };
  return {along(l.registers), along(l.lanes), along(l.warps)};
}

// Running sums, in scan_layout: a thread adds `run` neighbours, then its lanes are added in doubling steps, then warps.
struct ScanOrder {
  int run, lanes, warps;
};
constexpr ScanOrder scan_order(const Sizes& shape, int axis, int num_warps) {
  const int run = neighbours_of_thread(shape.count(), shape[axis], shape.count(), num_warps);
  const int lanes = least(32, shape[axis] / run);
  return {run, lanes, shape[axis] / run / lanes};
}

}  // namespace tl::rules
