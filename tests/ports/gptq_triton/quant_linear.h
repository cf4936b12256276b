// A product with GPTQ's weights, eight of four bits in an int32 along k, one scale and one zero a column.
// After src/gptq_triton/quant_linear.py of fpgaminer/GPTQ-triton at 3daf413123cd.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: m=13 n=64 k=128 a=f16[m,k] b=i32[k/8,n]:uniform(-2147483648,2147483647) c=out:f16[m,n]
// case: scales=f16[n]:uniform(0,0.05) zeros=i32[n/8]:uniform(-2147483648,2147483647) m_rows=m n_cols=n k_rows=k
// case: stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n stride_cn=1 BM=16 BN=32 BK=32 GROUP_M=2
// case: grid=cdiv(m,BM)*cdiv(n,BN) tolerance=8e-3 expect=quant_linear_loop
struct quant_linear_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto scales_ptr, ptr auto zeros_ptr,
                  int_ auto m_rows, int_ auto n_cols, int_ auto k_rows, int_ auto stride_am, int_ auto stride_ak,
                  int_ auto stride_bk, int_ auto stride_bn, int_ auto stride_cm, int_ auto stride_cn,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto GROUP_M) const {
    auto pid = tl.program_id(0);
    auto num_pid_m = tl.cdiv(m_rows, BM);
    auto num_pid_n = tl.cdiv(n_cols, BN);
    auto first_m = pid / (GROUP_M * num_pid_n) * GROUP_M;
    auto rows = tl.minimum(num_pid_m - first_m, GROUP_M);
    auto pid_m = first_m + pid % rows;
    auto pid_n = pid % (GROUP_M * num_pid_n) / rows;
    auto offs_m = pid_m * BM + tl.arange(0, BM);
    auto offs_n = pid_n * BN + tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + offs_m(_, None) * stride_am + offs_k(None, _) * stride_ak;
    // an int32 is read for each of its eight weights
    auto b_ptrs = b_ptr + (offs_k(_, None) / 8) * stride_bk + offs_n(None, _) * stride_bn;
    auto shifts = (offs_k % 8) * 4;
    auto scales = tl.load(scales_ptr + offs_n);
    auto zeros = (((tl.load(zeros_ptr + offs_n / 8) >> ((offs_n % 8) * 4)) & 0xF) + 1) * scales;
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for ([[maybe_unused]] auto k : tl.range(0, tl.cdiv(k_rows, BK))) {
      auto a = tl.load(a_ptrs, {.mask = offs_m(_, None) < m_rows, .other = 0});
      auto b = (tl.load(b_ptrs) >> shifts(_, None)) & 0xF;
      acc = tl.dot(a, b * scales(None, _) - zeros(None, _), acc);
      a_ptrs += BK * stride_ak;
      b_ptrs += (BK / 8_c) * stride_bk;
    }
    auto c_ptrs = c_ptr + offs_m(_, None) * stride_cm + offs_n(None, _) * stride_cn;
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = (offs_m < m_rows)(_, None) & (offs_n < n_cols)(None, _)});
  }
};

// Four bits of an int32.
int four_bits(auto word, int place) { return static_cast<unsigned>(static_cast<int>(word)) >> 4 * place & 15; }

void quant_linear_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], scales = args["scales"], zeros = args["zeros"];
  for (int i = 0; i < c.size(0); ++i)
    for (int j = 0; j < c.size(1); ++j) {
      const int zero = four_bits(zeros(j / 8), j % 8) + 1;
      c(i, j) = 0;
      for (int l = 0; l < a.size(1); ++l) c(i, j) += a(i, l) * (four_bits(b(l / 8, j), l % 8) - zero) * scales(j);
    }
}

}  // namespace tl::ports
