// More kernels of kinds that the machine model was not made for: bags, pools, norms, channels, quantization, clusters.
// Of them two multiply matrices; the others of this file lie as they would alone.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// out[b, :] = sum over j < L of table[idx[b, j], :]
struct embedding_bag_kernel {
  void operator()(auto& tl, ptr auto table, ptr auto idx, ptr auto out, int_ auto cols, int_ auto length,
                  constexpr_ auto B) const {
    auto bag = tl.program_id(0);
    auto c = tl.program_id(1) * B + tl.arange(0, B);
    auto sum = tl.zeros(tl.shape(B), tl.float32);
    for (auto j : tl.range(length)) {
      auto row = tl.load(idx + bag * length + j);
      sum += tl.load(table + row * cols + c, {.mask = c < cols, .other = 0}).to(tl.float32);
    }
    tl.store(out + bag * cols + c, sum.to(out.dtype), {.mask = c < cols});
  }
};

// c[z] = a[z] b[z], one small tile each
struct small_products_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto c, int_ auto m, int_ auto n, constexpr_ auto BM,
                  constexpr_ auto BN, constexpr_ auto K) const {
    auto z = tl.program_id(2);
    auto rm = tl.program_id(1) * BM + tl.arange(0, BM);
    auto rn = tl.program_id(0) * BN + tl.arange(0, BN);
    auto rk = tl.arange(0, K);
    auto x = tl.load(a + z * m * K + rm(_, None) * K + rk(None, _), {.mask = rm(_, None) < m, .other = 0});
    auto y = tl.load(b + z * n * K + rk(_, None) * n + rn(None, _), {.mask = rn(None, _) < n, .other = 0});
    tl.store(c + z * m * n + rm(_, None) * n + rn(None, _), tl.dot(x, y).to(c.dtype),
             {.mask = (rm(_, None) < m) & (rn(None, _) < n)});
  }
};

// Prefix sums of chunks, and each chunk's total.
struct chunk_scan_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, ptr auto totals, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto v = tl.load(x + offs, {.mask = offs < n, .other = 0});
    tl.store(y + offs, tl.cumsum(v, 0), {.mask = offs < n});
    tl.store(totals + tl.program_id(0), tl.sum(v, 0));
  }
};

// Mean and variance of a group of channels, which lie beside each other; read twice.
struct group_norm_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto w, ptr auto y, int_ auto channels, int_ auto pixels,
                  constexpr_ auto CG, constexpr_ auto B) const {
    auto image = tl.program_id(1), group = tl.program_id(0);
    auto c = group * CG + tl.arange(0, CG);
    auto total = tl.zeros(tl.shape(CG, B), tl.float32), squares = tl.zeros(tl.shape(CG, B), tl.float32);
    auto rows = x + image * channels * pixels + c(_, None) * pixels;
    for (auto p0 : tl.range(0, pixels, B)) {
      auto p = p0 + tl.arange(0, B);
      auto v = tl.load(rows + p(None, _), {.mask = p(None, _) < pixels, .other = 0}).to(tl.float32);
      total += v;
      squares += v * v;
    }
    auto size = (pixels * CG).to(tl.float32);
    auto mean = tl.sum(tl.sum(total, 1_c), 0_c) / size;
    auto scale = tl.rsqrt(tl.sum(tl.sum(squares, 1_c), 0_c) / size - mean * mean + 1e-5);
    auto weight = tl.load(w + c);
    for (auto p0 : tl.range(0, pixels, B)) {
      auto p = p0 + tl.arange(0, B);
      auto v = tl.load(rows + p(None, _), {.mask = p(None, _) < pixels, .other = 0}).to(tl.float32);
      tl.store(y + image * channels * pixels + c(_, None) * pixels + p(None, _),
               ((v - mean) * scale * weight(_, None)).to(y.dtype), {.mask = p(None, _) < pixels});
    }
  }
};

