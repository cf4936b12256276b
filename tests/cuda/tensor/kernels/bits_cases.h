// Sums whose order shows in their bits.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// Of a block along either axis, over all of it, and running.
struct sums_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto rows_ptr, ptr auto cols_ptr, ptr auto all_ptr,
                  ptr auto running_ptr, constexpr_ auto M, constexpr_ auto N) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto at = m(_, None) * N + n(None, _);
    auto x = tl.load(x_ptr + at);
    tl.store(rows_ptr + m, tl.sum(x, 1_c));
    tl.store(cols_ptr + n, tl.sum(x, 0_c));
    tl.store(all_ptr, tl.sum(x));
    tl.store(running_ptr + at, tl.cumsum(x, 1_c));
  }
};

// o = (q k^T) v, rounded between the two, and the row sums of q k^T: attention without its exponentials.
struct two_dots_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto o_ptr, ptr auto sum_ptr,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto D) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto d = tl.arange(0, D);
    auto q = tl.load(q_ptr + m(_, None) * D + d(None, _));
    auto k = tl.load(k_ptr + n(_, None) * D + d(None, _));
    auto v = tl.load(v_ptr + n(_, None) * D + d(None, _));
    auto scores = tl.dot(q, tl.trans(k));
    tl.store(sum_ptr + m, tl.sum(scores, 1_c));
    tl.store(o_ptr + m(_, None) * D + d(None, _), tl.dot(scores.to(v_ptr.dtype), v));
  }
};

}  // namespace tl::kernels
