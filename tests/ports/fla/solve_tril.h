// The inverse of I + A for 16 x 16 blocks on the diagonal of a strictly lower triangular A, row by row.
// After solve_tril_16x16_kernel in fla/ops/utils/solve_tril.py of fla-org/flash-linear-attention at bc3b101dcb71.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: seq=43 heads=2 chunk=32 A=f32[seq,heads,chunk]:uniform(-0.3,0.3) Ai=out:f32[seq,heads,16] cu_seqlens=None
// case: chunk_indices=None n_seq=seq H=heads BT=chunk DESCRIPTORS=false grid=(cdiv(seq,16),heads)
// case: tolerance=1e-4 expect=solve_tril_loop
struct solve_tril_kernel {
  void operator()(auto& tl, ptr auto A, ptr auto Ai, ptr auto cu_seqlens, ptr auto chunk_indices, int_ auto n_seq,
                  constexpr_ auto H, constexpr_ auto BT, constexpr_ auto DESCRIPTORS) const {
    auto i_t = tl.program_id(0).to(tl.int64);
    auto i_h = tl.program_id(1).to(tl.int64) % H;
    auto bos = tl.program_id(1).to(tl.int64) / H * n_seq;
    auto length = n_seq.to(tl.int64);
    if (!tl.is_none(cu_seqlens)) {
      auto i_n = tl.load(chunk_indices + i_t * 2).to(tl.int32);
      i_t = tl.load(chunk_indices + i_t * 2 + 1).to(tl.int64);
      bos = tl.load(cu_seqlens + i_n).to(tl.int64);
      length = tl.load(cu_seqlens + i_n + 1).to(tl.int64) - bos;
    }
    auto o_i = tl.arange(0, 16_c);
    auto a = A + (bos * H + i_h) * BT;
    auto first = (i_t * 16) % BT;
    auto o_t = i_t * 16 + o_i;
    auto m_t = (o_t < length)(_, None);

    auto inverse = tl.static_if(
        DESCRIPTORS,
        [&](auto& tl) {
          auto desc = tl.make_tensor_descriptor(a, tl.tuple(length, BT), tl.tuple(H * BT, 1_c), tl.shape(16_c, 16_c));
          return desc.load({i_t * 16, first}).to(tl.float32);
        },
        [&](auto& tl) {
          auto offs = o_t(_, None) * (H * BT) + (o_i + first)(None, _);
          return tl.load(a + offs, {.mask = m_t, .other = 0}).to(tl.float32);
        });
    inverse = -tl.where(o_i(_, None) > o_i(None, _), inverse, 0);
    for (auto i : tl.range(2, tl.minimum(16, length - i_t * 16))) {
      auto row = -tl.load(a + (i_t * 16 + i) * (H * BT) + o_i + first);
      row = tl.where(o_i < i, row, 0);
      row += tl.sum(row(_, None) * inverse, 0);
      inverse = tl.where((o_i == i)(_, None), row, inverse);
    }
    inverse += o_i(_, None) == o_i(None, _);
    auto out = Ai + (bos * H + i_h) * 16 + o_t(_, None) * (H * 16_c) + o_i(None, _);
    tl.store(out, inverse.to(Ai.dtype), {.mask = m_t});
  }
};

// (I + A) X = I by forward substitution.
void solve_tril_loop(auto& args) {
  auto A = args["A"], X = args["Ai"];
  for (int t = 0; t < A.size(0); ++t)
    for (int h = 0; h < A.size(1); ++h)
      for (int j = 0; j < 16; ++j) {
        const int first = t / 16 * 16, column = first % A.size(2);
        X(t, h, j) = first + j == t;
        for (int k = first; k < t; ++k) X(t, h, j) -= A(t, h, column + k - first) * X(k, h, j);
      }
}

}  // namespace tl::ports