// Which elements of a row are among its K largest.
struct top_mask_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto cols, constexpr_ auto K, constexpr_ auto B) const {
    auto row = tl.program_id(0);
    auto c = tl.arange(0, B);
    auto v = tl.load(x + row * cols + c, {.mask = c < cols, .other = -inf});
    auto left = v + 0.0;
    tl.static_for(K, [&](auto) { left = tl.where(left == tl.max(left, 0), -inf, left); });
    tl.store(y + row * cols + c, (left != v).to(tl.uint8), {.mask = c < cols});
  }
};

// The mean of 3 x 3, every second pixel.
struct mean_pool_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto r = tl.program_id(1) * BR + tl.arange(0, BR);
    auto c = tl.program_id(0) * BC + tl.arange(0, BC);
    auto sum = tl.zeros(tl.shape(BR, BC), tl.float32);
    tl.static_for(3_c, [&](auto i) {
      tl.static_for(3_c, [&](auto j) {
        auto ri = r * 2 + i;
        auto cj = c * 2 + j;
        sum += tl.load(x + ri(_, None) * cols + cj(None, _),
                       {.mask = (ri(_, None) < rows) & (cj(None, _) < cols), .other = 0})
                   .to(tl.float32);
      });
    });
    auto out_rows = rows / 2, out_cols = cols / 2;
    tl.store(y + r(_, None) * out_cols + c(None, _), (sum / 9.0).to(y.dtype),
             {.mask = (r(_, None) < out_rows) & (c(None, _) < out_cols)});
  }
};

// y = silu(x[:, :d]) x[:, d:]
struct swiglu_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto d, constexpr_ auto B) const {
    auto row = tl.program_id(1);
    auto c = tl.program_id(0) * B + tl.arange(0, B);
    auto gate = tl.load(x + row * d * 2 + c, {.mask = c < d, .other = 0}).to(tl.float32),
         up = tl.load(x + row * d * 2 + d + c, {.mask = c < d, .other = 0}).to(tl.float32);
    tl.store(y + row * d + c, (gate * tl.sigmoid(gate) * up).to(y.dtype), {.mask = c < d});
  }
};

// out[i, :] = table[idx[i], :], a row a program
struct take_rows_kernel {
  void operator()(auto& tl, ptr auto table, ptr auto idx, ptr auto out, int_ auto cols, constexpr_ auto B) const {
    auto i = tl.program_id(0);
    auto row = tl.load(idx + i);
    auto c = tl.arange(0, B);
    tl.store(out + i * cols + c, tl.load(table + row * cols + c, {.mask = c < cols}), {.mask = c < cols});
  }
};

// Counts of floats in equal bins between 0 and 1.
struct float_histogram_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto bins, int_ auto n, int_ auto n_bins, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto m = offs < n;
    auto bin =
        tl.minimum((tl.load(x + offs, {.mask = m, .other = 0}) * n_bins.to(tl.float32)).to(tl.int32), n_bins - 1);
    tl.atomic_add(bins + bin, tl.full(tl.shape(B), 1, tl.int32), {.mask = m});
  }
};

// The nearest of K centres for each point.
struct nearest_centre_kernel {
  void operator()(auto& tl, ptr auto points, ptr auto centres, ptr auto norms, ptr auto nearest, int_ auto n,
                  constexpr_ auto BN, constexpr_ auto K, constexpr_ auto D) const {
    auto i = tl.program_id(0) * BN + tl.arange(0, BN);
    auto k = tl.arange(0, K);
    auto d = tl.arange(0, D);
    auto p = tl.load(points + i(_, None) * D + d(None, _), {.mask = i(_, None) < n, .other = 0});
    auto c = tl.load(centres + k(None, _) * D + d(_, None));
    auto distance = tl.load(norms + k)(None, _) - tl.dot(p, c) * 2;
    tl.store(nearest + i, tl.argmin(distance, 1_c), {.mask = i < n});
  }
};

