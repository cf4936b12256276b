// A text with one of each kind of declaration; places in it are counted by hand.
#pragma once

inline const char* const toy_text = R"(#include "interp/tl.h"
auto helper(auto& tl, auto& acc, auto size, constexpr_ auto N) {
  return tl.tuple(acc, size * N);  // twice
}
struct toy_kernel {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto n) const {
    [[maybe_unused]] auto pid = tl.program_id(0);
    auto [a, b] = tl.split(x);
    for (auto k : tl.range(0, n)) {
      auto m = (k + 1) * 2 - k;
    }
    tl.each(tl.range(0, n),
                 [&](auto i) { return tl.pair(d.load(i, 0), i); },
                 [&](auto t, auto j) {
                   acc = tl.dot(t, t, acc);
                 });
  }
};
)";
