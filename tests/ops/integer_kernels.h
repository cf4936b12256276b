// Integers at their limits, loops downward, literals of every C++ type: where C++ itself would decide otherwise than
// the language.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// Each expression one that a compiler may fold where overflow is left open.
struct wrapping_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs);
    tl.store(out + offs, (x + 1 > x).to(tl.int32));
    tl.store(out + N + offs, x * 2 / 2);
    tl.store(out + 2 * N + offs, tl.abs(x));
    tl.store(out + 3 * N + offs, -x - 1);
    tl.store(out + 4 * N + offs, tl.cumsum(x, 0));
    tl.store(out + 5 * N, tl.sum(x, 0));
    auto m = n + 1;
    if (m > n) {
      tl.store(out + 5 * N + 1, 1);
    } else {
      tl.store(out + 5 * N + 1, 2);
    }
    tl.store(out + 5 * N + 2, n * n);
  }
};

// Offsets wrap as any i32 does, before they are widened and before they are compared.
struct wrapping_offsets_kernel {
  void operator()(auto& tl, ptr auto wide, ptr auto masks, int_ auto n, int_ auto stride, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    tl.store(wide + offs, (offs * 1000000000).to(tl.int64));
    tl.store(wide + N + offs, (offs * stride).to(tl.int64));
    tl.store(wide + 2 * N + offs, (offs + n).to(tl.int64) * 0 + (offs * stride + n));
    tl.store(wide + 3 * N + offs, offs.to(tl.int64) * stride);
    auto from_n = offs + n;
    tl.store(masks + offs, (from_n < 100).to(tl.int32));
    tl.store(masks + N + offs, (from_n >= 0).to(tl.int32));
    tl.store(masks + 2 * N + offs, (from_n == n + 3).to(tl.int32));
    tl.store(masks + 3 * N + offs, (offs + 2000000000 > -2000000000).to(tl.int32));
    tl.store(masks + 4 * N + offs, (offs * 100000000 < 100).to(tl.int32));
    tl.store(masks + 5 * N + offs, (from_n > offs).to(tl.int32));
    tl.store(masks + 6 * N + offs, offs, {.mask = from_n >= 0});
  }
};

// Digits of the loop's values, in the order of its turns.
struct range_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, ptr auto tiles, int_ auto step, ptr auto bound,
                  constexpr_ auto N) const {
    auto zero = tl.program_id(0) * 0;
    auto digits = zero;
    for (auto i : tl.range(5, 0, -1)) digits = digits * 10 + i;
    tl.store(out, digits);
    digits = zero;
    for (auto i : tl.range(9, 0, step)) digits = digits * 10 + i;
    tl.store(out + 1, digits);
    digits = zero;
    for (auto i : tl.range(7, 0, -3_c, {.num_stages = 2})) digits = digits * 10 + i;
    tl.store(out + 2, digits);
    digits = zero;
    for (auto i : tl.range(2, 5, -1)) digits += i + 1;
    for (auto i : tl.range(5, 2, 1)) digits += i + 1;
    tl.store(out + 3, digits);
    auto turns = zero;
    for (auto i : tl.range(4000000000, tl.load(bound))) turns = turns + tl.where(i > 4000000000, 10, 1);
    tl.store(out + 4, turns);
    auto offs = tl.arange(0, N);
    auto total = tl.zeros(tl.shape(N), tl.float32);
    for (auto start : tl.range(3 * N, -1, -N))
      total = total * 2 + tl.load(in + start + offs, {.mask = start + offs < 4 * N, .other = 0});
    tl.store(tiles + offs, total);
  }
};

struct still_range_kernel {
  void operator()(auto& tl, ptr auto out) const {
    for (auto i : tl.range(5, 0, 0_c)) tl.store(out + i, i);
  }
};

// Literals of more than 32 bits, and unsigned ones.
struct long_literals_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, ptr auto words, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs);
    tl.store(out + offs, x + 3000000000);
    tl.store(out + N + offs, x + 3l);
    tl.store(out + 2 * N + offs, (x < 3000000000).to(tl.int64));
    tl.store(out + 3 * N + offs, tl.full(tl.shape(N), 5000000000, tl.int64));
    tl.store(out + 4 * N + offs, tl.where(offs < 4, 3000000000ll, 1).to(tl.int64));
    tl.store(out + 5 * N + offs, ((offs < 4) + 3000000000ll).to(tl.int64));
    tl.store(out + 6 * N + offs, x & 0xFFFFFFFFFFull);
    tl.store(out + 7 * N + offs, offs.to(tl.int64) * 3000000000);
    tl.store(out + 8 * N + offs, (tl.load(words + offs) ^ 0x9E3779B9u).to(tl.int64));
    tl.store(out + 9 * N + offs, tl.program_id(0).to(tl.int64) + 3000000000);
    tl.store(out + 3000000000 - 3000000000 + 10 * N + offs, 7);
  }
};

// What is stored or filled in is cast, as a value would be.
struct stored_literals_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    tl.store(out + offs, 300);
    tl.store(out + N + offs, -1);
    tl.store(out + 2 * N + offs, tl.full(tl.shape(N), 300, out.dtype));
    tl.store(out + 3 * N + offs, tl.full(tl.shape(N), -1, out.dtype));
    tl.store(out + 4 * N + offs, tl.load(in + offs, {.mask = offs < 4, .other = 300}));
    tl.store(out + 5 * N + offs, 5000000044);
    tl.store(out + 6 * N, -2);
  }
};

// Scalars in join and from split, the literal 0 for 0_c, axes from the end, three axes transposed, masks chosen from
// true and false.
struct shape_words_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto N) const {
    auto pid = tl.program_id(0);
    auto x = tl.arange(0, N);
    auto wide = tl.reshape(x, tl.shape(2_c, N / 2_c));
    auto pair = tl.arange(0, 2_c);
    tl.store(out + pair, tl.join(pid + 1, pid + 2));
    auto [a, b] = tl.split(tl.arange(0, 2_c) + 5);
    tl.store(out + 2, a);
    tl.store(out + 3, b);
    tl.store(out + 4 + tl.arange(0, x.shape[0]), tl.permute(x, tl.axes(0)));
    tl.store(out + 4 + N + x, tl.reshape(tl.permute(wide, tl.axes(1_c, 0)), tl.shape(N)));
    tl.store(out + 4 + 2 * N + pair, tl.sum(wide, -1_c));
    tl.store(out + 6 + 2 * N + pair, tl.argmax(wide, -1_c));
    tl.store(out + 8 + 2 * N + x, tl.reshape(tl.trans(tl.reshape(x, tl.shape(2_c, 2_c, N / 4_c))), tl.shape(N)));
    tl.store(out + 8 + 3 * N + x, x, {.mask = tl.where(x < 4, true, false)});
    tl.store(out + 8 + 4 * N + x, tl.reshape(tl.join(pid + 3, tl.arange(0, N / 2_c)), tl.shape(N)));
  }
};

// Refused by both: an axis twice.
struct repeated_axis_kernel {
  void operator()(auto& tl, ptr auto out) const {
    auto x = tl.reshape(tl.arange(0, 16_c), tl.shape(4_c, 4_c));
    tl.store(out + tl.arange(0, 16_c), tl.reshape(tl.permute(x, tl.axes(0_c, 0_c)), tl.shape(16_c)));
  }
};

// Refused by both: an axis that has no other to change places with.
struct flat_trans_kernel {
  void operator()(auto& tl, ptr auto out) const {
    auto x = tl.arange(0, 8_c);
    tl.store(out + x, tl.trans(x));
  }
};

}  // namespace tl::test
