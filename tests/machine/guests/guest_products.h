// Products among the guests, in a file of their own: where a file multiplies matrices, the vectors of all its kernels
// lie as a product's rows do.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct dequant_matmul_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto q, ptr auto scale, ptr auto c, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto rm = tl.program_id(0) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(1) * BN + tl.arange(0, BN);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k0 : tl.range(0, k, BK)) {
      auto rk = k0 + tl.arange(0, BK);
      auto x = tl.load(a + rm(_, None) * k + rk(None, _), {.mask = (rm(_, None) < m) & (rk(None, _) < k), .other = 0});
      auto b =
          tl.load(q + rk(_, None) * n + rn(None, _), {.mask = (rk(_, None) < k) & (rn(None, _) < n), .other = 128});
      auto bf = (b.to(tl.float32) - 128).to(tl.float16);
      acc = tl.dot(x, bf, acc);
    }
    auto s = tl.load(scale + rn, {.mask = rn < n, .other = 0});
    tl.store(c + rm(_, None) * n + rn(None, _), (acc * s(None, _)).to(tl.float16),
             {.mask = (rm(_, None) < m) & (rn(None, _) < n)});
  }
};

struct batched_matmul_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto c, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto batch = tl.program_id(2);
    auto rm = tl.program_id(1) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(0) * BN + tl.arange(0, BN);
    auto rk = tl.arange(0, BK);
    auto ap = a + batch * m * k + rm(_, None) * k + rk(None, _);
    auto bp = b + batch * k * n + rk(_, None) * n + rn(None, _);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k0 : tl.range(0, k, BK)) {
      auto x = tl.load(ap + k0, {.mask = (rm(_, None) < m) & (rk(None, _) < k - k0), .other = 0});
      auto y = tl.load(bp + k0 * n, {.mask = (rk(_, None) < k - k0) & (rn(None, _) < n), .other = 0});
      acc = tl.dot(x, y, acc);
    }
    tl.store(c + batch * m * n + rm(_, None) * n + rn(None, _), acc.to(c.dtype),
             {.mask = (rm(_, None) < m) & (rn(None, _) < n)});
  }
};

struct split_k_matmul_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto c, int_ auto m, int_ auto n, int_ auto k, int_ auto part,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto BK) const {
    auto rm = tl.program_id(1) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(0) * BN + tl.arange(0, BN);
    auto rk = tl.arange(0, BK);
    auto first = tl.program_id(2) * part;
    auto ap = a + rm(_, None) * k + rk(None, _);
    auto bp = b + rk(_, None) * n + rn(None, _);
    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto k0 : tl.range(first, first + part, BK)) {
      auto x = tl.load(ap + k0, {.mask = (rm(_, None) < m) & (rk(None, _) < k - k0), .other = 0});
      auto y = tl.load(bp + k0 * n, {.mask = (rk(_, None) < k - k0) & (rn(None, _) < n), .other = 0});
      acc = tl.dot(x, y, acc);
    }
    tl.atomic_add(c + rm(_, None) * n + rn(None, _), acc, {.mask = (rm(_, None) < m) & (rn(None, _) < n)});
  }
};

}  // namespace tl::kernels
