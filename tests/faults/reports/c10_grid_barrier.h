// all programs wait for all (FlagTree#1029): a barrier over the grid by a counter
// case: programs=64 ctr=inout:i32[1]:zeros part=inout:f32[programs]:zeros out=out:f32[programs] grid=programs expect='out = programs'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct grid_barrier {
  void operator()(auto& tl, ptr auto ctr_ptr, ptr auto part_ptr, ptr auto out_ptr, int_ auto programs) const {
    auto pid = tl.program_id(0);
    tl.store(part_ptr + pid, 1.0);
    tl.atomic_add(ctr_ptr, 1, {.sem = "release"});
    auto seen = tl.atomic_add(ctr_ptr, 0, {.sem = "acquire"});
    while (seen < programs) seen = tl.atomic_add(ctr_ptr, 0, {.sem = "acquire"});
    auto s = tl.sum(tl.load(part_ptr + tl.arange(0, 64_c)), 0_c);
    tl.store(out_ptr + pid, s);
  }
};
}  // namespace tl::kernels
