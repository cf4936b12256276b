// Kernels of one op group each, run on both executors by ops_test.cpp.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// out[k, i] = the k-th operator on x[i], y[i]
struct int_operators_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto out_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 1});
    auto y = tl.load(y_ptr + offs, {.mask = mask, .other = 1});
    auto out = out_ptr + offs;
    tl.store(out + 0 * n, x + y, {.mask = mask});
    tl.store(out + 1 * n, x - y, {.mask = mask});
    tl.store(out + 2 * n, x * y, {.mask = mask});
    tl.store(out + 3 * n, x / y, {.mask = mask});
    tl.store(out + 4 * n, x % y, {.mask = mask});
    tl.store(out + 5 * n, x & y, {.mask = mask});
    tl.store(out + 6 * n, x | ~y, {.mask = mask});
    tl.store(out + 7 * n, x ^ y, {.mask = mask});
    tl.store(out + 8 * n, (x << 3) + (x >> 2), {.mask = mask});
    tl.store(out + 9 * n, tl.where((x < y) | (x == 7), x, -y), {.mask = mask});
    tl.store(out + 10 * n, tl.minimum(x, y) + tl.maximum(x, 3) * 2, {.mask = mask});
    tl.store(out + 11 * n, tl.umulhi(x, y), {.mask = mask});
    tl.store(out + 12 * n, tl.clamp(x, 5, 50) + tl.abs(y), {.mask = mask});
    tl.store(out + 13 * n, (~(x >= y)).to(tl.int32) + (x != y).to(tl.int32), {.mask = mask});
  }
};

struct float_operators_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, ptr auto out_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 1});
    auto y = tl.load(y_ptr + offs, {.mask = mask, .other = 1});
    auto out = out_ptr + offs;
    tl.store(out + 0 * n, x + y, {.mask = mask});
    tl.store(out + 1 * n, x - 0.1, {.mask = mask});
    tl.store(out + 2 * n, x * y, {.mask = mask});
    tl.store(out + 3 * n, x / y, {.mask = mask});
    tl.store(out + 4 * n, tl.minimum(x, y), {.mask = mask});
    tl.store(out + 5 * n, tl.maximum(x, y), {.mask = mask});
    tl.store(out + 6 * n, tl.abs(-x) + 2, {.mask = mask});
    tl.store(out + 7 * n, tl.where(x > y, x, 0.5), {.mask = mask});
    tl.store(out + 8 * n, tl.floor(x * 4) + tl.ceil(y * 4), {.mask = mask});
    tl.store(out + 9 * n, tl.sqrt(tl.abs(x)), {.mask = mask});
  }
};

struct cast_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, {.mask = offs < n}).to(out_ptr.dtype), {.mask = offs < n});
  }
};

struct math_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 1});
    auto out = out_ptr + offs;
    tl.store(out + 0 * n, tl.exp(x), {.mask = mask});
    tl.store(out + 1 * n, tl.exp2(x), {.mask = mask});
    tl.store(out + 2 * n, tl.log(tl.abs(x)), {.mask = mask});
    tl.store(out + 3 * n, tl.log2(tl.abs(x)), {.mask = mask});
    tl.store(out + 4 * n, tl.rsqrt(tl.abs(x)), {.mask = mask});
    tl.store(out + 5 * n, tl.sin(x), {.mask = mask});
    tl.store(out + 6 * n, tl.cos(x), {.mask = mask});
    tl.store(out + 7 * n, tl.erf(x), {.mask = mask});
    tl.store(out + 8 * n, tl.sigmoid(x), {.mask = mask});
    tl.store(out + 9 * n, tl.fma(x, x, 1.0), {.mask = mask});
  }
};

// Shapes there and back: out = x, and its transpose.
struct shapes_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, ptr auto t_ptr, constexpr_ auto M,
                  constexpr_ auto N) const {
    auto i = tl.arange(0, M);
    auto j = tl.arange(0, N);
    auto offs = i(_, None) * N + j(None, _);
    auto x = tl.load(x_ptr + offs);
    auto [a, b] = tl.split(tl.permute(tl.reshape(x, tl.shape(M, 2_c, N / 2_c)), tl.axes(0_c, 2_c, 1_c)));
    auto y = tl.reshape(tl.permute(tl.join(a, b), tl.axes(0_c, 2_c, 1_c)), tl.shape(M, N));
    tl.store(out_ptr + offs, tl.convert_layout(y));
    tl.store(t_ptr + tl.arange(0, N)(_, None) * M + tl.arange(0, M)(None, _), tl.trans(x));
  }
};

struct reductions_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto rows_ptr, ptr auto cols_ptr, ptr auto all_ptr, constexpr_ auto M,
                  constexpr_ auto N) const {
    auto i = tl.arange(0, M);
    auto j = tl.arange(0, N);
    auto x = tl.load(x_ptr + i(_, None) * N + j(None, _));
    auto rows = rows_ptr + i;
    auto cols = cols_ptr + j;
    tl.store(rows + 0 * M, tl.sum(x, 1_c));
    tl.store(rows + 1 * M, tl.max(x, 1_c));
    tl.store(rows + 2 * M, tl.argmax(x, 1_c));
    tl.store(rows + 3 * M, tl.reduce(x, 1_c, [](auto a, auto b) { return a + b; }));
    tl.store(cols + 0 * N, tl.sum(x, 0));
    tl.store(cols + 1 * N, tl.min(x, 0));
    tl.store(cols + 2 * N, tl.argmin(x, 0));
    tl.store(all_ptr, tl.max(tl.max(x, 1_c), 0));
    auto running = tl.cumsum(x, 1_c);
    auto down = tl.cumsum(x, 0);
    auto offs = 1 + i(_, None) * N + j(None, _);
    tl.store(all_ptr + offs, running);
    tl.store(all_ptr + M * N + offs, down);
  }
};

