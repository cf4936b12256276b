// Running sums along sequences of several lengths, chunk by chunk, from either end, and scaled.
// After chunk_global_cumsum_vector_kernel in fla/ops/utils/cumsum.py of fla-org/flash-linear-attention at 033b00352a80.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: n=3 t=70 h=2 s=20 x=bf16[t,h,s] o=out:f32[t,h,s] scale=0.5 cu_seqlens=i64[n+1]:values(0,33,34,70) T=t H=h S=s
// case: BT=16 BS=16 REVERSE=true HAS_SCALE=true grid=(cdiv(s,BS),n*h) tolerance=1e-4 expect=global_cumsum_loop
struct global_cumsum_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto o_ptr, float_ auto scale, ptr auto cu_seqlens_ptr, int_ auto T,
                  constexpr_ auto H, constexpr_ auto S, constexpr_ auto BT, constexpr_ auto BS, constexpr_ auto REVERSE,
                  constexpr_ auto HAS_SCALE) const {
    auto i_n = tl.program_id(1).to(tl.int64) / H;
    auto i_h = tl.program_id(1).to(tl.int64) % H;
    auto begin = i_n * T;
    auto end = i_n * T + T;
    if (!tl.is_none(cu_seqlens_ptr)) {
      begin = tl.load(cu_seqlens_ptr + i_n).to(tl.int64);
      end = tl.load(cu_seqlens_ptr + i_n + 1).to(tl.int64);
    }
    auto length = end - begin;
    auto chunks = tl.cdiv(length, BT);
    auto before = tl.zeros(tl.shape(BS), tl.float32);
    auto s = tl.program_id(0) * BS + tl.arange(0, BS);
    for (auto i : tl.range(0, chunks)) {
      auto chunk = tl.static_if(REVERSE, [&] { return chunks - 1 - i; }, [&] { return i; });
      auto t = chunk * BT + tl.arange(0, BT);
      auto mask = (t < length)(_, None) & (s < S)(None, _);
      auto offs = (begin * H + i_h) * S + t(_, None) * (H * S) + s(None, _);
      auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
      auto sums =
          before(None, _) +
          tl.static_if(REVERSE, [&] { return tl.cumsum(x, 0, {.reverse = true}); }, [&] { return tl.cumsum(x, 0); });
      if (HAS_SCALE) sums *= scale;
      tl.store(o_ptr + offs, sums.to(o_ptr.dtype), {.mask = mask});
      before += tl.sum(x, 0);
    }
  }
};

void global_cumsum_loop(auto& args) {
  auto x = args["x"], o = args["o"], cu = args["cu_seqlens"];
  for (int n = 0; n + 1 < cu.size(0); ++n)
    for (int h = 0; h < x.size(1); ++h)
      for (int s = 0; s < x.size(2); ++s) {
        double sum = 0;
        for (int t = cu(n + 1) - 1; t >= cu(n); --t) o(t, h, s) = (sum += x(t, h, s)) * args("scale");
      }
}

}  // namespace tl::ports
