// AWQ's weights, eight of four bits in an int32 in an order of their own, made floats; and a product with them, cut
// along k, whose pieces somebody else adds up.
// After vllm/model_executor/layers/quantization/awq_triton.py of vllm-project/vllm at 0531c2226a6a.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// Where the eight stand: shifts of 0, 16, 4, 20, 8, 24, 12, 28 bits, over a block of M x N.
auto awq_shifts(auto& tl, constexpr_ auto M, constexpr_ auto N) {
  auto order = tl.ravel((tl.arange(0, 2_c) * 4)(None, _) + tl.arange(0, 4_c)(_, None));
  return tl.reshape(tl.broadcast_to((order * 4)(None, _), tl.shape(M * (N / 8_c), 8_c)), tl.shape(M, N));
}

// Every int32 eight times, side by side.
auto eight_times(auto& tl, auto x) {
  auto two = tl.interleave(x, x);
  auto four = tl.interleave(two, two);
  return tl.interleave(four, four);
}

// case awq_dequantize_kernel: rows=64 cols=6 size=32 q=i32[rows,cols]:uniform(-2147483648,2147483647)
// case awq_dequantize_kernel: scales=f16[rows/size,8*cols] zeros=i32[rows/size,cols]:uniform(-2147483648,2147483647)
// case awq_dequantize_kernel: y=out:f16[rows,8*cols] group_size=size num_cols=cols num_rows=rows BX=4 BY=16
// case awq_dequantize_kernel: grid=(cdiv(cols,BX),cdiv(rows,BY)) expect=awq_dequantize_loop
struct awq_dequantize_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto scales_ptr, ptr auto zeros_ptr, int_ auto group_size,
                  ptr auto y_ptr, int_ auto num_cols, int_ auto num_rows, constexpr_ auto BX,
                  constexpr_ auto BY) const {
    auto rows = tl.program_id(1) * BY + tl.arange(0, BY);
    auto cols = tl.program_id(0) * BX + tl.arange(0, BX);
    auto y_cols = tl.program_id(0) * BX * 8 + tl.arange(0, BX * 8_c);
    auto mask = (rows < num_rows)(_, None) & (cols < num_cols)(None, _);
    auto y_mask = (rows < num_rows)(_, None) & (y_cols < num_cols * 8)(None, _);
    auto shifts = awq_shifts(tl, BY, BX * 8_c);
    auto q = tl.load(q_ptr + rows(_, None) * num_cols + cols(None, _), {.mask = mask, .other = 0});
    auto weights = (eight_times(tl, q) >> shifts) & 0xF;

    auto group = tl.program_id(1) * BY / group_size + tl.arange(0, 1_c);
    auto zeros = tl.load(zeros_ptr + group(_, None) * num_cols + cols(None, _),
                         {.mask = (cols < num_cols)(None, _), .other = 0});
    auto zero = (tl.broadcast_to(eight_times(tl, zeros), tl.shape(BY, BX * 8_c)) >> shifts) & 0xF;
    auto scales = tl.load(scales_ptr + group(_, None) * num_cols * 8 + y_cols(None, _),
                          {.mask = (y_cols < num_cols * 8)(None, _), .other = 0});
    tl.store(y_ptr + rows(_, None) * num_cols * 8 + y_cols(None, _), ((weights - zero) * scales).to(y_ptr.dtype),
             {.mask = y_mask});
  }
};

// The j-th of a row of weights.
int awq_at(auto q, int row, int j) {
  const int place[] = {0, 4, 1, 5, 2, 6, 3, 7};
  return static_cast<unsigned>(static_cast<int>(q(row, j / 8))) >> 4 * place[j % 8] & 15;
}

void awq_dequantize_loop(auto& args) {
  auto q = args["q"], scales = args["scales"], zeros = args["zeros"], y = args["y"];
  const int size = args("size");
  for (int i = 0; i < y.size(0); ++i)
    for (int j = 0; j < y.size(1); ++j) y(i, j) = (awq_at(q, i, j) - awq_at(zeros, i / size, j)) * scales(i / size, j);
}

