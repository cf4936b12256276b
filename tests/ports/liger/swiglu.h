// SiLU of one half times the other half, and the backward pass in their place.
// After src/liger_kernel/ops/swiglu.py of linkedin/Liger-Kernel at 06e2af7dab3b.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto silu(auto& tl, auto x) { return x * tl.sigmoid(x); }

// case swiglu_forward_kernel: rows=9 cols=333 a=f16[rows,cols]:normal b=f16[rows,cols]:normal c=out:f16[rows,cols]
// case swiglu_forward_kernel: stride=cols N_COLS=cols BLOCK=512 grid=rows tolerance=2e-3 expect=swiglu_forward_loop
struct swiglu_forward_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto stride, constexpr_ auto N_COLS,
                  constexpr_ auto BLOCK) const {
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < N_COLS;
    auto offs = tl.program_id(0).to(tl.int64) * stride + cols;
    auto a = tl.load(a_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto b = tl.load(b_ptr + offs, {.mask = mask, .other = 0});
    tl.store(c_ptr + offs, (silu(tl, a) * b).to(c_ptr.dtype), {.mask = mask});
  }
};

void swiglu_forward_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"];
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < a.size(1); ++j) c(i, j) = a(i, j) / (1 + exp(-a(i, j))) * b(i, j);
}

// case swiglu_backward_kernel: rows=9 cols=333 dc=bf16[rows,cols] a=inout:bf16[rows,cols] b=inout:bf16[rows,cols]
// case swiglu_backward_kernel: stride=cols N_COLS=cols BLOCK=512 grid=rows tolerance=8e-3 expect=swiglu_backward_loop
struct swiglu_backward_kernel {
  void operator()(auto& tl, ptr auto dc_ptr, ptr auto a_ptr, ptr auto b_ptr, int_ auto stride, constexpr_ auto N_COLS,
                  constexpr_ auto BLOCK) const {
    auto cols = tl.arange(0, BLOCK);
    auto mask = cols < N_COLS;
    auto offs = tl.program_id(0).to(tl.int64) * stride + cols;
    auto dc = tl.load(dc_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto a = tl.load(a_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto b = tl.load(b_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
    auto sigmoid = tl.sigmoid(a);
    auto silu_a = a * sigmoid;
    tl.store(a_ptr + offs, (dc * (silu_a * (1 - sigmoid) + sigmoid) * b).to(a_ptr.dtype), {.mask = mask});
    tl.store(b_ptr + offs, (dc * silu_a).to(b_ptr.dtype), {.mask = mask});
  }
};

void swiglu_backward_loop(auto& args) {
  auto dc = args["dc"], a = args["a"], b = args["b"];
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < a.size(1); ++j) {
      const double x = a(i, j), s = 1 / (1 + exp(-x));
      a(i, j) = dc(i, j) * s * (1 + x * (1 - s)) * b(i, j);
      b(i, j) = dc(i, j) * x * s;
    }
}

}  // namespace tl::ports
