// device_print of a loaded scalar and block (triton#1469, #2386, #4353)
// case: n=4 x=f32[n] y=out:f32[n] grid=2
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct device_print {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n) const {
    auto pid = tl.program_id(0);
    auto o = pid * 2 + tl.arange(0, 2_c);
    auto x = tl.load(x_ptr + o);
    tl.device_print("pid", pid);
    tl.device_print("x", x);
    tl.device_print("s = ", tl.load(x_ptr + pid));
    tl.store(y_ptr + o, x);
  }
};
}  // namespace tl::kernels
