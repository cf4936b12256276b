// A product with weights of 4 bits, eight in a word; G neighbours along k share a scale and a zero.
// w[i, l] = scale[i, l / G] (nibble[i, l] - zero[i, l / G]), z[i, j] = sum over l of w[i, l] y[l, j]
// case: packed=i32[m, k / 8] scale=f16[m, k / G] zero=i8[m, k / G] y=f16[k, n] z=out:f32[m, n]
// case: m=20 n=24 k=64 BM=16 BN=16 G=32 grid=(cdiv(m, BM), cdiv(n, BN))
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct quantized_matmul_kernel {
  void operator()(auto& tl, ptr auto packed_ptr, ptr auto scale_ptr, ptr auto zero_ptr, ptr auto y_ptr, ptr auto z_ptr,
                  int_ auto m, int_ auto n, int_ auto k, constexpr_ auto BM, constexpr_ auto BN,
                  constexpr_ auto G) const {
    // Yours: a step is a group, G columns of w and G / 8 words.
  }
};

}  // namespace tl::kernels
