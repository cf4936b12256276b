// absmax int8 quantization that relies on the store's cast: truncates (vllm#45361)
// case: rows=4 cols=64 x=f32[rows, cols] q=out:i8[rows, cols] s=out:f32[rows] grid=rows expect='s = amax(abs(x), 1) / 127; q = floor(x / (amax(abs(x), 1)[:, None] / 127) + 0.5)'
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct int8_trunc {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto q_ptr, ptr auto s_ptr, int_ auto cols) const {
    auto row = tl.program_id(0);
    auto o = tl.arange(0, 64_c);
    auto x = tl.load(x_ptr + row * cols + o);
    auto s = tl.max(tl.abs(x), 0_c) / 127.0;
    tl.store(s_ptr + row, s);
    tl.store(q_ptr + row * cols + o, tl.clamp(x / s, -128.0, 127.0));
  }
};
}  // namespace tl::kernels