// Offsets and masks that are no plain boxes.
struct indices_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto m, int_ auto n, int_ auto stride,
                  constexpr_ auto M, constexpr_ auto N) const {
    auto i = tl.arange(0, M);
    auto j = tl.arange(0, N);
    auto inside = (i(_, None) < m) & (j(None, _) < n);
    auto out = out_ptr + i(_, None) * N + j(None, _);
    auto size = M * N;
    tl.store(out, tl.load(x_ptr + i(_, None) * stride + j(None, _), {.mask = inside, .other = -1}));
    tl.store(out + size, tl.where(i(_, None) >= j(None, _), i(_, None) - j(None, _), 100));
    auto wrapped = (i * 3 + 1) % m;  // no longer affine
    tl.store(out + 2 * size,
             tl.load(x_ptr + wrapped(_, None) * stride + j(None, _), {.mask = j(None, _) < n, .other = 7}));
    auto stripes = (j(None, _) % 2 == 0) | (i(_, None) == 3);
    tl.store(out + 3 * size, tl.where(stripes & inside, 1, 0));
    auto row = tl.load(x_ptr + j, {.mask = j < n, .other = 0});
    auto column = tl.load(x_ptr + i * stride, {.mask = i < m, .other = 0});
    tl.store(out + 4 * size, column(_, None) * 10 + row(None, _));
    tl.store(out + 5 * size, tl.broadcast_to(i(_, None), tl.shape(M, N)) + (n - j)(None, _),
             {.mask = ~(j(None, _) == 1)});
    tl.store(out + 6 * size, row(None, _) + tl.zeros(tl.shape(M, N), tl.int32), {.mask = row(None, _) > 2});
  }
};

struct random_kernel {
  void operator()(auto& tl, ptr auto bits_ptr, ptr auto out_ptr, int_ auto seed, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    tl.store(bits_ptr + offs, tl.randint(seed, offs), {.mask = mask});
    tl.store(out_ptr + offs, tl.rand(seed, offs), {.mask = mask});
    tl.store(out_ptr + n + offs, tl.randn(seed, offs), {.mask = mask});
  }
};

// counts[x[i]] += 1, total += n; every lane once
struct atomics_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto counts_ptr, ptr auto total_ptr, int_ auto n,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask, .other = 0});
    tl.atomic_add(counts_ptr + x, 1, {.mask = mask});
    tl.atomic_add(total_ptr, tl.sum(mask.to(tl.int32), 0));
  }
};

struct block_pointers_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto m, int_ auto n, int_ auto stride,
                  constexpr_ auto M, constexpr_ auto N) const {
    auto x = tl.make_block_ptr(x_ptr, tl.tuple(m, n), tl.tuple(stride, 1_c), tl.tuple(0, 0), tl.shape(M, N),
                               tl.axes(1_c, 0_c));
    auto out =
        tl.make_block_ptr(out_ptr, tl.tuple(m, n), tl.tuple(n, 1_c), tl.tuple(0, 0), tl.shape(M, N), tl.axes(1_c, 0_c));
    for ([[maybe_unused]] auto j : tl.range(0, n, N)) {
      auto v = tl.load(x, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
      tl.store(out, v + tl.sum(tl.sum(v, 1_c), 0), {.boundary_check = tl.axes(0_c, 1_c)});
      x = tl.advance(x, tl.tuple(0, N));
      out = tl.advance(out, tl.tuple(0, N));
    }
  }
};

struct descriptors_kernel {
  void operator()(auto& tl, descriptor auto x_desc, descriptor auto out_desc, int_ auto m, int_ auto n,
                  constexpr_ auto M, constexpr_ auto N) const {
    for (auto i : tl.range(0, m, M))
      for (auto j : tl.range(0, n, N)) {
        auto x = x_desc.load({i, j});
        out_desc.store({i, j}, (x.to(tl.float32) * 2).to(out_desc.dtype));
      }
  }
};

// Control flow: reduced scalars in conditions, loop-carried pointers, constants.
struct control_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto out_ptr, int_ auto n, constexpr_ auto BLOCK,
                  constexpr_ auto TWICE) const {
    auto offs = tl.arange(0, BLOCK);
    auto ptrs = x_ptr + offs;
    auto acc = tl.zeros(tl.shape(BLOCK), tl.int32);
    for (auto start : tl.range(0, n, BLOCK)) {
      auto x = tl.load(ptrs, {.mask = start + offs < n, .other = 0});
      if (tl.max(x, 0) > 50) acc += x;
      ptrs += BLOCK;
    }
    auto left = tl.sum(acc, 0);
    auto steps = left - left;
    while (left > 0) {
      left = left / 2;
      steps += 1;
    }
    tl.static_for(3_c, [&](auto i) { acc += i * 100; });
    auto y = tl.static_if(TWICE, [&] { return acc * 2; }, [&] { return acc; });
    tl.device_assert(steps >= 0, "steps count up");
    tl.print_if("y = {}", "=0", y);
    tl.store(out_ptr + offs, y);
    tl.store(out_ptr + BLOCK, steps);
  }
};

struct dot_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, constexpr_ auto M, constexpr_ auto N,
                  constexpr_ auto K) const {
    auto i = tl.arange(0, M);
    auto j = tl.arange(0, N);
    auto l = tl.arange(0, K);
    auto a = tl.load(a_ptr + i(_, None) * K + l(None, _));
    auto b = tl.load(b_ptr + l(_, None) * N + j(None, _));
    auto c = tl.dot(a, b);
    auto bias = tl.sum(a.to(tl.float32), 1_c);
    tl.store(c_ptr + i(_, None) * N + j(None, _), c + bias(_, None));
  }
};

}  // namespace tl::kernels
