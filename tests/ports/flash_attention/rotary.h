// Rotary position embedding of some heads and tokens a program, pairs side by side or in two halves; of sequences of
// one length or, packed, of several.
// After rotary_kernel in flash_attn/ops/triton/rotary.py of Dao-AILab/flash-attention at 0251105a2fb1.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: batch=2 seq=21 heads=3 dim=32 half=12 x=f16[batch,seq,heads,dim] out=inout:f16[batch,seq,heads,dim]:zeros
// case: cos=f16[seq+2,half] sin=f16[seq+2,half] cu_seqlens=None seqlen_offsets=i32[batch]:values(3,1) n_seq=seq
// case: n_heads=heads n_cos=seq+2 stride_b=seq*heads*dim stride_s=heads*dim stride_h=dim HALF=half BLOCK_HALF=16
// case: INTERLEAVED=true CONJUGATE=true BLOCK_H=2 BLOCK_M=8 grid=(cdiv(heads,2),cdiv(seq,8),batch)
// case: tolerance=2e-3 expect=rotary_loop
struct rotary_kernel {
  void operator()(auto& tl, ptr auto out_ptr, ptr auto x_ptr, ptr auto cos_ptr, ptr auto sin_ptr, ptr auto cu_seqlens,
                  ptr auto seqlen_offsets, int_ auto n_seq, int_ auto n_heads, int_ auto n_cos, int_ auto stride_b,
                  int_ auto stride_s, int_ auto stride_h, constexpr_ auto HALF, constexpr_ auto BLOCK_HALF,
                  constexpr_ auto INTERLEAVED, constexpr_ auto CONJUGATE, constexpr_ auto BLOCK_H,
                  constexpr_ auto BLOCK_M) const {
    auto batch = tl.program_id(2);
    auto first = batch * stride_b;
    auto length = n_seq;
    if (!tl.is_none(cu_seqlens)) {
      auto begin = tl.load(cu_seqlens + batch).to(tl.int32);
      length = tl.load(cu_seqlens + batch + 1).to(tl.int32) - begin;
      first = begin * stride_s;
    }
    if (tl.program_id(1) * BLOCK_M >= length) return;

    auto h = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H);
    auto m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M);
    auto k = tl.arange(0, BLOCK_HALF);
    auto place = m + tl.load(seqlen_offsets + batch);
    auto cs = place(_, None) * HALF + k(None, _);
    auto cs_mask = (place < n_cos)(_, None) & (k < HALF)(None, _);
    auto cos = tl.load(cos_ptr + cs, {.mask = cs_mask, .other = 1}).to(tl.float32);
    auto sin = tl.load(sin_ptr + cs, {.mask = cs_mask, .other = 0}).to(tl.float32);
    if (CONJUGATE) sin = -sin;

    auto rows = first + h(_, None, None) * stride_h + m(None, _, None) * stride_s;
    auto is_row = (h < n_heads)(_, None, None) & (m < length)(None, _, None);
    if (INTERLEAVED) {
      auto kk = tl.arange(0, BLOCK_HALF * 2_c);
      auto mask = is_row & (kk < HALF * 2_c)(None, None, _);
      auto x = tl.load(x_ptr + rows + kk(None, None, _), {.mask = mask, .other = 0}).to(tl.float32);
      auto [x0, x1] = tl.split(tl.reshape(x, tl.shape(BLOCK_H, BLOCK_M, BLOCK_HALF, 2_c)));
      auto o = tl.join(x0 * cos - x1 * sin, x0 * sin + x1 * cos);
      tl.store(out_ptr + rows + kk(None, None, _), tl.reshape(o, x.shape), {.mask = mask});
    } else {
      auto mask = is_row & (k < HALF)(None, None, _);
      auto offs = rows + k(None, None, _);
      auto x0 = tl.load(x_ptr + offs, {.mask = mask, .other = 0}).to(tl.float32);
      auto x1 = tl.load(x_ptr + offs + HALF, {.mask = mask, .other = 0}).to(tl.float32);
      tl.store(out_ptr + offs, x0 * cos - x1 * sin, {.mask = mask});
      tl.store(out_ptr + offs + HALF, x0 * sin + x1 * cos, {.mask = mask});
    }
  }
};

void rotary_loop(auto& args) {
  auto x = args["x"], out = args["out"], cos = args["cos"], sin = args["sin"], offsets = args["seqlen_offsets"];
  for (int b = 0; b < x.size(0); ++b)
    for (int m = 0; m < x.size(1); ++m)
      for (int h = 0; h < x.size(2); ++h)
        for (int k = 0; k < cos.size(1); ++k) {
          const int place = m + int(offsets(b));
          const double c = place < cos.size(0) ? cos(place, k) : 1, s = place < cos.size(0) ? -sin(place, k) : 0;
          const double x0 = x(b, m, h, 2 * k), x1 = x(b, m, h, 2 * k + 1);
          out(b, m, h, 2 * k) = x0 * c - x1 * s;
          out(b, m, h, 2 * k + 1) = x0 * s + x1 * c;
        }
}

}  // namespace tl::ports
