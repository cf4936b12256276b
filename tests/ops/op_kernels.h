// One op a row: each kernel stores the results of several ops below each other, so that a few kernels cover the
// language.
#pragma once
#include "interp/tl.h"

namespace tl::test {

struct math_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto row = tl.num_programs(0) * N;
    auto x = tl.load(in + offs);
    auto positive = tl.abs(x);
    tl.store(out + offs, tl.exp(x));
    tl.store(out + row + offs, tl.exp2(x));
    tl.store(out + row * 2 + offs, tl.log(positive));
    tl.store(out + row * 3 + offs, tl.log2(positive));
    tl.store(out + row * 4 + offs, tl.sqrt(positive));
    tl.store(out + row * 5 + offs, tl.rsqrt(positive));
    tl.store(out + row * 6 + offs, positive);
    tl.store(out + row * 7 + offs, tl.sin(x));
    tl.store(out + row * 8 + offs, tl.cos(x));
  }
};

struct arithmetic_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto row = tl.num_programs(0) * N;
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    tl.store(out + offs, x + y);
    tl.store(out + row + offs, x - y);
    tl.store(out + row * 2 + offs, x * y);
    tl.store(out + row * 3 + offs, x / y);
    tl.store(out + row * 4 + offs, tl.minimum(x, y));
    tl.store(out + row * 5 + offs, tl.maximum(x, y));
    tl.store(out + row * 6 + offs, tl.where(x < y, x, y * 2));
    tl.store(out + row * 7 + offs, -x);
  }
};

struct integer_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto row = tl.num_programs(0) * N;
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    auto shift = y & 7;
    tl.store(out + offs, x % y);
    tl.store(out + row + offs, x & y);
    tl.store(out + row * 2 + offs, x | y);
    tl.store(out + row * 3 + offs, x ^ y);
    tl.store(out + row * 4 + offs, x << shift);
    tl.store(out + row * 5 + offs, x >> shift);
    tl.store(out + row * 6 + offs, ~x);
  }
};

struct comparison_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(x_ptr + offs);
    auto y = tl.load(y_ptr + offs);
    auto bits = (x < y).to(tl.int32) + (x <= y).to(tl.int32) * 2 + (x > y).to(tl.int32) * 4 +
                (x >= y).to(tl.int32) * 8 + (x == y).to(tl.int32) * 16 + (x != y).to(tl.int32) * 32;
    tl.store(out + offs, bits);
  }
};

struct cast_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto mask = offs < n;
    tl.store(out + offs, tl.load(in + offs, {.mask = mask, .other = 0}).to(out.dtype), {.mask = mask});
  }
};

struct row_reduction_kernel {
  void operator()(auto& tl, ptr auto sums, ptr auto maxima, ptr auto minima, ptr auto positions, ptr auto in,
                  constexpr_ auto M, constexpr_ auto N) const {
    auto rows = tl.arange(0, M);
    auto x = tl.load(in + rows(_, None) * N + tl.arange(0, N)(None, _));
    tl.store(sums + rows, tl.sum(x, 1_c));
    tl.store(maxima + rows, tl.max(x, 1_c));
    tl.store(minima + rows, tl.min(x, 1_c));
    tl.store(positions + rows, tl.argmax(x, 1_c));
  }
};

struct column_reduction_kernel {
  void operator()(auto& tl, ptr auto sums, ptr auto maxima, ptr auto minima, ptr auto positions, ptr auto in,
                  constexpr_ auto M, constexpr_ auto N) const {
    auto cols = tl.arange(0, N);
    auto x = tl.load(in + tl.arange(0, M)(_, None) * N + cols(None, _));
    tl.store(sums + cols, tl.sum(x, 0));
    tl.store(maxima + cols, tl.reduce(x, 0, [&](auto a, auto b) { return tl.maximum(a, b); }));
    tl.store(minima + cols, tl.min(x, 0));
    tl.store(positions + cols, tl.argmin(x, 0));
  }
};

struct cumsum_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto offs = tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _);
    tl.store(out + offs, tl.cumsum(tl.load(in + offs), 1_c));
  }
};

struct dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto M, constexpr_ auto N,
                  constexpr_ auto K) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto a = tl.load(a_ptr + m(_, None) * K + k(None, _));
    auto b = tl.load(b_ptr + k(_, None) * N + n(None, _));
    auto acc = tl.full(tl.shape(M, N), 1, tl.float32);
    tl.store(out + m(_, None) * N + n(None, _), tl.dot(a, b, acc));
  }
};

struct ieee_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a_ptr, ptr auto b_ptr, constexpr_ auto M, constexpr_ auto N,
                  constexpr_ auto K) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto k = tl.arange(0, K);
    auto a = tl.load(a_ptr + m(_, None) * K + k(None, _));
    auto b = tl.load(b_ptr + k(_, None) * N + n(None, _));
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    tl.store(out + m(_, None) * N + n(None, _), tl.dot(a, b, acc, tl.ieee));
  }
};

}  // namespace tl::test
