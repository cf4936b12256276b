// Activations as fp8 with one scale a group of columns; use_ue8m0: the scale is a power of two.
// After vllm/model_executor/layers/quantization/utils/fp8_utils.py of vllm-project/vllm at 007d50058a06.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: rows=5 cols=400 size=100 y=bf16[rows,cols]:normal y_q=out:f8e4nv[rows,cols] y_s=out:f32[rows,cols/size]
// case: group_size=size y_num_columns=cols y_row_stride=cols eps=1e-10 fp8_min=-448.0 fp8_max=448.0 BLOCK=128
// case: use_ue8m0=true grid=rows*cols/size tolerance=1e-6 expect=fp8_group_quant_loop
struct fp8_group_quant_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto y_q_ptr, ptr auto y_s_ptr, int_ auto group_size,
                  int_ auto y_num_columns, int_ auto y_row_stride, float_ auto eps, float_ auto fp8_min,
                  float_ auto fp8_max, constexpr_ auto use_ue8m0, constexpr_ auto BLOCK) const {
    auto groups_per_row = y_num_columns / group_size;
    auto g_id = tl.program_id(0);
    auto row = (g_id / groups_per_row).to(tl.int64);
    auto row_g_id = (g_id % groups_per_row).to(tl.int64);
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < group_size;
    auto y = tl.load(y_ptr + row * y_row_stride + row_g_id * group_size + cols, {.mask = mask, .other = 0});
    auto wide = y.to(tl.float32);
    auto absmax = tl.maximum(tl.max(tl.abs(wide)), eps);
    auto scale_raw = absmax / fp8_max;
    auto y_s = tl.static_if(use_ue8m0, [&] { return tl.exp2(tl.ceil(tl.log2(scale_raw))); }, [&] { return scale_raw; });
    auto y_q = tl.clamp(wide / y_s, fp8_min, fp8_max).to(y_q_ptr.dtype);
    tl.store(y_q_ptr + g_id.to(tl.int64) * group_size + cols, y_q, {.mask = mask});
    tl.store(y_s_ptr + g_id, y_s);
  }
};

// fp8e4nv's numbers from 2^-6 up have three bits behind the leading one, those below steps of 2^-9.
double as_fp8(auto x) {
  int exponent = 0;
  frexp(x, &exponent);
  const double step = ldexp(1.0, exponent < -5 ? -9 : exponent - 4);
  return nearbyint(x / step) * step;
}

void fp8_group_quant_loop(auto& args) {
  auto y = args["y"], y_q = args["y_q"], y_s = args["y_s"];
  const int size = args("size");
  for (int i = 0; i < y.size(0); ++i)
    for (int g = 0; g < y_s.size(1); ++g) {
      double most = args("eps");
      for (int j = g * size; j < (g + 1) * size; ++j) most = fmax(most, fabs(y(i, j)));
      y_s(i, g) = exp2(ceil(log2(most / 448)));
      for (int j = g * size; j < (g + 1) * size; ++j) y_q(i, j) = as_fp8(y(i, j) / y_s(i, g));
    }
}

}  // namespace tl::ports
