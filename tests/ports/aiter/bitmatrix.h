// How many rows of a matrix of bits have each of 32 columns set, counted in fields of 4, 8 and 32 bits side by side;
// and what the rows before each tile have.
// After vpopc and _sum_bitmatrix_rows in aiter/ops/triton/_triton_kernels/moe/moe_routing/bitmatrix.py of ROCm/aiter at
// e4048607a535.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// Of N words each: how many have bit 0, bit 1 ...
auto column_counts(auto& tl, auto x, constexpr_ auto BATCHES, constexpr_ auto N) {
  tl.static_check(x.dtype == tl.uint32, "bits stand in words of 32, unsigned");
  auto A1 = tl.minimum(N, 8_c);
  auto nibbles = tl.reshape(x, tl.shape(BATCHES, N / A1, A1, 1_c)) >> tl.arange(0, 4_c)(None, None, None, _);
  auto by_8 = tl.sum(nibbles & 0x11111111, 2_c);
  auto A2 = tl.minimum(N / A1, 16_c);
  auto A3 = N / (A1 * A2);
  auto shifts = (tl.arange(0, 2_c) * 4)(None, None, None, _, None);
  auto halves = tl.reshape(by_8, tl.shape(BATCHES, A3, A2, 1_c, 4_c)) >> shifts;
  auto by_128 = tl.sum(halves & 0x0F0F0F0F, 2_c);
  auto bytes = tl.reshape(by_128, tl.shape(BATCHES, 1_c, A3, 8_c)) >> (tl.arange(0, 4_c) * 8)(None, _, None, None);
  return tl.reshape(tl.sum(bytes & 0xFF, 2_c), tl.shape(BATCHES, 32_c));
}

// case: rows=100 bits=u32[rows]:each(2654435761*i%4294967296) total=inout:i32[32]:zeros partial=inout:i32[8,32]:zeros
// case: n_rows=rows n_programs=2 BLOCK_MM=64 BLOCK_M=16 grid=2 expect=bitmatrix_loop
struct bitmatrix_kernel {
  void operator()(auto& tl, ptr auto bits_ptr, ptr auto total_ptr, ptr auto partial_ptr, int_ auto n_rows,
                  int_ auto n_programs, constexpr_ auto BLOCK_MM, constexpr_ auto BLOCK_M) const {
    tl.static_check(BLOCK_MM % BLOCK_M == 0_c, "a program has whole tiles");
    auto TILES = BLOCK_MM / BLOCK_M;
    auto pid = tl.program_id(0);
    auto rows = pid * BLOCK_MM + tl.arange(0, BLOCK_MM);
    auto columns = tl.arange(0, 32_c);
    auto bits = tl.load(bits_ptr + rows, {.mask = rows < n_rows, .other = 0});
    auto counts = column_counts(tl, tl.reshape(bits, tl.shape(TILES, BLOCK_M)), TILES, BLOCK_M);
    tl.atomic_add(total_ptr + columns, tl.sum(counts, 0), {.sem = "relaxed"});
    auto tiles = pid * TILES + tl.arange(0, TILES);
    tl.atomic_add(partial_ptr + tiles(_, None) * 32 + columns(None, _), tl.cumsum(counts, 0) - counts,
                  {.sem = "relaxed"});
    auto mine = tl.sum(counts, 0, tl.keep_dims);
    for (auto i : tl.range(pid + 1, n_programs)) {
      auto later = i * TILES + tl.arange(0, TILES);
      tl.atomic_add(partial_ptr + later(_, None) * 32 + columns(None, _), mine, {.sem = "relaxed"});
    }
  }
};

void bitmatrix_loop(auto& args) {
  auto bits = args["bits"], total = args["total"], partial = args["partial"];
  for (int j = 0; j < 32; ++j)
    for (int i = 0; i < bits.size(0); ++i)
      if (static_cast<long>(bits(i)) >> j & 1) {
        total(j) += 1;
        for (int tile = i / 16 + 1; tile < partial.size(0); ++tile) partial(tile, j) += 1;
      }
}

}  // namespace tl::ports
