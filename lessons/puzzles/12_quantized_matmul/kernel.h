// A product with weights of 4 bits, eight in a word; G neighbours along k share a scale and a zero.
// w[i, l] = scale[i, l / G] (nibble[i, l] - zero[i, l / G]), z[i, j] = sum over l of w[i, l] y[l, j]
// case: packed=i32[m, k / 8] scale=f16[m, k / G]:each(1 + i % 4) zero=i8[m, k / G] y=f16[k, n] z=out:f32[m, n]
// case: m=20 n=24 k=64 BM=16 BN=16 G=32 grid=(cdiv(m, BM), cdiv(n, BN))
// case: expect=quantized_matmul_loop
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

// The loop: what `tilescope run` of this file compares with.
void quantized_matmul_loop(auto& args) {
  auto packed = args["packed"];
  auto scale = args["scale"];
  auto zero = args["zero"];
  auto y = args["y"];
  auto z = args["z"];
  int group = static_cast<int>(args("G"));
  for (int i = 0; i < z.size(0); ++i)
    for (int j = 0; j < z.size(1); ++j) {
      z(i, j) = 0;
      for (int l = 0; l < y.size(0); ++l) {
        long long word = static_cast<long long>(packed(i, l / 8));
        double nibble = static_cast<double>((word >> 4 * (l % 8)) & 15);
        z(i, j) += scale(i, l / group) * (nibble - zero(i, l / group)) * y(l, j);
      }
    }
}

}  // namespace tl::kernels
