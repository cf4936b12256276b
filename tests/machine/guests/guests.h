// Kernels that the machine model was not made for: stencils, gathers, scatters, narrow images, reductions down columns,
// products in pieces. Each was predicted before it was measured (commit f3e82d4b).
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// out[i, :] = table[idx[i], :]
struct gather_rows_kernel {
  void operator()(auto& tl, ptr auto table, ptr auto idx, ptr auto out, int_ auto cols, int_ auto n_rows,
                  constexpr_ auto BR, constexpr_ auto BC) const {
    auto rows = tl.program_id(0) * BR + tl.arange(0, BR);
    auto c = tl.program_id(1) * BC + tl.arange(0, BC);
    auto rm = rows < n_rows;
    auto i = tl.load(idx + rows, {.mask = rm, .other = 0});
    auto m = rm(_, None) & (c(None, _) < cols);
    auto x = tl.load(table + i(_, None) * cols + c(None, _), {.mask = m});
    tl.store(out + rows(_, None) * cols + c(None, _), x, {.mask = m});
  }
};

// grad[idx[i], :] += dy[i, :]
struct scatter_rows_kernel {
  void operator()(auto& tl, ptr auto dy, ptr auto idx, ptr auto grad, int_ auto cols, constexpr_ auto BC) const {
    auto row = tl.program_id(0);
    auto c = tl.arange(0, BC);
    auto i = tl.load(idx + row);
    auto m = c < cols;
    auto x = tl.load(dy + row * cols + c, {.mask = m});
    tl.atomic_add(grad + i * cols + c, x, {.mask = m});
  }
};

struct histogram_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto bins, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto m = offs < n;
    auto v = tl.load(x + offs, {.mask = m, .other = 0}).to(tl.int32);
    tl.atomic_add(bins + v, tl.full(tl.shape(B), 1, tl.int32), {.mask = m});
  }
};

// y = W x: a block of rows a program, split over k
struct matvec_kernel {
  void operator()(auto& tl, ptr auto w, ptr auto x, ptr auto y, int_ auto m, int_ auto k, constexpr_ auto BM,
                  constexpr_ auto BK, constexpr_ auto SPLIT) const {
    auto rows = tl.program_id(0) * BM + tl.arange(0, BM);
    auto acc = tl.zeros(tl.shape(BM), tl.float32);
    for (auto k0 : tl.range(tl.program_id(1) * BK, k, BK * SPLIT)) {
      auto ks = k0 + tl.arange(0, BK);
      auto a =
          tl.load(w + rows(_, None) * k + ks(None, _), {.mask = (rows(_, None) < m) & (ks(None, _) < k), .other = 0});
      auto b = tl.load(x + ks, {.mask = ks < k, .other = 0});
      acc += tl.sum(a.to(tl.float32) * b.to(tl.float32)(None, _), 1_c);
    }
    tl.atomic_add(y + rows, acc, {.mask = rows < m});
  }
};

// Rotary embedding, halves of a row: y = (a cos - b sin, a sin + b cos)
struct rope_halves_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto angles, ptr auto y, int_ auto heads, constexpr_ auto D) const {
    auto row = tl.program_id(0);
    auto d = tl.arange(0, D / 2_c);
    auto angle = tl.load(angles + row / heads * (D / 2_c) + d);
    auto a = tl.load(x + row * D + d).to(tl.float32), b = tl.load(x + row * D + D / 2_c + d).to(tl.float32);
    auto c = tl.cos(angle), s = tl.sin(angle);
    tl.store(y + row * D + d, (a * c - b * s).to(y.dtype));
    tl.store(y + row * D + D / 2_c + d, (a * s + b * c).to(y.dtype));
  }
};

// y[i] = sum over t < TAPS of w[t] x[i + t - TAPS / 2]
struct conv1d_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto w, ptr auto y, int_ auto n, constexpr_ auto B,
                  constexpr_ auto TAPS) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto acc = tl.zeros(tl.shape(B), tl.float32);
    tl.static_for(TAPS, [&](auto t) {
      auto at = offs + t - TAPS / 2_c;
      acc += tl.load(w + t) * tl.load(x + at, {.mask = (at >= 0) & (at < n), .other = 0}).to(tl.float32);
    });
    tl.store(y + offs, acc.to(y.dtype), {.mask = offs < n});
  }
};

