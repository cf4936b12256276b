// What the tensor-core path must do beyond the project's own kernels: one kernel a case.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// c = a b, one tile a program; each operand stored as it is or transposed.
struct product_kernel {
  void operator()(auto& tl, descriptor auto a_desc, descriptor auto b_desc, descriptor auto c_desc, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK, constexpr_ auto A_IS_KM,
                  constexpr_ auto B_IS_NK) const {
    auto i = tl.program_id(0) * BM;
    auto j = tl.program_id(1) * BN;
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    tl.pipelined(
        tl.range(0, k, BK),
        [&](auto l) {
          return tl.stage(tl.static_if(A_IS_KM, [&] { return a_desc.tile(l, i); }, [&] { return a_desc.tile(i, l); }),
                          tl.static_if(B_IS_NK, [&] { return b_desc.tile(j, l); }, [&] { return b_desc.tile(l, j); }));
        },
        [&](auto a, auto b) {
          acc = tl.dot(tl.static_if(A_IS_KM, [&] { return tl.trans(a); }, [&] { return a; }),
                       tl.static_if(B_IS_NK, [&] { return tl.trans(b); }, [&] { return b; }), acc);
        });
    c_desc.store({i, j}, acc.to(c_desc.dtype));
  }
};

// y = 2 x + 1, tile by tile: a loaded tile used as a block.
struct tile_kernel {
  void operator()(auto& tl, descriptor auto x_desc, descriptor auto y_desc, int_ auto rows, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    for (auto i : tl.range(tl.program_id(0) * BM, rows, tl.num_programs(0) * BM)) {
      auto x = x_desc.load({i, 0});
      auto y = x.to(tl.float32) * 2 + 1;
      y_desc.store({i, 0}, y.to(y_desc.dtype));
    }
  }
};

// y = sum over the row blocks of x, then two loops more: stages of other sizes, scalars staged and loaded.
struct ring_kernel {
  void operator()(auto& tl, descriptor auto x_desc, descriptor auto w_desc, ptr auto n_ptr, descriptor auto y_desc,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto n = tl.load(n_ptr);  // how many row blocks: a scalar that decides a loop
    auto sum = tl.zeros(tl.shape(BM, BN), tl.float32);
    tl.pipelined(tl.range(0, n), [&](auto i) { return tl.stage(x_desc.tile(i * BM, 0), i); },
                 [&](auto x, auto i) { sum += x.to(tl.float32) * i; });
    tl.pipelined(tl.range(0, n), [&](auto i) { return tl.stage(x_desc.tile(i * BM, 0), w_desc.tile(i * BM, 0)); },
                 [&](auto x, auto w) { sum += x.to(tl.float32) * w; });
    tl.pipelined(tl.range(0, n), [&](auto i) { return tl.stage(w_desc.tile(i * BM, 0)); }, [&](auto w) { sum += w; });
    y_desc.store({0, 0}, sum.to(y_desc.dtype));
  }
};

// y = sum over the row blocks of x + p, x through a descriptor, p through masked pointers.
struct mixed_kernel {
  void operator()(auto& tl, descriptor auto x_desc, ptr auto p_ptr, descriptor auto y_desc, int_ auto rows,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto sum = tl.zeros(tl.shape(BM, BN), tl.float32);
    tl.pipelined(
        tl.range(0, rows, BM),
        [&](auto i) {
          auto offs_m = i + tl.arange(0, BM);
          auto p_ptrs = p_ptr + offs_m(_, None) * BN + tl.arange(0, BN)(None, _);
          return tl.stage(x_desc.tile(i, 0), tl.tile(p_ptrs, {.mask = offs_m(_, None) < rows, .other = 0}));
        },
        [&](auto x, auto p) { sum += x.to(tl.float32) + p; });
    y_desc.store({0, 0}, sum);
  }
};

// Not possible: a branch on a block's value.
struct branching_kernel {
  void operator()(auto& tl, descriptor auto x_desc, descriptor auto y_desc, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto x = x_desc.load({0, 0}).to(tl.float32);
    if (tl.sum(tl.sum(x, 1_c), 0) > 0) x *= 2;
    y_desc.store({0, 0}, x);
  }
};

}  // namespace tl::kernels
