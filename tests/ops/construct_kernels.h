// Constructs that the interpreter and CUDA must treat alike, each in a kernel as small as it can be.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// A constant computed from constants sizes a block.
auto inner(auto& tl, constexpr_ auto STAGE) { return tl.arange(0, STAGE * 4_c); }

struct constant_arithmetic_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto STAGE) const {
    auto offs = inner(tl, 4_c - STAGE);
    tl.store(out + offs, offs);
  }
};

// Sizes that an op computes of constants; `?:` gives a plain int, which counts but sizes nothing.
struct constant_choice_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n, constexpr_ auto A, constexpr_ auto B) const {
    auto larger = tl.arange(0, tl.maximum(A, B));
    auto smaller = tl.arange(0, tl.minimum(A, B * 1_c));
    auto chosen = tl.arange(0, tl.static_if(A > B, [&] { return A; }, [&] { return B; }));
    tl.store(out + larger, larger);
    tl.store(out + smaller, smaller + (n > 3 ? A : B));
    tl.store(out + 0x10_c + chosen, chosen);
  }
};

// Columns cut in two halves: reshape to (M, 2, N / 2), permute, split; the halves are stored side by side, swapped.
struct split_halves_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto rows = tl.arange(0, M);
    auto cols = tl.arange(0, N);
    auto x = tl.load(in + rows(_, None) * N + cols(None, _));
    auto [left, right] = tl.split(tl.permute(tl.reshape(x, tl.shape(M, 2_c, N / 2_c)), tl.axes(0_c, 2_c, 1_c)));
    auto half = tl.arange(0, N / 2_c);
    tl.store(out + rows(_, None) * N + half(None, _), right);
    tl.store(out + rows(_, None) * N + N / 2_c + half(None, _), left);
  }
};

// split, join, permute and reshape back: the same block.
struct round_trip_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto offs = tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _);
    auto x = tl.load(in + offs);
    auto [a, b] = tl.split(tl.permute(tl.reshape(x, tl.shape(M, 2_c, N / 2_c)), tl.axes(0_c, 2_c, 1_c)));
    auto y = tl.reshape(tl.permute(tl.join(a, b), tl.axes(0_c, 2_c, 1_c)), tl.shape(M, N));
    tl.store(out + offs, y);
  }
};

struct transpose_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto M, constexpr_ auto N) const {
    auto rows = tl.arange(0, M);
    auto cols = tl.arange(0, N);
    auto x = tl.load(in + rows(_, None) * N + cols(None, _));
    tl.store(out + cols(_, None) * M + rows(None, _), tl.trans(x));
  }
};

// `if` on a reduced scalar decides what a program stores.
struct branch_on_scalar_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto N) const {
    auto pid = tl.program_id(0);
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + pid * N + offs);
    if (tl.sum(x, 0) > 0) {
      tl.store(out + pid * N + offs, x);
    } else {
      tl.store(out + pid * N + offs, -x);
    }
  }
};

// Helpers two deep, the inner one with a constant; int_ and float_ of a helper take numbers of every kind.
auto plus(auto&, int_ auto x, int_ auto y, float_ auto z) { return x + y + (z > 0); }
auto scaled(auto&, auto x, constexpr_ auto FACTOR) { return x * FACTOR; }
auto scaled_and_shifted(auto& tl, auto x, auto shift, constexpr_ auto FACTOR) {
  return scaled(tl, x, FACTOR + 1_c) + shift;
}

struct helpers_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    tl.store(out + offs, scaled_and_shifted(tl, offs, plus(tl, plus(tl, tl.program_id(0), 2_c, 0.5), 3, 1.5f), 2_c));
  }
};

// Names bound from a tuple are used in a lambda (bound again by `auto`, since clang 14 refuses to capture structured
// bindings).
struct tuple_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto rows, int_ auto cols, constexpr_ auto N) const {
    auto [row, col] = tl.swizzle2d(tl.program_id(0) / cols, tl.program_id(0) % cols, rows, cols, 2_c);
    auto r = row;
    auto c = col;
    auto offset = [&](auto step) { return (r * cols + c) * N + step; };
    tl.store(out + offset(tl.arange(0, N)), tl.full(tl.shape(N), 1, tl.int32) * tl.program_id(0));
  }
};

