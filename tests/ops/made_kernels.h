// Constants that are floats, texts and enumerators; pointers and descriptors that a kernel makes.
#pragma once
#include "interp/tl.h"

namespace tl::test {

enum scaling { plain, doubled };

auto activated(auto& tl, auto x, constexpr_ auto ACTIVATION) {
  if (ACTIVATION == "leaky_relu") x = tl.where(x > 0, x, x * 0.25);
  if (ACTIVATION == "square") x = x * x;
  return x;
}

struct constants_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto SCALE, constexpr_ auto ACTIVATION,
                  constexpr_ auto SCALING, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = activated(tl, tl.load(in + offs), ACTIVATION) * SCALE;
    if (SCALING == doubled) x = x * 2;
    if (SCALE > 0.75) x = -x;
    auto kept = tl.static_if(ACTIVATION == "none"_c, [&] { return tl.load(in + offs); }, [&] { return x; });
    auto count = tl.static_if(SCALE * 2_c == 3_c, [&] { return 2_c; }, [&] { return 1_c; });
    tl.store(out + offs, kept + tl.sum(tl.full(tl.shape(count), 1.0, tl.float32), 0));
  }
};

// x under the dtype that the launch says, and 1 more where that is fp16.
struct dtype_constant_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, constexpr_ auto ACC, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto x = tl.load(in + offs);
    auto acc = tl.zeros(x.shape, ACC);
    acc += x.to(ACC);
    auto y = acc.to(tl.float32);
    if (ACC == tl.float16) y += 1;
    tl.store(out + offs, y);
  }
};

// A value of no axis, a block of another's shape, and a new axis among five.
struct shapes_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in) const {
    auto offs = tl.arange(0, 16_c);
    auto x = tl.load(in + offs);
    auto y = tl.reshape(x, tl.shape(2_c, 2_c, 1_c, 2_c, 2_c)) + tl.arange(0, 2_c)(None, None, None, _, None) * 100;
    auto total = tl.full(tl.shape(), 0.5, tl.float32);
    total += tl.sum(y);
    auto z = y + tl.full(y.shape, 1, tl.float32);
    tl.store(out + offs, tl.reshape(z, x.shape));
    tl.store(out + 16, total);
  }
};

// y = 2 x of the tensors that two tables lead to, one a program.
struct addresses_kernel {
  void operator()(auto& tl, ptr auto from, ptr auto to, int_ auto n, constexpr_ auto N) const {
    auto pid = tl.program_id(0);
    auto x_ptr = tl.load(from + pid).to(tl.pointer_type(tl.float16));
    auto y_ptr = tl.load(to + pid).to(tl.pointer_type(tl.float32));
    auto offs = tl.arange(0, N);
    auto x = tl.load(x_ptr + offs, {.mask = offs < n});
    tl.store(y_ptr + offs, x.to(tl.float32) * 2, {.mask = offs < n});
  }
};

struct block_of_addresses_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto from) const {
    auto ptrs = tl.load(from + tl.arange(0, 2_c)).to(tl.pointer_type(tl.float32));
    tl.store(out, tl.load(ptrs));
  }
};

// Tiles of a matrix by descriptors that the kernel makes: copied, and added to what is there.
struct made_descriptor_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto sums, ptr auto in, int_ auto m, int_ auto n, int_ auto stride,
                  constexpr_ auto B) const {
    auto i = tl.program_id(0) * B;
    auto j = tl.program_id(1) * B;
    auto from = tl.make_tensor_descriptor(in, tl.tuple(m, n), tl.tuple(stride, 1_c), tl.shape(B, B));
    auto to = tl.make_tensor_descriptor(out, tl.tuple(m, n), tl.tuple(stride, 1_c), tl.shape(B, B));
    auto all = tl.make_tensor_descriptor(sums, tl.tuple(m, n), tl.tuple(stride, 1_c), tl.shape(B, B));
    auto x = from.load({i, j});
    to.store({i, j}, x);
    all.atomic_add({i, j}, x.to(sums.dtype));
    all.atomic_add({i, j}, x.to(sums.dtype));
  }
};

// Rows that a list names, and back in the other order; by a descriptor that is an argument.
struct gathered_rows_kernel {
  void operator()(auto& tl, ptr auto out, descriptor auto to, descriptor auto from, ptr auto rows, int_ auto column,
                  constexpr_ auto R, constexpr_ auto B) const {
    auto r = tl.load(rows + tl.arange(0, R));
    auto x = from.gather(r, column);
    tl.store(out + tl.arange(0, R)(_, None) * B + tl.arange(0, B)(None, _), x);
    to.scatter(x, r, column);
  }
};

// c = a b of scaled narrow floats, SHARE of them along k by one scale; the scales of b may be absent.
struct scaled_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a, ptr auto a_scales, ptr auto b, ptr auto b_scales,
                  constexpr_ auto A_FORMAT, constexpr_ auto B_FORMAT, constexpr_ auto SHARE, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto K) const {
    auto m = tl.arange(0, M);
    auto n = tl.arange(0, N);
    auto ka = tl.static_if(A_FORMAT == "e2m1"_c, [&] { return K / 2_c; }, [&] { return K / 1_c; });
    auto kb = tl.static_if(B_FORMAT == "e2m1"_c, [&] { return K / 2_c; }, [&] { return K / 1_c; });
    auto x = tl.load(a + m(_, None) * ka + tl.arange(0, ka)(None, _));
    auto y = tl.load(b + tl.arange(0, kb)(_, None) * N + n(None, _));
    auto k = tl.arange(0, K / SHARE);
    auto sx = tl.load(a_scales + m(_, None) * (K / SHARE) + k(None, _));
    auto sy = tl.load(b_scales + n(_, None) * (K / SHARE) + k(None, _));
    auto c = tl.dot_scaled(x, sx, A_FORMAT, y, None, B_FORMAT);
    c = tl.dot_scaled(x, sx, A_FORMAT, y, sy, B_FORMAT, c);
    tl.store(out + m(_, None) * N + n(None, _), c);
  }
};

// An accumulator of fp16, from zero and from what it is.
struct narrow_sum_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a, ptr auto b, constexpr_ auto N) const {
    auto i = tl.arange(0, N);
    auto at = i(_, None) * N + i(None, _);
    auto x = tl.load(a + at);
    auto y = tl.load(b + at);
    auto c = tl.dot(x, y, tl.float16);
    c = tl.dot(x, y, c);
    tl.store(out + at, c);
  }
};

struct printing_kernel {
  void operator()(auto& tl, ptr auto out, constexpr_ auto NAME, constexpr_ auto N) const {
    auto offs = tl.arange(0, N) + tl.program_id(0) * N;
    tl.static_print("{} of {}", NAME, N);
    tl.print_if("offs = {}, mask = {}", ">0", offs, offs < 5);
    tl.device_print("x = ", offs.to(tl.float32) * 0.5, tl.program_id(0));
    tl.store(out + offs, offs);
  }
};

}  // namespace tl::test