// c = a (f16) @ (q (uint8) - 128) * scale[n]
struct argmax_rows_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto cols, constexpr_ auto B) const {
    auto row = tl.program_id(0);
    auto c = tl.arange(0, B);
    auto v = tl.load(x + row * cols + c, {.mask = c < cols, .other = -inf});
    tl.store(y + row, tl.argmax(v, 0));
  }
};

struct scan_rows_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto r = tl.program_id(0) * BR + tl.arange(0, BR);
    auto carry = tl.zeros(tl.shape(BR), tl.float32);
    for (auto c0 : tl.range(0, cols, BC)) {
      auto c = c0 + tl.arange(0, BC);
      auto m = (r(_, None) < rows) & (c(None, _) < cols);
      auto v = tl.load(x + r(_, None) * cols + c(None, _), {.mask = m, .other = 0});
      auto s = tl.cumsum(v, 1_c) + carry(_, None);
      tl.store(y + r(_, None) * cols + c(None, _), s, {.mask = m});
      carry += tl.sum(v, 1_c);
    }
  }
};

// Five points of a grid.
struct stencil_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto r = tl.program_id(1) * BR + tl.arange(0, BR);
    auto c = tl.program_id(0) * BC + tl.arange(0, BC);
    auto at = r(_, None) * cols + c(None, _);
    auto inner = (r(_, None) > 0) & (r(_, None) < rows - 1) & (c(None, _) > 0) & (c(None, _) < cols - 1);
    auto here = tl.load(x + at, {.mask = inner, .other = 0});
    auto up = tl.load(x + at - cols, {.mask = inner, .other = 0}),
         down = tl.load(x + at + cols, {.mask = inner, .other = 0});
    auto left = tl.load(x + at - 1, {.mask = inner, .other = 0}),
         right = tl.load(x + at + 1, {.mask = inner, .other = 0});
    tl.store(y + at, up + down + left + right - here * 4, {.mask = inner});
  }
};

// The mean of three rows of a uint8 picture.
struct blur_rows_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto cols, constexpr_ auto B) const {
    auto r = tl.program_id(1);
    auto c = tl.program_id(0) * B + tl.arange(0, B);
    auto m = c < cols;
    auto sum = tl.load(x + r * cols + c, {.mask = m, .other = 0}).to(tl.int32);
    sum += tl.load(x + (r + 1) * cols + c, {.mask = m, .other = 0}).to(tl.int32);
    sum += tl.load(x + (r + 2) * cols + c, {.mask = m, .other = 0}).to(tl.int32);
    tl.store(y + r * cols + c, (sum / 3).to(tl.uint8), {.mask = m});
  }
};

// y = x > t, bytes
struct threshold_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto m = offs < n;
    auto v = tl.load(x + offs, {.mask = m, .other = 0}).to(tl.int32);
    tl.store(y + offs, tl.where(v > 100, 255, 0).to(tl.uint8), {.mask = m});
  }
};

// y[j] = sum over i of x[i, j]
struct column_sum_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto c = tl.program_id(0) * BC + tl.arange(0, BC);
    auto acc = tl.zeros(tl.shape(BC), tl.float32);
    for (auto r0 : tl.range(0, rows, BR)) {
      auto r = r0 + tl.arange(0, BR);
      auto v =
          tl.load(x + r(_, None) * cols + c(None, _), {.mask = (r(_, None) < rows) & (c(None, _) < cols), .other = 0})
              .to(tl.float32);
      acc += tl.sum(v, 0_c);
    }
    tl.store(y + c, acc, {.mask = c < cols});
  }
};

// c[b] = a[b] b[b]
// c += a b, a part of k a program
// dx of a layer norm, a row a program, and its weights' gradient added up.
struct layernorm_backward_kernel {
  void operator()(auto& tl, ptr auto dy, ptr auto x, ptr auto w, ptr auto mean, ptr auto rstd, ptr auto dx, ptr auto dw,
                  int_ auto cols, constexpr_ auto B) const {
    auto row = tl.program_id(0);
    auto c = tl.arange(0, B);
    auto m = c < cols;
    auto g = tl.load(dy + row * cols + c, {.mask = m, .other = 0}).to(tl.float32);
    auto v = tl.load(x + row * cols + c, {.mask = m, .other = 0}).to(tl.float32);
    auto weight = tl.load(w + c, {.mask = m, .other = 0}).to(tl.float32);
    auto s = tl.load(rstd + row);
    auto xhat = (v - tl.load(mean + row)) * s;
    auto wg = weight * g;
    auto c1 = tl.sum(xhat * wg, 0) / cols, c2 = tl.sum(wg, 0) / cols;
    tl.store(dx + row * cols + c, ((wg - (xhat * c1 + c2)) * s).to(dx.dtype), {.mask = m});
    tl.atomic_add(dw + c, g * xhat, {.mask = m});
  }
};

