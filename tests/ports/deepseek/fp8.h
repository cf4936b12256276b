// Activations quantized to fp8 by blocks, with scales that are powers of two; products of fp8 with a scale a block.
// After inference/kernel.py of deepseek-ai/DeepSeek-V3 at 9b4e978.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case act_quant_kernel: n=512 x=bf16[n]:normal y=out:f8e4nv[n] s=out:f32[n/BLOCK] BLOCK=128 SCALE=ue8m0 grid=n/BLOCK
// case act_quant_kernel: expect=act_quant_loop
struct act_quant_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto s_ptr, constexpr_ auto BLOCK,
                  constexpr_ auto SCALE) const {
    auto pid = tl.program_id(0);
    auto offs = pid * BLOCK + tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs).to(tl.float32);
    auto amax = tl.maximum(tl.max(tl.abs(x)), 1e-4);
    auto s = amax / 448.;
    if (SCALE == "ue8m0") s = tl.exp2(tl.ceil(tl.log2(s)));
    tl.store(y_ptr + offs, (x / s).to(y_ptr.dtype));
    tl.store(s_ptr + pid, s);
  }
};

// What fp8e4nv holds that is nearest.
double nearest_fp8(double x) {
  int power;
  frexp(x, &power);
  const double unit = ldexp(1.0, power - 4 > -9 ? power - 4 : -9), y = nearbyint(x / unit) * unit;
  return y > 448 ? 448 : y < -448 ? -448 : y;
}

void act_quant_loop(auto& args) {
  auto x = args["x"], y = args["y"], s = args["s"];
  const int block = args("BLOCK");
  for (int i = 0; i < s.size(0); ++i) {
    double most = 1e-4;
    for (int j = 0; j < block; ++j) most = fmax(most, fabs(x(i * block + j)));
    s(i) = exp2(ceil(log2(most / 448)));
    for (int j = 0; j < block; ++j) y(i * block + j) = nearest_fp8(x(i * block + j) / s(i));
  }
}

// case fp8_gemm_kernel: m=20 n=64 k=128 a=f8e4nv[m,k]:normal b=f8e4nv[n,k]:normal c=out:bf16[m,n]
// case fp8_gemm_kernel: a_s=f32[m,cdiv(k,BK)]:uniform(0,1) b_s=f32[cdiv(n,BK),cdiv(k,BK)]:uniform(0,1)
// case fp8_gemm_kernel: M=m N=n K=k BM=16 BN=32 BK=64 grid=(cdiv(m,BM),cdiv(n,BN)) tolerance=2e-2
// case fp8_gemm_kernel: expect=fp8_gemm_loop
struct fp8_gemm_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto a_s_ptr, ptr auto b_s_ptr,
                  int_ auto M, constexpr_ auto N, constexpr_ auto K, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto BK) const {
    auto pid_m = tl.program_id(0);
    auto pid_n = tl.program_id(1);
    auto k = tl.cdiv(K, BK);
    auto offs_m = (pid_m * BM + tl.arange(0, BM)) % M;
    auto offs_n = (pid_n * BN + tl.arange(0, BN)) % N;
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + offs_m(_, None) * K + offs_k(None, _);
    auto b_ptrs = b_ptr + offs_n(None, _) * K + offs_k(_, None);
    auto a_s_ptrs = a_s_ptr + offs_m * k;
    auto b_s_ptrs = b_s_ptr + offs_n / BK * k;
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto i : tl.range(k)) {
      auto a = tl.load(a_ptrs, {.mask = offs_k(None, _) < K - i * BK, .other = 0.0});
      auto b = tl.load(b_ptrs, {.mask = offs_k(_, None) < K - i * BK, .other = 0.0});
      auto a_s = tl.load(a_s_ptrs);
      auto b_s = tl.load(b_s_ptrs);
      acc += tl.dot(a, b) * a_s(_, None) * b_s(None, _);
      a_ptrs += BK;
      b_ptrs += BK;
      a_s_ptrs += 1;
      b_s_ptrs += 1;
    }
    auto to_m = pid_m * BM + tl.arange(0, BM);
    auto to_n = pid_n * BN + tl.arange(0, BN);
    tl.store(c_ptr + to_m(_, None) * N + to_n(None, _), acc.to(c_ptr.dtype),
             {.mask = (to_m < M)(_, None) & (to_n < N)(None, _)});
  }
};

void fp8_gemm_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], a_s = args["a_s"], b_s = args["b_s"];
  const int block = args("BK");
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < b.size(0); ++j) {
      c(i, j) = 0;
      for (int l = 0; l < a.size(1); ++l) c(i, j) += a(i, l) * b(j, l) * a_s(i, l / block) * b_s(j / block, l / block);
    }
}

}  // namespace tl::ports
