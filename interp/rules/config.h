// What a launch fixes for a whole kernel, as a value, and the layouts that follow from it.
#pragma once

#include "interp/rules/layout.h"

namespace tl::rules {

// The dots of a kernel. exact: all are multiply-adds, of fp32 and wider as they are.
enum class Dots : unsigned char { none, any, exact };

// How dots are multiplied; decides the layout of accumulators.
enum class Matrix : unsigned char { none, multiply_add, mma_sync, wgmma };

inline constexpr int widest_access = 16;  // bytes
// Elements in the widest access of a launch's narrowest tensor; 0: it has none.
constexpr int vector_of(int narrowest_bytes) { return narrowest_bytes == 0 ? 4 : widest_access / narrowest_bytes; }

struct Config {
  int num_warps = 4;
  int num_stages = 3;
  int vector = 4;
  Matrix matrix = Matrix::none;  // none: the kernel has no dot
  bool tensor_maps = false;      // descriptors go through TMA: warps have roles, loads of tiles are the copy engine's
  bool copies_ahead = false;     // warps have roles: some copy the tiles that the others multiply
  // Offsets and masks are formulas. Else they are blocks in registers, and nothing is known of pointers and ints: for
  // kernels that assign to a variable what its first value's type cannot hold.
  bool formulas = true;
  // Only affine formulas: for kernels that assign another to a variable.
  bool affine_only = false;
  // A row of ints that is loaded is a formula, too, whose lanes are read again where they are wanted: the warps that
  // copy tiles look the rows up. For kernels that store to none of these tables.
  bool lookups = false;
  bool copies = false;      // what is loaded goes to shared memory, as these warps see it
  int programs_per_sm = 1;  // that registers are shared out for, where warps have roles
  // The least power of two that an int argument is known to be a multiple of; 16, the most, where it is Triton's rule.
  int least_divisor = 2;
};

// What is tried next where a variable cannot hold what is assigned to it.
constexpr Config with_fewer_formulas(Config c) {
  if (!c.lookups) {
    if (c.affine_only) c.formulas = false;
    c.affine_only = true;
  }
  c.lookups = false;
  return c;
}

// Whole warpgroups multiply where warps have roles and the chip can.
constexpr Matrix matrix_of(Dots dots, bool wgmma, int num_warps) {
  if (dots != Dots::any) return dots == Dots::none ? Matrix::none : Matrix::multiply_add;
  return wgmma && num_warps % 4 == 0 ? Matrix::wgmma : Matrix::mma_sync;
}
// The same where all warps do the same.
constexpr Matrix in_one_role(Matrix m) { return m == Matrix::wgmma ? Matrix::mma_sync : m; }

// Most shared memory of a program, by CUDA's programming guide, where an SM is to hold so many. `capability`: 80
// for 8.0.
constexpr int most_shared_bytes(int capability, int programs_per_sm = 1) {
  int alone = capability < 90 || capability >= 120 ? 99 : 227;
  if (capability == 80 || capability == 87) alone = 163;
  return 1024 * ((alone + 1) / programs_per_sm - 1);  // each takes 1 KiB more for itself
}

// Where warps have roles: those that copy by pointers, a warpgroup where it can give up registers.
constexpr int copying_warps(const Config& c) { return c.matrix == Matrix::wgmma ? 4 : 2; }
// The launch as these warps see it.
constexpr Config copying(Config c) {
  c.num_warps = copying_warps(c);
  c.copies = true;
  return c;
}
// Whether the copying warps give registers to the others. One warpgroup that multiplies may have 255 without that where
// it has the SM to itself; two of them may not.
constexpr bool moves_registers(const Config& c) {
  if (c.matrix != Matrix::wgmma) return false;
  return c.num_warps == 8 || c.num_warps == 16 || (c.num_warps == 4 && c.copies_ahead && c.programs_per_sm > 1);
}
// The warps that only copy; one thread of a single one asks TMA.
constexpr int producer_warps(const Config& c) { return c.tensor_maps ? 1 : c.copies_ahead ? copying_warps(c) : 0; }
// A program's warps. Registers are given up by whole warpgroups.
constexpr int threads_of(const Config& c) {
  const int producers = producer_warps(c);
  return 32 * (c.num_warps + (producers > 0 && moves_registers(c) ? 4 : producers));
}

inline constexpr int registers_per_sm = 65536;  // of Hopper
// Registers a thread: at the start of a program, and once the copying warps have given most of theirs to the others.
// They move in eights.
//
// 8 warps that multiply, 4 that copy by pointers, one program an SM: 65536 / 384 = 168 at the start; 88 and 208 then.
struct RegisterShares {
  int at_start, copying, working;
};
constexpr RegisterShares register_shares(const Config& c) {
  const int groups = c.num_warps / 4, at_start = registers_per_sm / (c.programs_per_sm * threads_of(c)) / 8 * 8;
  int copying = 24;  // one thread asks TMA
  if (!c.tensor_maps) {
    constexpr int enough[][2] = {{168, 88}, {128, 72}, {96, 56}, {0, 32}};  // what is left of so many
    for (const auto& [from, left] : enough)
      if (at_start >= from) {
        copying = left;
        break;
      }
  }
  return {at_start, copying, ((groups + 1) * at_start - copying) / groups / 8 * 8};
}

// Where warps have roles, loads of these blocks are copied ahead, if their addresses are formulas.
constexpr bool is_ring_load(const Sizes& block) { return block.rank == 2 && block[0] >= 16 && block[1] >= 16; }

// Whether whole warpgroups can share an M x N accumulator: 64 rows or more, and 8 columns for each that shares them.
constexpr bool fits_wgmma(int m, int n, int num_warps) {
  return m >= 64 && n * (m / 64) >= 8 * num_warps / 4 && n >= 8;
}

// The layout of a dot's result.
constexpr Layout accumulator_layout(const Config& c, int m, int n) {
  if (c.matrix == Matrix::multiply_add) return multiply_add(m, n, c.num_warps);
  return c.matrix == Matrix::wgmma && fits_wgmma(m, n, c.num_warps) ? wgmma(m, n, c.num_warps)
                                                                    : mma_sync(m, n, c.num_warps);
}

// Whether such an accumulator can be the first operand of a dot on wgmma as it lies: a warpgroup holds its rows whole.
constexpr bool is_first_operand(int m, int k, int num_warps) {
  return fits_wgmma(m, k, num_warps) && WgmmaPlan(m, k, num_warps).along_n == 1;
}

// How often each operand's tile is read from shared memory for a dot's m x n result: warps side by side along m share
// b, along n share a.
struct DotReaders {
  int a = 1, b = 1;
};
constexpr DotReaders dot_readers(const Config& c, int m, int n) {
  if (c.matrix == Matrix::wgmma && fits_wgmma(m, n, c.num_warps))
    return {WgmmaPlan(m, n, c.num_warps).along_n, m / 64};  // each slab of 64 rows reads all of b
  const MmaPlan plan(m, n, c.num_warps);
  return {plan.warps_n, plan.warps_m};
}

// Where nothing else decides: row-major blocks of `vector` elements; beside a dot its accumulator's layout, and row
// slices of it.
constexpr Layout default_layout(const Config& c, const Sizes& shape) {
  if (c.matrix != Matrix::none && shape.rank == 2) return accumulator_layout(c, shape[0], shape[1]);
  if (c.matrix != Matrix::none && shape.rank == 1) {
    // Any number of columns gives the same rows: as many as every warp left over by the rows can have some.
    const Sizes accumulator(shape[0], (c.matrix == Matrix::multiply_add ? 32 : 8) * c.num_warps);
    return sliced(accumulator_layout(c, accumulator[0], accumulator[1]), accumulator, 1);
  }
  return row_major(shape, c.vector, c.num_warps);
}

}  // namespace tl::rules