// Complex numbers stored as pairs: |z|^2
struct power_kernel {
  void operator()(auto& tl, ptr auto z, ptr auto y, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto m = offs < n;
    auto re = tl.load(z + offs * 2, {.mask = m, .other = 0}), im = tl.load(z + offs * 2 + 1, {.mask = m, .other = 0});
    tl.store(y + offs, re * re + im * im, {.mask = m});
  }
};

// The largest of 2 x 2.
struct max_pool_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto cols, constexpr_ auto B) const {
    auto r = tl.program_id(1);
    auto c = tl.program_id(0) * B + tl.arange(0, B);
    auto m = c < cols / 2;
    auto p = x + r * 2 * cols + c * 2;
    auto a = tl.maximum(tl.load(p, {.mask = m}), tl.load(p + 1, {.mask = m}));
    auto b = tl.maximum(tl.load(p + cols, {.mask = m}), tl.load(p + cols + 1, {.mask = m}));
    tl.store(y + r * (cols / 2) + c, tl.maximum(a, b).to(y.dtype), {.mask = m});
  }
};

// -log softmax(x)[label], columns in blocks.
struct cross_entropy_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto labels, ptr auto loss, int_ auto cols, constexpr_ auto B) const {
    auto row = tl.program_id(0);
    auto label = tl.load(labels + row);
    auto top = tl.full(tl.shape(B), -1e30, tl.float32), total = tl.zeros(tl.shape(B), tl.float32);
    for (auto c0 : tl.range(0, cols, B)) {
      auto c = c0 + tl.arange(0, B);
      auto v = tl.load(x + row * cols + c, {.mask = c < cols, .other = -1e4}).to(tl.float32);
      auto higher = tl.maximum(top, v);
      total = total * tl.exp(top - higher) + tl.exp(v - higher);
      top = higher;
    }
    auto highest = tl.max(top, 0);
    auto sum = tl.sum(total * tl.exp(top - highest), 0);
    tl.store(loss + row, tl.log(sum) + highest - tl.load(x + row * cols + label).to(tl.float32));
  }
};

// y = gelu(x + bias)
struct bias_gelu_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto bias, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto r = tl.program_id(0) * BR + tl.arange(0, BR);
    auto c = tl.program_id(1) * BC + tl.arange(0, BC);
    auto m = (r(_, None) < rows) & (c(None, _) < cols);
    auto v = tl.load(x + r(_, None) * cols + c(None, _), {.mask = m}).to(tl.float32) +
             tl.load(bias + c, {.mask = c < cols}).to(tl.float32)(None, _);
    tl.store(y + r(_, None) * cols + c(None, _), (v * 0.5 * (1 + tl.erf(v * 0.70710678))).to(y.dtype), {.mask = m});
  }
};

// Twice as wide and high, the nearest pixel.
struct upsample_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto cols, constexpr_ auto B) const {
    auto r = tl.program_id(1);
    auto c = tl.program_id(0) * B + tl.arange(0, B);
    auto m = c < cols * 2;
    auto v = tl.load(x + r / 2 * cols + c / 2, {.mask = m});
    tl.store(y + r * (cols * 2) + c, v, {.mask = m});
  }
};

// y = x transposed, a tile of BM x BN a program
struct turn_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto rm = tl.program_id(0) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(1) * BN + tl.arange(0, BN);
    auto v = tl.load(x + rm(_, None) * n + rn(None, _), {.mask = (rm(_, None) < m) & (rn(None, _) < n)});
    tl.store(y + rn(_, None) * m + rm(None, _), tl.trans(v), {.mask = (rn(_, None) < n) & (rm(None, _) < m)});
  }
};

}  // namespace tl::kernels
