// Which thread holds which element of the operands of mma.sync m16n8, for elements of 1, 2 or 4 bytes: PTX ISA, "Matrix
// fragments for mma". A 32-bit register holds neighbours along k; a warp's instructions follow one another along k,
// then along its rows or columns.
#pragma once

#include "interp/rules/layout.h"

namespace tl::rules {

// k of an element: within a register, over four lanes, in the second register, then the next instruction.
struct FragmentAlongK {
  int in_register;  // elements of one
  constexpr explicit FragmentAlongK(int element_bytes) : in_register(4 / element_bytes) {}
  constexpr void add(Layout& l, int k, int stride) const {
    for (int c = 1; c < in_register; c *= 2) l.registers.add(c * stride);
    for (int c = in_register; c < 4 * in_register; c *= 2) l.lanes.add(c * stride);
    for (int c = 4 * in_register; c < k; c *= 2) l.registers.add(c * stride);
  }
};

// a[m, k] of a dot whose result is m x n.
constexpr Layout mma_sync_left(int m, int n, int k, int element_bytes, int num_warps) {
  const MmaPlan plan(m, n, num_warps);
  Layout l;
  FragmentAlongK(element_bytes).add(l, k, 1);
  for (int r = 1; r < 8; r *= 2) l.lanes.add(r * k);
  for (int r = 8; r < plan.rows; r *= 2) l.registers.add(r * k);
  for (int w = 1; w < plan.warps_m; w *= 2) l.warps.add(w * plan.rows * k);
  for (int w = plan.warps_m; w < num_warps; w *= 2) l.warps.add(0);
  l.registers.sort();
  return l;
}

// b[k, n].
constexpr Layout mma_sync_right(int m, int n, int k, int element_bytes, int num_warps) {
  const MmaPlan plan(m, n, num_warps);
  Layout l;
  FragmentAlongK(element_bytes).add(l, k, n);
  for (int c = 1; c < 8; c *= 2) l.lanes.add(c);
  for (int c = 8; c < plan.cols; c *= 2) l.registers.add(c);
  for (int w = 1; w < plan.warps_m; w *= 2) l.warps.add(0);
  for (int w = 1; w < plan.warps_n; w *= 2) l.warps.add(w * plan.cols);
  for (int w = plan.warps_m * plan.warps_n; w < num_warps; w *= 2) l.warps.add(0);
  l.registers.sort();
  return l;
}

}  // namespace tl::rules
