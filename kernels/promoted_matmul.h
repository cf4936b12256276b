// C = A B^T of fp8, its sums promoted: each turn's dot starts from zero, and fp32 registers add up the turns.
// c[i, j] = sum over l of a[i, l] b[j, l]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// A tensor core's sum of fp8 keeps 13 bits of fraction: what is added to a large one is cut off. BK of k are added so.
// PROMOTED: what comes of them is added in fp32, which keeps 23; else the tensor core adds to its own sum all along k.
struct promoted_matmul_kernel {
  void operator()(auto& tl, descriptor auto a_desc, descriptor auto b_desc, descriptor auto c_desc, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto PROMOTED) const {
    auto i = tl.program_id(0) * BM;
    auto j = tl.program_id(1) * BN;
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto l : tl.range(0, k, BK)) {
      auto a = a_desc.load({i, l});
      auto b = tl.trans(b_desc.load({j, l}));
      acc = tl.static_if(PROMOTED, [&] { return acc + tl.dot(a, b); }, [&] { return tl.dot(a, b, acc); });
    }
    c_desc.store({i, j}, acc.to(c_desc.dtype));
  }
};

}  // namespace tl::kernels