// What an int argument can do it does at every value; CUDA makes a constant of 1.
struct int_argument_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n) const {
    tl.store(out, n.to(tl.float32) / 2);
    tl.store(out + 1, tl.cast(n, tl.float32) + tl.minimum(n, 5) + tl.maximum(3, n) + tl.clamp(n, 2, 4) + tl.abs(n));
    tl.store(out + 2, n * n + n + tl.umulhi(n, 5) + tl.cdiv(n, 2) + tl.where(n > 2, n, 9));
    tl.store(out + 3, tl.exp2(n));
    tl.store(out + 4, (tl.randint(n, n) == tl.randint(n + 0, tl.program_id(0) + n)).to(tl.float32));
    auto offs = tl.arange(0, 8_c);
    tl.store(out + 8 + offs, tl.load(in + offs * n) + tl.broadcast_to(n, tl.shape(8_c)));
  }
};

// A float argument, infinities, hints that hold, and what only the interpreter acts on.
struct float_argument_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, float_ auto scale, int_ auto n, constexpr_ auto N) const {
    tl.assume(n > 0);
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs, {.mask = offs < n, .other = -tl.inf});
    tl.print_if("scale = {}, x = {}", "=1,=1", scale, x);
    tl.breakpoint_if("=1,=1");
    tl.store(out + offs, tl.where(x == -inf, inf, x * scale));
    tl.store(out + N, scale);
    tl.store(out + N + 1, tl.max(x, 0) / scale);
  }
};

// ! of a mask, of a comparison, of a loaded block and of a scalar.
struct logical_not_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto mask = offs < n;
    auto x = tl.load(in + offs);
    tl.store(out + offs, (!mask).to(tl.int32) + (!(x > 2)).to(tl.int32) * 2 + (!x).to(tl.int32) * 4);
    tl.store(out + N + offs, offs, {.mask = !mask});
    if (!(n > 100)) tl.store(out, tl.load(in));
  }
};

struct static_if_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto WIDE) const {
    auto x = tl.static_if(WIDE, [&] { return tl.arange(0, 32_c); }, [&] { return tl.arange(0, 8_c); });
    tl.store(out + x, x + 1);
    tl.static_for(3_c, [&](auto i) { tl.store(out + 32 + i, i * 10_c); });
    tl.static_if(  // where it is not wide its shape does not fit
        WIDE, [&](auto& tl) { tl.store(out + 36 + tl.arange(0, 4_c), tl.max(tl.reshape(x, tl.shape(4_c, 8_c)), 1_c)); },
        [&](auto& tl) { tl.store(out + 36, tl.program_id(0)); });
  }
};

struct random_kernel {
  void operator()(auto& tl, ptr auto uniform, ptr auto integers, int_ auto seed, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    tl.store(uniform + offs, tl.rand(seed, offs));
    tl.store(integers + offs, tl.randint(seed, offs));
  }
};

struct assertion_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    tl.device_assert(offs < n, "offs stay below n");
    tl.store(out + offs, offs);
  }
};

// Refused by both: the branch would give x another shape.
struct reshaping_branch_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n) const {
    auto x = tl.arange(0, 16_c);
    if (n > 0) x = tl.arange(0, 32_c);
    tl.store(out + x, x);
  }
};

// Refused by both: a block dimension of 24 is no power of two.
struct odd_block_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto N) const {
    auto x = tl.arange(0, N);
    tl.store(out + x, x);
  }
};

// Refused by both: assignment would change the dtype.
struct changed_dtype_kernel {
  void operator()(auto& tl, ptr auto out) const {
    auto x = tl.arange(0, 16_c);
    x = x.to(tl.float32);
    tl.store(out + tl.arange(0, 16_c), x);
  }
};

}  // namespace tl::test
