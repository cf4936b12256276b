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
    for (auto l : tl.range(0, k, BK)) {
      auto a = tl.static_if(A_IS_KM, [&] { return tl.trans(a_desc.load({l, i})); },
                                     [&] { return a_desc.load({i, l}); });
      auto b = tl.static_if(B_IS_NK, [&] { return tl.trans(b_desc.load({j, l})); },
                                     [&] { return b_desc.load({l, j}); });
      acc = tl.dot(a, b, acc);
    }
    c_desc.store({i, j}, acc.to(c_desc.dtype));
  }
};

// y = sum over k of a b, with a number of stages of the loop's own.
struct own_stages_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto y, int_ auto k, constexpr_ auto B,
                  constexpr_ auto STAGES) const {
    auto i = tl.arange(0, B)(_, None);
    auto j = tl.arange(0, B)(None, _);
    auto acc = tl.zeros(tl.shape(B, B), tl.float32);
    for (auto l : tl.range(0, k, B, {.num_stages = STAGES}))
      acc = tl.dot(tl.load(a + i * k + (l + j)), tl.load(b + (l + i) * B + j), acc);
    tl.store(y + i * B + j, acc);
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
    for (auto i : tl.range(0, n)) sum += x_desc.load({i * BM, 0}).to(tl.float32) * i;
    for (auto i : tl.range(0, n)) {
      auto x = x_desc.load({i * BM, 0});
      auto w = w_desc.load({i * BM, 0});
      sum += x.to(tl.float32) * w;
    }
    for (auto i : tl.range(0, n)) sum += w_desc.load({i * BM, 0});
    y_desc.store({0, 0}, sum.to(y_desc.dtype));
  }
};

// y = sum over the row blocks of x + p, x through a descriptor, p through masked pointers.
struct mixed_kernel {
  void operator()(auto& tl, descriptor auto x_desc, ptr auto p_ptr, descriptor auto y_desc, int_ auto rows,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto sum = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto i : tl.range(0, rows, BM)) {
      auto offs_m = i + tl.arange(0, BM);
      auto p_ptrs = p_ptr + offs_m(_, None) * BN + tl.arange(0, BN)(None, _);
      auto x = x_desc.load({i, 0});
      auto p = tl.load(p_ptrs, {.mask = offs_m(_, None) < rows, .other = 0});
      sum += x.to(tl.float32) + p;
    }
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
