// Every dtype, and pairs of them: what two meet in, how integers wrap, what sums give, what is added atomically.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// out[i, j] = x_i + y_j, for every pair of dtypes; x_i = 1 + 2^-i lane, so that what is rounded away shows the dtype
struct promotion_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a, ptr auto b, ptr auto c, ptr auto d, ptr auto e, ptr auto f,
                  ptr auto g, ptr auto h, ptr auto k, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto meet = [&](auto row, auto x, auto y) { tl.store(out + row * N + offs, (x + y).to(tl.float64)); };
    auto row_of = [&](auto first, auto p) {
      auto x = tl.load(p + offs);
      meet(first, x, tl.load(a + offs));
      meet(first + 1_c, x, tl.load(b + offs));
      meet(first + 2_c, x, tl.load(c + offs));
      meet(first + 3_c, x, tl.load(d + offs));
      meet(first + 4_c, x, tl.load(e + offs));
      meet(first + 5_c, x, tl.load(f + offs));
      meet(first + 6_c, x, tl.load(g + offs));
      meet(first + 7_c, x, tl.load(h + offs));
      meet(first + 8_c, x, tl.load(k + offs));
    };
    row_of(0_c, a);
    row_of(9_c, b);
    row_of(18_c, c);
    row_of(27_c, d);
    row_of(36_c, e);
    row_of(45_c, f);
    row_of(54_c, g);
    row_of(63_c, h);
    row_of(72_c, k);
  }
};

struct shift_right_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x, ptr auto by, constexpr_ auto N) const {
    auto lanes = tl.arange(0, N);
    tl.store(out + lanes, tl.load(x + lanes) >> tl.load(by + lanes));
    tl.store(out + N, tl.load(x + 1) >> tl.load(by + 1));
  }
};

// Beyond the width, shifts leave 0 or the sign; also where the text says how far.
struct shift_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto by_ptr, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(x_ptr + offs);
    auto by = tl.load(by_ptr + offs);
    tl.store(out + offs, x << by);
    tl.store(out + N + offs, x >> by);
    tl.store(out + 2 * N + offs, x << 70);
    tl.store(out + 3 * N + offs, x >> 70);
  }
};

struct extremes_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto positions, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto M,
                  constexpr_ auto N) const {
    auto offs = tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _);
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    tl.store(out + offs, tl.minimum(x, y));
    tl.store(out + M * N + offs, tl.maximum(x, y));
    tl.store(out + 2 * M * N + offs, tl.clamp(x, -1, 2));
    tl.store(out + 3 * M * N + offs, tl.where(x == x, x, y));
    auto rows = tl.arange(0, M);
    tl.store(out + 4 * M * N + rows, tl.max(x, 1_c));
    tl.store(out + 4 * M * N + M + rows, tl.min(x, 1_c));
    tl.store(positions + rows, tl.argmax(x, 1_c));
    tl.store(positions + M + rows, tl.argmin(x, 1_c));
  }
};

// Along each axis of three: sums, running sums, positions of the largest.
struct three_axes_kernel {
  void operator()(auto& tl, ptr auto sums, ptr auto running, ptr auto positions, ptr auto in, constexpr_ auto A,
                  constexpr_ auto B, constexpr_ auto C) const {
    auto a = tl.arange(0, A);
    auto b = tl.arange(0, B);
    auto c = tl.arange(0, C);
    auto offs = a(_, None, None) * (B * C) + b(None, _, None) * C + c(None, None, _);
    auto x = tl.load(in + offs);
    tl.store(sums + b(_, None) * C + c(None, _), tl.sum(x, 0));
    tl.store(sums + B * C + a(_, None) * C + c(None, _), tl.sum(x, 1_c));
    tl.store(sums + B * C + A * C + a(_, None) * B + b(None, _), tl.sum(x, 2_c));
    tl.store(running + offs, tl.cumsum(x, 0));
    tl.store(running + A * B * C + offs, tl.cumsum(x, 1_c));
    tl.store(running + 2 * A * B * C + offs, tl.cumsum(x, 2_c));
    tl.store(positions + b(_, None) * C + c(None, _), tl.argmax(x, 0));
    tl.store(positions + B * C + a(_, None) * C + c(None, _), tl.argmax(x, 1_c));
    tl.store(positions + B * C + A * C + a(_, None) * B + b(None, _), tl.argmax(x, 2_c));
  }
};

// 2^11 + 1 in fp16 is 2^11: whether the sum and what is computed from it are fp16 shows.
struct sum_dtype_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto N) const {
    auto x = tl.load(in + tl.arange(0, N));
    auto same = tl.zeros(tl.shape(1_c), x.dtype);
    same = same + tl.sum(x, 0);  // compiles where the sum has the block's dtype
    tl.store(out, (tl.sum(x, 0) + 1).to(tl.float32));
    tl.store(out + 1, (tl.max(x, 0) + 1).to(tl.float32));
    tl.store(out + 2, tl.sum(same.to(tl.float32), 0));
  }
};

// All six orders of three axes, stored row-major.
struct permutations_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto A, constexpr_ auto B, constexpr_ auto C) const {
    auto flat = tl.arange(0, A * B * C);
    auto x = tl.reshape(tl.load(in + flat), tl.shape(A, B, C));
    auto put = [&](auto row, auto y) { tl.store(out + row * (A * B * C) + flat, tl.reshape(y, tl.shape(A * B * C))); };
    put(0_c, tl.permute(x, tl.axes(0_c, 1_c, 2_c)));
    put(1_c, tl.permute(x, tl.axes(0_c, 2_c, 1_c)));
    put(2_c, tl.permute(x, tl.axes(1_c, 0_c, 2_c)));
    put(3_c, tl.permute(x, tl.axes(1_c, 2_c, 0_c)));
    put(4_c, tl.permute(x, tl.axes(2_c, 0_c, 1_c)));
    put(5_c, tl.permute(x, tl.axes(2_c, 1_c, 0_c)));
  }
};

// Old values come back; lanes that meet in one element all count.
struct atomic_dtype_kernel {
  void operator()(auto& tl, ptr auto cells, ptr auto old_ptr, constexpr_ auto N) const {
    auto lanes = tl.arange(0, N);
    auto offs = tl.program_id(0) * N + lanes;
    tl.atomic_add(cells + offs % 8, 1, {.mask = offs % 3 != 0});
    auto own = tl.atomic_add(cells + 8 + offs, 2);
    tl.store(old_ptr + offs, own);
    tl.atomic_add(cells + 7, 3);
  }
};

struct seeds_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto seed, int_ auto first, constexpr_ auto N) const {
    auto lanes = tl.arange(0, N);
    tl.store(out + lanes, tl.randint(seed, lanes + first));
    tl.store(out + N + lanes, tl.randint(seed, lanes.to(tl.uint64) + 0x1234567890));
  }
};

}  // namespace tl::test
