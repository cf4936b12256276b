// Causal attention of one head, BM queries a program, BN keys a step.
// o[i] = sum over j <= i of w[i, j] v[j] / sum over j <= i of w[i, j],  w[i, j] = 2 to the power of scale (q[i] . k[j])
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct flash_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto o_ptr, int_ auto n,
                  float_ auto scale, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto D) const {
    auto first = tl.program_id(0) * BM;
    auto i = first + tl.arange(0, BM);
    auto d = tl.arange(0, D);
    auto q = tl.load(q_ptr + i(_, None) * D + d(None, _), {.mask = i(_, None) < n, .other = 0});
    auto largest = tl.full(tl.shape(BM), -inf, tl.float32);
    auto sum = tl.zeros(tl.shape(BM), tl.float32);
    auto acc = tl.zeros(tl.shape(BM, D), tl.float32);

    auto step = [&](auto start, constexpr_ auto MASKED) {  // one block of keys
      auto j = start + tl.arange(0, BN);
      auto k = tl.load(k_ptr + j(_, None) * D + d(None, _), {.mask = j(_, None) < n, .other = 0});
      auto v = tl.load(v_ptr + j(_, None) * D + d(None, _), {.mask = j(_, None) < n, .other = 0});
      auto qk = tl.dot(q, tl.trans(k)) * scale;
      auto s = tl.static_if(MASKED, [&] { return tl.where(i(_, None) >= j(None, _), qk, -inf); }, [&] { return qk; });
      auto next = tl.maximum(largest, tl.max(s, 1_c));
      auto w = tl.exp2(s - next(_, None));
      // Yours: what sum and acc hold so far was measured from `largest`; then add this block's weights, and w v.
      sum += tl.sum(w, 1_c);
      acc = tl.dot(w.to(v.dtype), v, acc);
      largest = next;
    };
    // Yours: which blocks of keys do queries `first` to first + BM - 1 see at all, and which of them need the mask?
    for (auto start : tl.range(0, n, BN)) step(start, 1_c);
    tl.store(o_ptr + i(_, None) * D + d(None, _), acc / sum(_, None), {.mask = i(_, None) < n});
  }
};

}  // namespace tl::kernels
