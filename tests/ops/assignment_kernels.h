// Everyday assignments, to offsets, masks, scalars and pointers: what a Triton user writes without a thought.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// Steps that keep the offsets' form, so that CUDA keeps wide accesses.
struct stepped_offsets_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto steps, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto total = tl.zeros(tl.shape(N), tl.float32);
    for (auto i : tl.range(steps)) {
      auto mask = offs < steps * N - 3;
      mask = mask & (offs > i);
      total += tl.load(in + offs, {.mask = mask, .other = 0});
      offs += N;
    }
    tl.store(out + tl.arange(0, N), total);
  }
};

struct changed_offsets_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto k = tl.arange(0, N);
    auto x = k;
    x = x + 1;
    x += n;
    x *= 2;
    x = -x;
    tl.store(out + k, x);
    x = x % 4;
    tl.store(out + N + k, x);
    x = tl.load(in + k);
    x -= n;
    tl.store(out + 2 * N + k, tl.load(in + x));
    auto grid = k(_, None) * 2 + tl.arange(0, 2_c)(None, _);
    grid = grid + 4;
    tl.store(out + 3 * N + k, tl.sum(grid, 1_c));
    auto to = out + 4 * N + k;
    if (n > 0) to = out + 4 * N + (k * -1 + N - 1);
    tl.store(to, k);
  }
};

struct changed_masks_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n, constexpr_ auto N) const {
    auto k = tl.arange(0, N);
    auto m = k < 3;
    m = m | (k > 5);
    tl.store(out + k, k, {.mask = m});
    m = ~m;
    tl.store(out + N + k, k, {.mask = m});
    m ^= k > 4;
    tl.store(out + 2 * N + k, k, {.mask = m});
    m = k % 2 == 0;
    m &= k > n;
    m |= k == 0;
    tl.store(out + 3 * N + k, m.to(tl.int32));
  }
};

// For every n, 1 and 16 too: CUDA knows these.
struct changed_scalars_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n) const {
    auto s = tl.load(in);
    s = n;
    tl.store(out, s);
    auto twice = n * 2;
    twice += tl.program_id(0) + 1;
    tl.store(out + 1, twice);
    auto quarter = tl.cdiv(n, 4);
    quarter = tl.minimum(quarter, 3);
    tl.store(out + 2, quarter);
    auto left = n;
    auto turns = tl.program_id(0);
    while (left > 0) {
      left = left - 3;
      turns += 1;
    }
    tl.store(out + 3, turns);
    auto is_large = n > 3;
    is_large = tl.sum(tl.arange(0, 8_c), 0) > 28 - n;
    if (is_large) tl.store(out + 4, n);
    auto p = in;
    p += 1;
    tl.store(out + 5, tl.load(p) + tl.load(p + n));
  }
};

// What begins as an argument, too, at every value of it.
struct assigned_literals_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n, float_ auto scale, constexpr_ auto N) const {
    auto i = n;
    i = -1;
    tl.store(out, i.to(tl.float32));
    auto far = tl.scalar(0, tl.int64);
    far = 5000000000;
    tl.store(out + 1, (far / 1000000000).to(tl.float32));
    auto s = scale;
    s = 3;
    tl.store(out + 2, s);
    s = 0.25;
    tl.store(out + 3, s);
    s = -inf;
    tl.store(out + 4, s);
    auto last = tl.scalar(0, tl.int32);
    auto found = n > 100;
    for (auto k : tl.range(0, 6)) {
      if (k == 2) {
        last = N;
        found = true;
      } else {
        last = last + k;
      }
    }
    if (found) tl.store(out + 5, last.to(tl.float32));
  }
};
struct float_to_int_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n) const {
    auto i = n;
    i = 0.5;
    tl.store(out, i);
  }
};
struct int_to_bool_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto n) const {
    auto found = n > 3;
    found = 1;
    if (found) tl.store(out, n);
  }
};
struct large_to_byte_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto) const {
    auto b = tl.scalar(1, tl.uint8);
    b = 300;
    tl.store(out, b);
  }
};
struct literal_to_block_kernel {
  void operator()(auto& tl, ptr auto out, int_ auto) const {
    auto x = tl.zeros(tl.shape(8_c), tl.float32);
    x = 0.5;
    tl.store(out + tl.arange(0, 8_c), x);
  }
};

// A byte and an int argument add up in int32, whatever the argument's value.
struct strong_argument_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto k = tl.arange(0, N);
    tl.store(out + k, (tl.load(in + k) + n).to(tl.int32));
  }
};

// Assigned offsets beside tiles of pointers.
struct changed_beside_tiles_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    offs = offs ^ 1;
    auto total = tl.zeros(tl.shape(N), tl.float32);
    for (auto start : tl.range(0, n, N)) {
      auto x = tl.load(in + start + offs, {.mask = start + offs < n, .other = 0});
      total = total * 2 + x + start;
    }
    tl.store(out + tl.arange(0, N), total);
  }
};

}  // namespace tl::test
