// histogram over programs without atomics
// case: n=64 m=8 idx=i32[n]:each(7 * i % 8) v=f32[n]:ones out=inout:f32[m]:zeros grid=n expect='out = 8'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct scatter_programs {
  void operator()(auto& tl, ptr auto idx_ptr, ptr auto v_ptr, ptr auto out_ptr) const {
    auto o = tl.program_id(0);
    auto idx = tl.load(idx_ptr + o);
    tl.store(out_ptr + idx, tl.load(out_ptr + idx) + tl.load(v_ptr + o));
  }
};
}  // namespace tl::kernels
