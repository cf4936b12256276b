// Weights and activations in fp8 with a scale a block: made floats again, made fp8, and multiplied, the scales beside
// the sums of each block of k.
// After unsloth/kernels/fp8.py of unslothai/unsloth at 0050c73e05ca.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case weight_dequant_kernel: m=70 n=50 x=f8e4nv[m,n]:uniform(-400,400) s=f32[cdiv(m,32),cdiv(n,32)]:uniform(0,0.1)
// case weight_dequant_kernel: y=out:bf16[m,n] m_rows=m n_cols=n BLOCK=32 grid=(cdiv(m,BLOCK),cdiv(n,BLOCK))
// case weight_dequant_kernel: expect=weight_dequant_loop
struct weight_dequant_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto s_ptr, ptr auto y_ptr, int_ auto m_rows, int_ auto n_cols,
                  constexpr_ auto BLOCK) const {
    auto m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK);
    auto offs = m(_, None) * n_cols + n(None, _);
    auto mask = (m < m_rows)(_, None) & (n < n_cols)(None, _);
    auto x = tl.load(x_ptr + offs, {.mask = mask}).to(tl.float32);
    auto s = tl.load(s_ptr + tl.program_id(0) * tl.cdiv(n_cols, BLOCK) + tl.program_id(1));
    tl.store(y_ptr + offs, (x * s).to(y_ptr.dtype), {.mask = mask});
  }
};

void weight_dequant_loop(auto& args) {
  auto x = args["x"], s = args["s"], y = args["y"];
  for (int i = 0; i < x.size(0); ++i)
    for (int j = 0; j < x.size(1); ++j) y(i, j) = x(i, j) * s(i / 32, j / 32);
}

// case act_quant_kernel: rows=9 x=bf16[rows,64]:normal y=out:f8e4nv[rows,64] s=out:f32[rows] BLOCK=64 grid=rows
// case act_quant_kernel: expect=act_quant_loop
struct act_quant_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto s_ptr, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs).to(tl.float32);
    auto s = tl.max(tl.abs(x)) / 448.0;
    s = tl.where(s == 0, 1.0, s);
    tl.store(y_ptr + offs, (x / s).to(y_ptr.dtype));
    tl.store(s_ptr + tl.program_id(0), s);
  }
};

void act_quant_loop(auto& args) {
  auto x = args["x"], y = args["y"], s = args["s"];
  for (int i = 0; i < x.size(0); ++i) {
    double most = 0;
    for (int j = 0; j < x.size(1); ++j) most = fmax(most, fabs(x(i, j)));
    s(i) = most / 448;
    for (int j = 0; j < x.size(1); ++j) y(i, j) = x(i, j) / s(i);
  }
}

// case block_fp8_matmul_kernel: m=40 n=96 k=128 a=f8e4nv[m,k] b=f8e4nv[n,k] c=out:bf16[m,n]
// case block_fp8_matmul_kernel: a_s=f32[m,k/64]:uniform(0.5,1.5) b_s=f32[cdiv(n,64),k/64]:uniform(0.5,1.5)
// case block_fp8_matmul_kernel: m_rows=m n_cols=n k_rows=k group_n=64 group_k=64 stride_am=k stride_bn=k stride_cm=n
// case block_fp8_matmul_kernel: stride_as=k/64 stride_bs=k/64 BM=32 BN=32 BK=64 GROUP_M=2
// case block_fp8_matmul_kernel: grid=cdiv(m,BM)*cdiv(n,BN) tolerance=2e-2 expect=block_fp8_matmul_loop
struct block_fp8_matmul_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto a_s_ptr, ptr auto b_s_ptr,
                  int_ auto m_rows, int_ auto n_cols, int_ auto k_rows, int_ auto group_n, int_ auto group_k,
                  int_ auto stride_am, int_ auto stride_bn, int_ auto stride_cm, int_ auto stride_as,
                  int_ auto stride_bs, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK,
                  constexpr_ auto GROUP_M) const {
    auto pid = tl.program_id(0);
    auto num_pid_m = tl.cdiv(m_rows, BM);
    auto num_pid_n = tl.cdiv(n_cols, BN);
    auto first_m = pid / (GROUP_M * num_pid_n) * GROUP_M;
    auto rows = tl.minimum(num_pid_m - first_m, GROUP_M);
    auto pid_m = first_m + pid % (GROUP_M * num_pid_n) % rows;
    auto pid_n = pid % (GROUP_M * num_pid_n) / rows;
    auto m = (pid_m * BM + tl.arange(0, BM)) % m_rows;
    auto n = (pid_n * BN + tl.arange(0, BN)) % n_cols;
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + m(_, None) * stride_am + offs_k(None, _);
    auto b_ptrs = b_ptr + offs_k(_, None) + n(None, _) * stride_bn;
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k : tl.range(0, k_rows, BK)) {
      auto a = tl.load(a_ptrs, {.mask = offs_k(None, _) < k_rows - k, .other = 0});
      auto b = tl.load(b_ptrs, {.mask = offs_k(_, None) < k_rows - k, .other = 0});
      auto a_s = tl.load(a_s_ptr + m * stride_as + k / group_k);
      auto b_s = tl.load(b_s_ptr + n / group_n * stride_bs + k / group_k);
      acc += tl.dot(a, b) * a_s(_, None) * b_s(None, _);
      a_ptrs += BK;
      b_ptrs += BK;
    }
    auto row = pid_m * BM + tl.arange(0, BM);
    auto col = pid_n * BN + tl.arange(0, BN);
    tl.store(c_ptr + row(_, None) * stride_cm + col(None, _), acc.to(c_ptr.dtype),
             {.mask = (row < m_rows)(_, None) & (col < n_cols)(None, _)});
  }
};

void block_fp8_matmul_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], a_s = args["a_s"], b_s = args["b_s"];
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < c.size(1); ++j) {
      c(i, j) = 0;
      for (int l = 0; l < a.size(1); ++l) c(i, j) += a(i, l) * a_s(i, l / 64) * b(j, l) * b_s(j / 64, l / 64);
    }
}

}  // namespace tl::ports
