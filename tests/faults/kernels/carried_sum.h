// A running sum: each program waits for the sum of those before it, and hands its own on.
// case: n=512 BLOCK=64 x=f32[n] carry=inout:f32[9]:zeros flag=inout:i32[9]:values(1,0,0,0,0,0,0,0,0) y=out:f32[n]
// case: grid=n/BLOCK expect='y = cumsum(x, 0)' tolerance=1e-5
#pragma once
#include "interp/tl.h"

struct carried_sum {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto carry_ptr, tl::ptr auto flag_ptr, tl::ptr auto y_ptr,
                  tl::constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto offs = pid * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs);
    while (tl.atomic_add(flag_ptr + pid, 0, {.sem = "acquire"}) == 0) {
    }
    auto before = tl.load(carry_ptr + pid);
    tl.store(carry_ptr + pid + 1, before + tl.sum(x, 0));
    tl.debug_barrier();
    tl.atomic_xchg(flag_ptr + pid + 1, 1, {.sem = "release"});
    tl.store(y_ptr + offs, tl.cumsum(x, 0) + before);
  }
};
