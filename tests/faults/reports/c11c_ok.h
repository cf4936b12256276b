// program 0 stores a partial tile and raises a flag by a plain store; program 1 waits for the flag and adds
// (ROCm/triton#745, tritonBLAS#61)
// case: BLOCK=1024 x=f32[2 * BLOCK] p=inout:f32[BLOCK]:zeros flag=inout:i32[1]:zeros y=out:f32[BLOCK] grid=2
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct flag_acqrel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto p_ptr, ptr auto flag_ptr, ptr auto y_ptr,
                  constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto o = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + pid * BLOCK + o);
    if (pid == 0) {
      tl.store(p_ptr + o, x);
      tl.atomic_xchg(flag_ptr, 1);
    } else {
      auto f = tl.atomic_cas(flag_ptr, 1, 1);
      while (f == 0) f = tl.atomic_cas(flag_ptr, 1, 1);
      tl.store(y_ptr + o, x + tl.load(p_ptr + o));
    }
  }
};
}  // namespace tl::kernels
