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
    auto i = tl.program_id(0) * BM + tl.arange(0, BM);
    auto j = tl.program_id(1) * BN + tl.arange(0, BN);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto g : tl.range(0, k / G)) {
      auto word = g * (G / 8_c) + tl.arange(0, G / 8_c);
      auto packed = tl.load(packed_ptr + i(_, None) * (k / 8) + word(None, _), {.mask = (i < m)(_, None), .other = 0});
      auto nibbles = (packed(_, _, None) >> (4 * tl.arange(0, 8_c))(None, None, _)) & 15;
      auto scale = tl.load(scale_ptr + i * (k / G) + g, {.mask = i < m, .other = 0});
      auto zero = tl.load(zero_ptr + i * (k / G) + g, {.mask = i < m, .other = 0});
      auto w = (tl.reshape(nibbles, tl.shape(BM, G)) - zero(_, None)).to(tl.float16) * scale(_, None);
      auto l = g * G + tl.arange(0, G);
      auto y = tl.load(y_ptr + l(_, None) * n + j(None, _), {.mask = (j < n)(None, _), .other = 0});
      acc = tl.dot(w, y, acc);
    }
    auto mask = (i < m)(_, None) & (j < n)(None, _);
    tl.store(z_ptr + i(_, None) * n + j(None, _), acc, {.mask = mask});
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
