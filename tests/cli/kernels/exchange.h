// Lanes that change threads, in a loop whose tiles some warps copy ahead: those warps have no memory for it.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// A part of a value, stretched: the warps that multiply make it.
// case value_kernel: a=f16[64,64] b=f16[64,64] y=out:f32[64,64] k=64 B=64 BK=16 grid=1
// case value_kernel: expect='y = a @ b + k // 16 * (arange(64) // 8)[None]'
struct value_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto y_ptr, int_ auto k, constexpr_ auto B,
                  constexpr_ auto BK) const {
    auto rows = tl.arange(0, B);
    auto ks = tl.arange(0, BK);
    auto eighths = tl.ravel(tl.arange(0, B / 8_c)(_, None) + (tl.arange(0, 8_c) * 0)(None, _));
    auto added = tl.broadcast_to((eighths * 1)(None, _), tl.shape(B, B));
    auto acc = tl.zeros(tl.shape(B, B), tl.float32);
    for (auto i : tl.range(0, k, BK)) {
      auto x = tl.load(a_ptr + rows(_, None) * k + (i + ks)(None, _));
      auto y = tl.load(b_ptr + (i + ks)(_, None) * B + rows(None, _));
      acc = tl.dot(x, y, acc) + added;
    }
    tl.store(y_ptr + rows(_, None) * B + rows(None, _), acc);
  }
};

// An address: rows that are no formula meet columns in one index.
// case address_kernel: a=f16[64,64] b=f16[64,64] y=out:f32[64,64] k=64 B=64 BK=16 grid=1
// case address_kernel: expect='y = a[(arange(64) // 8)[:, None] ^ (arange(64) // 5)[None], arange(64)[None]] @ b'
struct address_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto y_ptr, int_ auto k, constexpr_ auto B,
                  constexpr_ auto BK) const {
    auto rows = tl.arange(0, B);
    auto ks = tl.arange(0, BK);
    auto eighths = tl.ravel(tl.arange(0, B / 8_c)(_, None) + (tl.arange(0, 8_c) * 0)(None, _));
    auto acc = tl.zeros(tl.shape(B, B), tl.float32);
    for (auto i : tl.range(0, k, BK)) {
      auto row = eighths(_, None) ^ ((i + ks) / 5)(None, _);
      auto x = tl.load(a_ptr + row * k + (i + ks)(None, _));
      auto y = tl.load(b_ptr + (i + ks)(_, None) * B + rows(None, _));
      acc = tl.dot(x, y, acc);
    }
    tl.store(y_ptr + rows(_, None) * B + rows(None, _), acc);
  }
};

}  // namespace tl::kernels
