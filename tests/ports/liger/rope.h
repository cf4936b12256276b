// Rotary position embedding of queries and keys, in place; BACKWARD turns the other way.
// After src/liger_kernel/ops/rope.py of linkedin/Liger-Kernel at 00fb8bf2b576.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// Halves of all heads of one token turn together.
void turn_heads(auto& tl, ptr auto x_ptr, auto cos, auto sin, constexpr_ auto HEADS, constexpr_ auto HEAD_DIM,
                constexpr_ auto PAD_HEADS, constexpr_ auto PAD_DIM) {
  auto heads = tl.arange(0, PAD_HEADS)(_, None);
  auto dims = tl.arange(0, PAD_DIM / 2_c)(None, _);
  auto left = x_ptr + heads * HEAD_DIM + dims;
  auto mask = (heads < HEADS) & (dims < HEAD_DIM / 2_c);
  auto a = tl.load(left, {.mask = mask, .other = 0}).to(tl.float32);
  auto b = tl.load(left + HEAD_DIM / 2_c, {.mask = mask, .other = 0}).to(tl.float32);
  tl.store(left, (a * cos - b * sin).to(x_ptr.dtype), {.mask = mask});
  tl.store(left + HEAD_DIM / 2_c, (b * cos + a * sin).to(x_ptr.dtype), {.mask = mask});
}

// case: batch=2 seq=9 qh=6 kh=2 dim=40 q=inout:f16[batch,seq,qh,dim] k=inout:f16[batch,seq,kh,dim]
// case: cos=f32[seq,dim] sin=f32[seq,dim] q_stride=qh*dim k_stride=kh*dim cos_stride=dim sin_stride=dim sl=seq
// case: COS_BATCH=1 QH=qh KH=kh HEAD_DIM=dim PAD_QH=8 PAD_KH=2 PAD_DIM=64 BACKWARD=true grid=batch*seq
// case: tolerance=1e-3 expect=rope_loop
struct rope_kernel {
  void operator()(auto& tl, ptr auto q_ptr, int_ auto q_stride, ptr auto k_ptr, int_ auto k_stride, ptr auto cos_ptr,
                  int_ auto cos_stride, ptr auto sin_ptr, int_ auto sin_stride, int_ auto sl, constexpr_ auto COS_BATCH,
                  constexpr_ auto QH, constexpr_ auto KH, constexpr_ auto HEAD_DIM, constexpr_ auto PAD_QH,
                  constexpr_ auto PAD_KH, constexpr_ auto PAD_DIM, constexpr_ auto BACKWARD) const {
    auto pid = tl.program_id(0).to(tl.int64);
    auto position = tl.static_if(COS_BATCH == 1_c, [&] { return pid % sl; }, [&] { return pid; });
    auto dims = tl.arange(0, PAD_DIM / 2_c);
    auto mask = dims < HEAD_DIM / 2_c;
    auto cos = tl.load(cos_ptr + position * cos_stride + dims, {.mask = mask, .other = 0})(None, _);
    auto sin = tl.load(sin_ptr + position * sin_stride + dims, {.mask = mask, .other = 0})(None, _);
    if (BACKWARD) sin = -sin;
    turn_heads(tl, q_ptr + pid * q_stride, cos, sin, QH, HEAD_DIM, PAD_QH, PAD_DIM);
    turn_heads(tl, k_ptr + pid * k_stride, cos, sin, KH, HEAD_DIM, PAD_KH, PAD_DIM);
  }
};

void rope_loop(auto& args) {
  auto cos = args["cos"], sin = args["sin"];
  const int half = cos.size(1) / 2;
  for (auto x : {args["q"], args["k"]})
    for (int b = 0; b < x.size(0); ++b)
      for (int s = 0; s < x.size(1); ++s)
        for (int h = 0; h < x.size(2); ++h)
          for (int d = 0; d < half; ++d) {
            const double left = x(b, s, h, d), right = x(b, s, h, d + half);
            x(b, s, h, d) = left * cos(s, d) + right * sin(s, d);
            x(b, s, h, d + half) = right * cos(s, d) - left * sin(s, d);
          }
}

}  // namespace tl::ports