// case awq_gemm_kernel: m=9 n=64 k=128 size=32 splits=2 a=f16[m,k] b=i32[k,n/8]:uniform(-2147483648,2147483647)
// case awq_gemm_kernel: zeros=i32[k/size,n/8]:uniform(-2147483648,2147483647) scales=f16[k/size,n]:uniform(-0.1,0.1)
// case awq_gemm_kernel: c=out:f16[splits,m,n] m_rows=m n_cols=n k_rows=k group_size=size BM=16 BN=32 BK=32
// case awq_gemm_kernel: SPLIT_K=splits grid=(cdiv(m,BM)*cdiv(n,BN),splits) tolerance=5e-3 expect=awq_gemm_loop
struct awq_gemm_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto zeros_ptr, ptr auto scales_ptr,
                  int_ auto m_rows, int_ auto n_cols, int_ auto k_rows, int_ auto group_size, constexpr_ auto BM,
                  constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto SPLIT_K) const {
    auto num_pid_n = tl.cdiv(n_cols, BN);
    auto pid_m = tl.program_id(0) / num_pid_n;
    auto pid_n = tl.program_id(0) % num_pid_n;
    auto pid_z = tl.program_id(1);
    auto shifts = awq_shifts(tl, BK, BN);
    auto offs_m = pid_m * BM + tl.arange(0, BM);
    auto offs_n = pid_n * BN + tl.arange(0, BN);
    auto packed_n = pid_n * (BN / 8_c) + tl.arange(0, BN / 8_c);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto step : tl.range(0, tl.cdiv(k_rows, BK * SPLIT_K))) {
      auto first_k = step * (BK * SPLIT_K) + pid_z * BK;
      auto offs_k = first_k + tl.arange(0, BK);
      auto k_mask = offs_k < k_rows;
      auto a = tl.load(a_ptr + offs_m(_, None) * k_rows + offs_k(None, _),
                       {.mask = (offs_m < m_rows)(_, None) & k_mask(None, _), .other = 0});
      auto b = tl.load(b_ptr + offs_k(_, None) * (n_cols / 8) + packed_n(None, _),
                       {.mask = k_mask(_, None) & (packed_n < n_cols / 8)(None, _), .other = 0});
      auto group = first_k / group_size + tl.arange(0, 1_c);
      auto group_mask = group < k_rows / group_size;
      auto zeros = tl.load(zeros_ptr + group(_, None) * (n_cols / 8) + packed_n(None, _),
                           {.mask = group_mask(_, None) & (packed_n < n_cols / 8)(None, _), .other = 0});
      auto scales = tl.load(scales_ptr + group(_, None) * n_cols + offs_n(None, _),
                            {.mask = group_mask(_, None) & (offs_n < n_cols)(None, _), .other = 0});
      auto zero = (tl.broadcast_to(eight_times(tl, zeros), tl.shape(BK, BN)) >> shifts) & 0xF;
      auto weights = (((eight_times(tl, b) >> shifts) & 0xF) - zero) * scales;
      acc = tl.dot(a, weights.to(a.dtype), acc);
    }
    auto c_ptrs = c_ptr + pid_z * n_cols * m_rows + offs_m(_, None) * n_cols + offs_n(None, _);
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = (offs_m < m_rows)(_, None) & (offs_n < n_cols)(None, _)});
  }
};

void awq_gemm_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], zeros = args["zeros"], scales = args["scales"];
  const int size = args("size"), block = args("BK"), splits = c.size(0);
  for (int i = 0; i < a.size(0); ++i)
    for (int j = 0; j < c.size(2); ++j) {
      for (int s = 0; s < splits; ++s) c(s, i, j) = 0;
      for (int l = 0; l < a.size(1); ++l)
        c(l / block % splits, i, j) += a(i, l) * (awq_at(b, l, j) - awq_at(zeros, l / size, j)) * scales(l / size, j);
    }
}

}  // namespace tl::ports
