// Products of a matrix of dense blocks, whose places a compressed row has, with a dense one; and the softmax of its
// rows, which are longer than a tile.
// After _bsr_strided_dense_rowspace_kernel and _bsr_softmax_kernel in torch/sparse/_triton_ops.py of pytorch/pytorch at
// 01cdd593551d.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case bsr_dense_kernel: rows=3 nnz=5 values=f16[nnz,16,16] crow=i64[rows+1]:values(0,2,2,5)
// case bsr_dense_kernel: col=i64[nnz]:values(0,3,1,2,3) dense=f16[64,32] output=out:f16[rows*16,32] BLOCKSIZE_ROW=16
// case bsr_dense_kernel: BLOCKSIZE_COL=16 N=32 ACC=f32 grid=rows expect=bsr_dense_loop tolerance=1e-2
struct bsr_dense_kernel {
  void operator()(auto& tl, ptr auto values_ptr, ptr auto crow_ptr, ptr auto col_ptr, ptr auto dense_ptr,
                  ptr auto output_ptr, constexpr_ auto BLOCKSIZE_ROW, constexpr_ auto BLOCKSIZE_COL, constexpr_ auto N,
                  constexpr_ auto ACC) const {
    auto row = tl.program_id(0);
    auto nnz_offset = tl.load(crow_ptr + row);
    auto row_nnz = tl.load(crow_ptr + row + 1) - nnz_offset;
    auto rm = tl.arange(0, BLOCKSIZE_ROW);
    auto rk = tl.arange(0, BLOCKSIZE_COL);
    auto rn = tl.arange(0, N);
    auto acc = tl.zeros(tl.shape(BLOCKSIZE_ROW, N), ACC);
    auto v_ptrs = values_ptr + nnz_offset * (BLOCKSIZE_ROW * BLOCKSIZE_COL) + rm(_, None) * BLOCKSIZE_COL + rk(None, _);
    auto c_ptr = col_ptr + nnz_offset;
    for (auto i : tl.range(row_nnz)) {
      auto v = tl.load(v_ptrs);
      auto c = tl.load(c_ptr);
      auto d = tl.load(dense_ptr + (c * BLOCKSIZE_COL + rk)(_, None) * N + rn(None, _));
      acc = tl.dot(v, d, acc);
      v_ptrs += BLOCKSIZE_ROW * BLOCKSIZE_COL;
      c_ptr += 1;
    }
    tl.store(output_ptr + (row * BLOCKSIZE_ROW + rm)(_, None) * N + rn(None, _), acc.to(output_ptr.dtype));
  }
};

void bsr_dense_loop(auto& args) {
  auto v = args["values"], cr = args["crow"], co = args["col"], d = args["dense"], o = args["output"];
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 16; ++i)
      for (int n = 0; n < 32; ++n) {
        double s = 0;
        for (int z = int(cr(r)); z < int(cr(r + 1)); ++z)
          for (int k = 0; k < 16; ++k) s += v(z, i, k) * d(int(co(z)) * 16 + k, n);
        o(r * 16 + i, n) = s;
      }
}

// case bsr_softmax_kernel: R=3 RB=4 CB=8 nnz=6 crow=i32[R+1]:values(0,2,2,6) values=inout:f16[RB,nnz*CB]:normal
// case bsr_softmax_kernel: col_block=CB stride_row=nnz*CB MAX_ROW_NNZ=32 TILE=16 grid=(R,RB) tolerance=2e-3
// case bsr_softmax_kernel: expect=bsr_softmax_loop
struct bsr_softmax_kernel {
  void operator()(auto& tl, ptr auto crow_ptr, ptr auto values_ptr, int_ auto col_block, int_ auto stride_row,
                  constexpr_ auto MAX_ROW_NNZ, constexpr_ auto TILE) const {
    auto row = tl.program_id(0);
    auto nnz_offset = tl.load(crow_ptr + row);
    auto row_nnz = tl.load(crow_ptr + row + 1) - nnz_offset;
    if (row_nnz == 0) return;
    auto arange = tl.arange(0, TILE);
    auto mask = arange < row_nnz * col_block;
    auto ptrs = values_ptr + stride_row * tl.program_id(1) + nnz_offset * col_block;
    auto tile = tl.load(ptrs + arange, {.mask = mask, .other = -inf}).to(tl.float32);
    auto max_value = tl.max(tile, 0);
    for (auto i : tl.range(TILE, MAX_ROW_NNZ, TILE)) {
      arange += TILE;
      mask = arange < row_nnz * col_block;
      tile = tl.load(ptrs + arange, {.mask = mask, .other = -inf}).to(tl.float32);
      auto curr = tl.max(tile, 0);
      max_value = tl.where(max_value > curr, max_value, curr);
    }
    auto num = tl.exp(tile - max_value);
    auto denom = tl.sum(num, 0);
    for (auto i : tl.range(TILE, MAX_ROW_NNZ, TILE)) {
      arange -= TILE;
      mask = arange < row_nnz * col_block;
      tile = tl.load(ptrs + arange, {.mask = mask, .other = -inf}).to(tl.float32);
      num = tl.exp(tile - max_value);
      denom += tl.sum(num, 0);
    }
    tl.store(ptrs + arange, (num / denom).to(values_ptr.dtype), {.mask = mask});
    for (auto i : tl.range(TILE, MAX_ROW_NNZ, TILE)) {
      arange += TILE;
      mask = arange < row_nnz * col_block;
      tile = tl.load(ptrs + arange, {.mask = mask, .other = -inf}).to(tl.float32);
      num = tl.exp(tile - max_value);
      tl.store(ptrs + arange, (num / denom).to(values_ptr.dtype), {.mask = mask});
    }
  }
};

void bsr_softmax_loop(auto& args) {
  auto cr = args["crow"], v = args["values"];
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 4; ++i) {
      double m = -1e30, s = 0;
      const int lo = int(cr(r)) * 8, hi = int(cr(r + 1)) * 8;
      for (int j = lo; j < hi; ++j) m = std::max(m, v(i, j));
      for (int j = lo; j < hi; ++j) s += exp(v(i, j) - m);
      for (int j = lo; j < hi; ++j) v(i, j) = exp(v(i, j) - m) / s;
    }
}

}  // namespace tl::ports
