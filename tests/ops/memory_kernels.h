// Ways to memory that the interpreter and CUDA must treat alike, each in a kernel as small as it can be.
#pragma once
#include "interp/tl.h"

namespace tl::test {

// A pointer block carried through a loop.
struct carried_pointer_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto steps, int_ auto stride, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto in_ptrs = in + offs;
    auto total = tl.zeros(tl.shape(N), tl.float32);
    for (auto i : tl.range(steps)) {
      total += tl.load(in_ptrs) * i;
      in_ptrs += stride;
    }
    tl.store(out + offs, total);
  }
};

// Rows and columns that are no affine index, loaded and stored: in pieces where the divisors allow it.
struct formula_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto first, int_ auto rows, int_ auto columns,
                  int_ auto stride, constexpr_ auto M, constexpr_ auto N) const {
    auto i = (first + tl.arange(0, M)) % rows;
    auto j = (first + tl.arange(0, N)) % columns;
    auto x_ptrs = in + 64 * stride + (i(_, None) * stride + j(None, _));
    auto x = tl.load(x_ptrs);
    x_ptrs += 2 * stride;
    auto y = tl.load(x_ptrs, {.mask = (tl.arange(0, N) < columns - 3)(None, _), .other = 0});
    auto at = tl.arange(0, M)(_, None) * N + (tl.arange(0, N) ^ 16)(None, _);
    tl.store(out + at, x + y, {.mask = (tl.arange(0, N) < N - 5)(None, _)});
  }
};

// A variable that holds offsets modulo n is assigned others, whose formula is another.
struct assigned_formula_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto steps, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto i = offs % n;
    auto total = tl.zeros(tl.shape(N), tl.float32);
    for ([[maybe_unused]] auto step : tl.range(steps)) {
      total += tl.load(in + i);
      i = (i + 5) % n;
    }
    tl.store(out + offs, total);
  }
};

// Offsets by every operator that leaves them formulas.
struct formula_operators_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto N) const {
    auto offs = tl.program_id(0) * N + tl.arange(0, N);
    auto total = tl.load(in + offs / n);
    total += 2 * tl.load(in + tl.minimum(offs, n));
    total += 3 * tl.load(in + tl.where(offs < n, offs, 0));
    total += 5 * tl.load(in + (offs & 63));
    total += 7 * tl.load(in + (offs >> 4) * 2);
    total += 11 * tl.load(in + (offs / 16 * 16 + offs % 16));
    total += 13 * tl.load(in + tl.max_contiguous(tl.multiple_of((offs / 64 * 64 + offs % 64), 64_c), 64_c));
    tl.store(out + offs, total);
  }
};

// A pointer moves to another tensor: where the program's number is odd, then at every turn of a loop.
struct moved_pointer_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a, ptr auto b, int_ auto turns, constexpr_ auto N) const {
    auto from = a;
    auto other = b;
    if (tl.program_id(0) % 2 == 1) {
      from = b;
      other = a;
    }
    auto offs = tl.arange(0, N);
    auto blocks = from + offs;
    auto total = tl.load(blocks);
    for ([[maybe_unused]] auto i : tl.range(turns)) {
      blocks = other + offs;
      total = total * 10 + tl.load(blocks);
      auto last = from;
      from = other;
      other = last;
    }
    tl.store(out + tl.program_id(0) * N + offs, total);
  }
};

// Steps that are no multiple of what the pointers begin at.
struct odd_step_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto steps, int_ auto stride, constexpr_ auto N) const {
    auto offs = tl.arange(0, N);
    auto in_ptrs = tl.multiple_of(in, 1_c) + offs;
    auto left = tl.multiple_of(steps, 1_c);
    auto total = tl.zeros(tl.shape(N), tl.float32);
    while (left > 0) {
      total += tl.load(in_ptrs) * left;
      in_ptrs += stride;
      left = left - 1;
    }
    tl.store(out + offs, total);
  }
};

// A block pointer moved over a matrix, both axes checked; what is padded counts.
struct block_pointer_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto m, int_ auto n, constexpr_ auto B) const {
    auto in_block = tl.make_block_ptr(in, tl.tuple(m, n), tl.tuple(n, 1), tl.tuple(tl.program_id(0) * B, 0),
                                      tl.shape(B, B), tl.axes(1_c, 0_c));
    auto out_block = tl.make_block_ptr(out, tl.tuple(m, n), tl.tuple(n, 1), tl.tuple(tl.program_id(0) * B, 0),
                                       tl.shape(B, B), tl.axes(1_c, 0_c));
    for (auto col : tl.range(0, n, B)) {
      auto x = tl.load(in_block, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero});
      auto row_sums = tl.sum(x, 1_c);
      tl.store(out_block, x + row_sums(_, None) * 0 + col, {.boundary_check = tl.axes(0_c, 1_c)});
      in_block = tl.advance(in_block, tl.tuple(0, B));
      out_block = tl.advance(out_block, tl.tuple(0, B));
    }
  }
};

struct descriptor_kernel {
  void operator()(auto& tl, descriptor auto out, descriptor auto in, constexpr_ auto B) const {
    auto row = tl.program_id(0) * B;
    auto col = tl.program_id(1) * B;
    auto x = in.load({row, col});
    out.store({row, col}, (x + x).to(out.dtype));
  }
};

// Each turn's row once, in order, beside its scalar.
struct rows_in_turn_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.arange(0, B);
    auto total = tl.zeros(tl.shape(B), tl.float32);
    for (auto start : tl.range(0, n, B)) {
      auto x = tl.load(in + start + offs, {.mask = start + offs < n, .other = 0});
      total = total * 2 + x + start;
    }
    tl.store(out + offs, total);
  }
};

// A row in any dtype; lanes beyond n get OTHER.
struct filled_rows_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto in, int_ auto n, constexpr_ auto B, constexpr_ auto OTHER) const {
    auto offs = tl.arange(0, B);
    auto total = tl.zeros(tl.shape(B), tl.float32);
    for (auto start : tl.range(0, n, B)) {
      auto x = tl.load(in + start + offs, {.mask = start + offs < n, .other = OTHER});
      total = total * 2 + x.to(tl.float32);
    }
    tl.store(out + offs, total);
  }
};

// A row beside a descriptor's tile.
struct scaled_columns_kernel {
  void operator()(auto& tl, ptr auto out, descriptor auto in, ptr auto scales, int_ auto n, constexpr_ auto M,
                  constexpr_ auto B) const {
    auto cols = tl.arange(0, B);
    auto row = tl.program_id(0) * M;
    auto total = tl.zeros(tl.shape(M, B), tl.float32);
    for (auto start : tl.range(0, n, B)) {
      auto x = in.load({row, start});
      auto scale = tl.load(scales + start + cols, {.mask = start + cols < n, .other = 0});
      total += x * scale(None, _);
    }
    tl.store(out + (row + tl.arange(0, M))(_, None) * B + cols(None, _), total);
  }
};

struct atomic_kernel {
  void operator()(auto& tl, ptr auto counts, ptr auto in, int_ auto n, constexpr_ auto B) const {
    auto offs = tl.program_id(0) * B + tl.arange(0, B);
    auto mask = offs < n;
    auto bin = tl.load(in + offs, {.mask = mask, .other = 0});
    tl.atomic_add(counts + bin, tl.full(tl.shape(B), 1, tl.int32), {.mask = mask});
  }
};

}  // namespace tl::test
