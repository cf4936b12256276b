// Kernels whose results tell which program, element and tile an access meant.
#pragma once
#include "interp/tl.h"

namespace tl::test {

struct grid_kernel {
  void operator()(auto& tl, ptr auto out) const {
    auto x = tl.program_id(0);
    auto y = tl.program_id(1);
    auto z = tl.program_id(2);
    auto number = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x;
    tl.store(out + number, x + y * 10 + z * 100 + tl.num_programs(2) * 1000);
  }
};

// One scalar address, a block of one, masks and others that broadcast.
struct load_forms_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto M, constexpr_ auto N) const {
    auto i = tl.arange(0, M);
    auto j = tl.arange(0, N);
    auto to = out + i(_, None) * N + j(None, _);
    auto first = tl.load(in);
    tl.store(to, tl.load(in + i(_, None) * N + j(None, _), {.mask = (i < 3)(_, None), .other = -1}) + first);
    tl.store(to + M * N, tl.load(in + i(_, None) * N + j(None, _), {.mask = j < n, .other = j}));
    tl.store(to + 2 * M * N, tl.load(in + j, {.mask = n > 100, .other = 7})(None, _) + i(_, None));
    tl.store(to + 3 * M * N, tl.broadcast_to(tl.expand_dims(tl.load(in + i), 1_c), tl.shape(M, N)));
    tl.store(out + 4 * M * N, first * 2, {.mask = n < 100});
    tl.store(out + 4 * M * N + 1, first * 2, {.mask = n > 100});
  }
};

// Columns first, one axis, three axes; each with its own checks and padding.
struct block_pointer_forms_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto m, int_ auto n, constexpr_ auto B) const {
    auto i = tl.arange(0, B);
    auto to = out + i(_, None) * B + i(None, _);
    auto x =
        tl.make_block_ptr(in, tl.tuple(m, n), tl.tuple(n, 1_c), tl.tuple(m - 4, 0), tl.shape(B, B), tl.axes(1_c, 0_c));
    tl.store(to, tl.load(x, {.boundary_check = tl.axes(0_c), .padding = tl.nan}));
    auto t = tl.make_block_ptr(in, tl.tuple(n, m), tl.tuple(1_c, n), tl.tuple(n - 3, m - 5), tl.shape(B, B),
                               tl.axes(0_c, 1_c));
    tl.store(to + B * B, tl.load(t, {.boundary_check = tl.axes(1_c, 0_c), .padding = tl.zero}));
    auto line = tl.make_block_ptr(in, tl.tuple(m * n), tl.tuple(1_c), tl.tuple(-2), tl.shape(B), tl.axes(0_c));
    line = tl.advance(line, tl.tuple(m * n - 4));
    tl.store(out + 2 * B * B + i, tl.load(line, {.boundary_check = tl.axes(0_c), .padding = tl.zero}));
    auto cube = tl.make_block_ptr(in, tl.tuple(2, m / 2, n), tl.tuple(m / 2 * n, n, 1_c), tl.tuple(1, 0, n - 2),
                                  tl.shape(2_c, 2_c, 4_c), tl.axes(2_c, 1_c, 0_c));
    auto held = tl.load(cube, {.boundary_check = tl.axes(0_c, 2_c), .padding = tl.nan});
    tl.store(out + 2 * B * B + B + tl.arange(0, 16_c), tl.reshape(held, tl.shape(16_c)));
    auto back = tl.make_block_ptr(out + 3 * B * B, tl.tuple(m, n), tl.tuple(n, 1_c), tl.tuple(m - 4, n - 3),
                                  tl.shape(B, B), tl.axes(1_c, 0_c));
    tl.store(back, tl.zeros(tl.shape(B, B), tl.float32) + 5, {.boundary_check = tl.axes(0_c, 1_c)});
  }
};

struct line_descriptor_kernel {
  void operator()(auto& tl, descriptor auto out, descriptor auto in, constexpr_ auto B) const {
    auto at = tl.program_id(0) * B;
    out.store({at}, in.load({at}) + 1);
  }
};

struct cube_descriptor_kernel {
  void operator()(auto& tl, descriptor auto out, descriptor auto in, constexpr_ auto B) const {
    auto plane = tl.program_id(1);
    auto at = tl.program_id(0) * B;
    out.store({plane, at, 0}, in.load({plane, at, 0}) + 1);
  }
};

}  // namespace tl::test
