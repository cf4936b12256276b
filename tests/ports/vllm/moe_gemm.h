// Each token times the weights of its experts: blocks of sorted tokens gather rows, and scatter rows of the product.
// After fused_moe_kernel in vllm/model_executor/layers/fused_moe/fused_moe.py of vllm-project/vllm at 000d1458098e.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: tokens=11 top_k=2 experts=4 n=48 k=40 a=f16[tokens,k] b=f16[experts,n,k] c=out:f16[tokens*top_k,n]
// case: weights=f32[tokens*top_k]:uniform(0,1) experts_of=i32[6]:values(0,1,1,2,3,3)
// case: sorted=i32[24]:values(2,8,14,20,0,4,5,9,13,15,18,19,3,7,12,16,1,6,10,11,17,21,22,22) padded=i32[1]:full(24)
// case: n_cols=n k_rows=k num_valid=tokens*top_k stride_am=k stride_be=n*k stride_bn=k stride_cm=n
// case: BM=4 BN=16 BK=16 GROUP_M=2 TOP_K=top_k WEIGHS=true grid=6*cdiv(n,BN) tolerance=2e-3 expect=moe_gemm_loop
struct moe_gemm_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, ptr auto weights_ptr, ptr auto sorted_ptr,
                  ptr auto experts_of_ptr, ptr auto padded_ptr, int_ auto n_cols, int_ auto k_rows, int_ auto num_valid,
                  int_ auto stride_am, int_ auto stride_be, int_ auto stride_bn, int_ auto stride_cm,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto GROUP_M,
                  constexpr_ auto TOP_K, constexpr_ auto WEIGHS) const {
    auto pid = tl.program_id(0);
    auto num_padded = tl.load(padded_ptr);
    auto num_pid_m = tl.cdiv(num_padded, BM);
    auto num_pid_n = tl.cdiv(n_cols, BN);
    auto in_group = GROUP_M * num_pid_n;
    auto first_m = pid / in_group * GROUP_M;
    auto rows = tl.minimum(num_pid_m - first_m, GROUP_M);
    auto pid_m = first_m + pid % in_group % rows;
    auto pid_n = pid % in_group / rows;
    if (pid_m * BM >= num_padded) return;

    auto token = tl.load(sorted_ptr + pid_m * BM + tl.arange(0, BM));
    auto is_token = token < num_valid;
    auto cols = pid_n * BN + tl.arange(0, BN);
    auto offs_k = tl.arange(0, BK);
    auto a_ptrs = a_ptr + (token / TOP_K)(_, None) * stride_am + offs_k(None, _);
    auto expert = tl.load(experts_of_ptr + pid_m).to(tl.int64);
    auto b_ptrs = b_ptr + expert * stride_be + (offs_k(_, None) + (cols % n_cols)(None, _) * stride_bn);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k : tl.range(0, tl.cdiv(k_rows, BK))) {
      auto left = k_rows - k * BK;
      auto a = tl.load(a_ptrs, {.mask = is_token(_, None) & (offs_k(None, _) < left), .other = 0});
      auto b = tl.load(b_ptrs, {.mask = offs_k(_, None) < left, .other = 0});
      acc = tl.dot(a, b, acc);
      a_ptrs += BK;
      b_ptrs += BK;
    }
    if (WEIGHS) acc = acc * tl.load(weights_ptr + token, {.mask = is_token, .other = 0})(_, None);
    auto c_ptrs = c_ptr + token(_, None) * stride_cm + cols(None, _);
    tl.store(c_ptrs, acc.to(c_ptr.dtype), {.mask = is_token(_, None) & (cols < n_cols)(None, _)});
  }
};

void moe_gemm_loop(auto& args) {
  auto a = args["a"], b = args["b"], c = args["c"], sorted = args["sorted"];
  const int rows = c.size(0), block = args("BM"), top_k = args("TOP_K");
  for (int place = 0; place < sorted.size(0); ++place) {
    const int token = sorted(place), expert = args["experts_of"](place / block);
    if (token >= rows) continue;
    for (int j = 0; j < c.size(1); ++j) {
      double sum = 0;
      for (int l = 0; l < a.size(1); ++l) sum += a(token / top_k, l) * b(expert, j, l);
      c(token, j) = sum * args["weights"](token);
    }
  }
}

}  // namespace tl::ports
