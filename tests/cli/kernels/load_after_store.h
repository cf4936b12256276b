// One sum in several disguises: each turn loads what the turn before it stored, so that no warps may load ahead.
// t counts the turns, 1, 2, 4, 8, and y is what 64 products of 1/64 and t add up to: 0 + 1 + 2 + 4.
// case: a=f16[64, 64]:full(0.015625) t=inout:f16[64, 64]:zeros y=out:f32[64, 64] turns=4 B=64 grid=1 warps=4
// case: expect='y = a * 0 + 7; t = a * 0 + 8'
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

template <class P, class O>
struct Tile {
  P p;
  O at;
  auto read(auto& tl) const { return tl.load(p + at); }
};

auto read_tile(auto& tl, auto p, auto at) { return tl.load(p + at); }

#define SCRATCH t_ptr

// Each turn multiplies a by what `load` gives, and keeps the sum so far in t.
void sum_up(auto& tl, auto a_ptr, auto t_ptr, auto y_ptr, auto turns, auto B, auto load) {
  auto i = tl.arange(0, B);
  auto at = i(_, None) * B + i(None, _);
  auto acc = tl.zeros(tl.shape(B, B), tl.float32);
  for (auto k : tl.range(0, turns)) {
    auto a = tl.load(a_ptr + at);
    auto t = load(at);
    acc = tl.dot(a, t, acc);
    tl.store(t_ptr + at, (acc + 1.0f).to(tl.float16));
  }
  tl.store(y_ptr + at, acc);
}

struct lambda_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto t_ptr, ptr auto y_ptr, int_ auto turns, constexpr_ auto B) const {
    sum_up(tl, a_ptr, t_ptr, y_ptr, turns, B, [&](auto at) { return tl.load(t_ptr + at); });
  }
};

struct macro_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto t_ptr, ptr auto y_ptr, int_ auto turns, constexpr_ auto B) const {
    sum_up(tl, a_ptr, t_ptr, y_ptr, turns, B, [&](auto at) { return tl.load(SCRATCH + at); });
  }
};

struct helper_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto t_ptr, ptr auto y_ptr, int_ auto turns, constexpr_ auto B) const {
    sum_up(tl, a_ptr, t_ptr, y_ptr, turns, B, [&](auto at) { return read_tile(tl, t_ptr, at); });
  }
};

struct member_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto t_ptr, ptr auto y_ptr, int_ auto turns, constexpr_ auto B) const {
    sum_up(tl, a_ptr, t_ptr, y_ptr, turns, B,
           [&](auto at) { return Tile<decltype(t_ptr), decltype(at)>{t_ptr, at}.read(tl); });
  }
};

}  // namespace tl::kernels
