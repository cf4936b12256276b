// C = A B by as many programs as there are SMs, whatever the number of tiles.  c begins at 0, a, b and c are row-major
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct stream_k_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto wide = tl.cdiv(n, BN);
    auto steps = tl.cdiv(k, BK);
    auto tiles = tl.cdiv(m, BM) * wide;
    auto unit = tl.program_id(0) * tiles * steps / tl.num_programs(0);
    auto end = (tl.program_id(0) + 1) * tiles * steps / tl.num_programs(0);
    while (unit < end) {
      auto tile = unit / steps;
      auto stop = tl.minimum(end, (tile + 1) * steps);
      auto rows = tile / wide * BM + tl.arange(0, BM);
      auto cols = tile % wide * BN + tl.arange(0, BN);
      auto in_rows = rows(_, None) < m;
      auto in_cols = cols(None, _) < n;
      auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
      for (auto step : tl.range(unit - tile * steps, stop - tile * steps)) {
        auto ks = step * BK + tl.arange(0, BK);
        auto a = tl.load(a_ptr + rows(_, None) * k + ks(None, _), {.mask = in_rows & (ks(None, _) < k), .other = 0});
        auto b = tl.load(b_ptr + ks(_, None) * n + cols(None, _), {.mask = (ks(_, None) < k) & in_cols, .other = 0});
        acc = tl.dot(a, b, acc);
      }
      tl.atomic_add(c_ptr + rows(_, None) * n + cols(None, _), acc, {.mask = in_rows & in_cols});
      unit = stop;
    }
  }
};

}  // namespace tl::kernels