// y = a0 b0 a1 b1 ...
struct interleave_kernel {
  void operator()(auto& tl, ptr auto a, ptr auto b, ptr auto y, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto pairs = tl.join(tl.load(a + offs, {.mask = offs < n}), tl.load(b + offs, {.mask = offs < n}));
    auto at = tl.program_id(0) * B * 2 + tl.arange(0, B * 2_c);
    tl.store(y + at, tl.reshape(pairs, tl.shape(B * 2_c)), {.mask = at < n * 2});
  }
};

// Pixels of three colours to three planes.
struct planes_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto m = offs < n;
    tl.static_for(3_c, [&](auto colour) {
      tl.store(y + colour * n + offs, tl.load(x + offs * 3 + colour, {.mask = m}), {.mask = m});
    });
  }
};

// Softmax down columns.
struct column_softmax_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto rows, int_ auto cols, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto r = tl.arange(0, BR);
    auto c = tl.program_id(0) * BC + tl.arange(0, BC);
    auto m = (r(_, None) < rows) & (c(None, _) < cols);
    auto v = tl.load(x + r(_, None) * cols + c(None, _), {.mask = m, .other = -inf});
    auto e = tl.exp(v - tl.max(v, 0_c)(None, _));
    tl.store(y + r(_, None) * cols + c(None, _), e / tl.sum(e, 0_c)(None, _), {.mask = m});
  }
};

// A step of Adam, in place.
struct adam_kernel {
  void operator()(auto& tl, ptr auto g, ptr auto m_ptr, ptr auto v_ptr, ptr auto w_ptr, int_ auto n,
                  constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto on = offs < n;
    auto grad = tl.load(g + offs, {.mask = on, .other = 0}).to(tl.float32);
    auto m = tl.load(m_ptr + offs, {.mask = on, .other = 0}) * 0.9 + grad * 0.1,
         v = tl.load(v_ptr + offs, {.mask = on, .other = 0}) * 0.999 + grad * grad * 0.001;
    tl.store(m_ptr + offs, m, {.mask = on});
    tl.store(v_ptr + offs, v, {.mask = on});
    tl.store(w_ptr + offs, tl.load(w_ptr + offs, {.mask = on, .other = 0}) - m * 0.001 / (tl.sqrt(v) + 1e-8),
             {.mask = on});
  }
};

// Rows as bytes, and what a byte stands for.
struct quantize_rows_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto q, ptr auto scale, int_ auto cols, constexpr_ auto B) const {
    auto row = tl.program_id(0);
    auto c = tl.arange(0, B);
    auto v = tl.load(x + row * cols + c, {.mask = c < cols, .other = 0}).to(tl.float32);
    auto s = tl.max(tl.abs(v), 0) / 127.0 + 1e-12;
    tl.store(q + row * cols + c, (v / s + 128.5).to(tl.uint8), {.mask = c < cols});
    tl.store(scale + row, s);
  }
};

// Depthwise and causal along t: y[t, c] = sum over j < 4 of w[j, c] x[t - j, c]
struct causal_conv_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto w, ptr auto y, int_ auto steps, int_ auto channels, constexpr_ auto BT,
                  constexpr_ auto BC) const {
    auto t = tl.program_id(1) * BT + tl.arange(0, BT);
    auto c = tl.program_id(0) * BC + tl.arange(0, BC);
    auto sum = tl.zeros(tl.shape(BT, BC), tl.float32);
    tl.static_for(4_c, [&](auto j) {
      auto before = t - j;
      auto weight = tl.load(w + j * channels + c, {.mask = c < channels, .other = 0}).to(tl.float32);
      sum += tl.load(x + before(_, None) * channels + c(None, _),
                     {.mask = (before(_, None) >= 0) & (before(_, None) < steps) & (c(None, _) < channels), .other = 0})
                 .to(tl.float32) *
             weight(None, _);
    });
    tl.store(y + t(_, None) * channels + c(None, _), sum.to(y.dtype),
             {.mask = (t(_, None) < steps) & (c(None, _) < channels)});
  }
};

}  // namespace tl::kernels
