// C = alpha A B, B stored n x k, by descriptors: a tile of BM x BN a program.
// c[i, j] = alpha times the sum over l of a[i, l] b[j, l]
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct descriptor_kernel {
  void operator()(auto& tl, descriptor auto a_desc, descriptor auto b_desc, descriptor auto c_desc, int_ auto k,
                  float_ auto alpha, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    // Tiles of a are BM x BK, of b BN x BK, of c BM x BN.
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    // Yours: a loop along k that loads a tile of a and one of b and adds their product to acc; then alpha, and store.
  }
};

}  // namespace tl::kernels
