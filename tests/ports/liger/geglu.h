// GELU, in its form with tanh, of one half times the other half, and the backward pass in their place.
// After src/liger_kernel/ops/geglu.py of linkedin/Liger-Kernel at 15a5210a7bdb.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

constexpr double sqrt_2_over_pi = 0.7978845608028654;

// case geglu_forward_kernel: rows=7 cols=300 a=bf16[rows,cols]:normal b=bf16[rows,cols]:normal
// case geglu_forward_kernel: c=out:bf16[rows,cols] stride=cols N_COLS=cols BLOCK=512 grid=rows tolerance=1.6e-2
// case geglu_forward_kernel: expect=geglu_forward_loop
struct geglu_forward_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto stride, constexpr_ auto N_COLS,
                  constexpr_ auto BLOCK) const {
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < N_COLS;
    auto offs = tl.program_id(0).to(tl.int64) * stride + cols;
    auto a = tl.load(a_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto b = tl.load(b_ptr + offs, {.mask = mask, .other = 0});
    auto gelu = 0.5 * a * (1 + tl.tanh(sqrt_2_over_pi * (a + 0.044715 * a * a * a)));
    tl.store(c_ptr + offs, gelu.to(b.dtype) * b, {.mask = mask});
  }
};

void geglu_forward_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"];
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < a.size(1); ++j) {
      const double x = a(i, j);
      c(i, j) = 0.5 * x * (1 + tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x))) * b(i, j);
    }
}

// case geglu_backward_kernel: rows=7 cols=300 dc=f16[rows,cols]:normal a=inout:f16[rows,cols]:normal
// case geglu_backward_kernel: b=inout:f16[rows,cols]:normal stride=cols N_COLS=cols BLOCK=512 grid=rows
// case geglu_backward_kernel: tolerance=4e-3 expect=geglu_backward_loop
struct geglu_backward_kernel {
  void operator()(auto& tl, ptr auto dc_ptr, ptr auto a_ptr, ptr auto b_ptr, int_ auto stride, constexpr_ auto N_COLS,
                  constexpr_ auto BLOCK) const {
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < N_COLS;
    auto offs = tl.program_id(0).to(tl.int64) * stride + cols;
    auto dc = tl.load(dc_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto a = tl.load(a_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto b = tl.load(b_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto t = tl.tanh(sqrt_2_over_pi * (a + 0.044715 * a * a * a));
    auto slope = sqrt_2_over_pi * (1 + 3 * 0.044715 * a * a);
    auto da = dc * b * (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * slope);
    auto db = dc * (0.5 * a * (1 + t));
    tl.store(a_ptr + offs, da.to(a_ptr.dtype), {.mask = mask});
    tl.store(b_ptr + offs, db.to(b_ptr.dtype), {.mask = mask});
  }
};

void geglu_backward_loop(auto& args) {
  auto dc = args["dc"], a = args["a"], b = args["b"];
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < a.size(1); ++j) {
      const double x = a(i, j), y = b(i, j), t = tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x));
      const double dx = sqrt_2_over_pi * (1 + 3 * 0.044715 * x * x);
      a(i, j) = dc(i, j) * y * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * dx);
      b(i, j) = dc(i, j) * 0.5 * x * (1 + t);
    }
}

}  // namespace tl::ports
