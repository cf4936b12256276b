// Tensors of rows of several lengths, one behind the other, with offsets: made dense, something else added on the way;
// and a vector times each.
// After fbgemm_gpu/fbgemm_gpu/triton/jagged/triton_jagged_tensor_ops.py of pytorch/FBGEMM at 1aa53e711895.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case jagged_to_dense_kernel: n=4 most=9 cols=20 offsets=i64[n+1]:values(0,3,3,14,19) values=f16[19,cols]
// case jagged_to_dense_kernel: dense=inout:f16[n,most,cols]:full(-7) other=f16[n,most,cols] value_stride=cols
// case jagged_to_dense_kernel: row_stride=cols matrix_stride=most*cols ADDS=true BM=4 BN=8 grid=n
// case jagged_to_dense_kernel: expect=jagged_to_dense_loop
struct jagged_to_dense_kernel {
  void operator()(auto& tl, ptr auto values_ptr, ptr auto offsets_ptr, int_ auto value_stride, ptr auto dense_ptr,
                  int_ auto row_stride, int_ auto matrix_stride, ptr auto other_ptr, constexpr_ auto ADDS,
                  constexpr_ auto BM, constexpr_ auto BN) const {
    auto pid = tl.program_id(0);
    auto begin = tl.load(offsets_ptr + pid);
    auto end = tl.load(offsets_ptr + pid + 1);
    auto first = values_ptr + begin * value_stride;
    auto cols = tl.minimum(row_stride, value_stride);
    auto rows = tl.minimum((matrix_stride / row_stride).to(tl.int64), end - begin);
    auto row = tl.arange(0, BM);
    for ([[maybe_unused]] auto i : tl.range(begin, end, BM)) {
      auto col = tl.arange(0, BN);
      for ([[maybe_unused]] auto j : tl.range(0, cols, BN)) {
        auto offs = row(_, None) * row_stride + col(None, _);
        auto mask = (row < rows)(_, None) & (col < cols)(None, _);
        auto value = tl.load(first + offs, {.mask = mask, .other = 0});
        if (!tl.is_none(other_ptr)) {
          auto other = tl.load(other_ptr + pid * matrix_stride + offs, {.mask = mask, .other = 0});
          value = tl.static_if(ADDS, [&] { return value + other; }, [&] { return value * other; });
        }
        tl.store(dense_ptr + pid * matrix_stride + offs, value, {.mask = mask});
        col += BN;
      }
      row += BM;
    }
  }
};

void jagged_to_dense_loop(auto& args) {
  auto values = args["values"], offsets = args["offsets"], dense = args["dense"], other = args["other"];
  for (int b = 0; b < dense.size(0); ++b)
    for (int i = 0; i < dense.size(1) && offsets(b) + i < offsets(b + 1); ++i)
      for (int j = 0; j < dense.size(2); ++j) dense(b, i, j) = values(offsets(b) + i, j) + other(b, i, j);
}

// case vector_jagged_kernel: n=4 heads=2 most=9 dim=20 offsets=i64[n+1]:values(0,3,3,14,19) values=f32[19,heads*dim]
// case vector_jagged_kernel: dense=f32[n*heads,most] y=out:f32[n*heads,dim] dense_stride=most value_stride=heads*dim
// case vector_jagged_kernel: d=dim H=heads BN=16 grid=n*heads*cdiv(dim,BN) expect=vector_jagged_loop
struct vector_jagged_kernel {
  void operator()(auto& tl, ptr auto values_ptr, ptr auto dense_ptr, ptr auto offsets_ptr, int_ auto dense_stride,
                  int_ auto value_stride, int_ auto d, ptr auto y_ptr, constexpr_ auto H, constexpr_ auto BN) const {
    auto blocks = tl.cdiv(d, BN);
    auto row = tl.program_id(0) / blocks;
    auto col = tl.program_id(0) % blocks * BN + tl.arange(0, BN);
    auto begin = tl.load(offsets_ptr + row / H);
    auto end = tl.load(offsets_ptr + row / H + 1);
    auto values = values_ptr + begin * value_stride + row % H * d + col;
    auto acc = tl.zeros(tl.shape(BN), tl.float32);
    for (auto i : tl.range(0, tl.minimum(end - begin, dense_stride))) {
      acc += tl.load(dense_ptr + row * dense_stride + i) * tl.load(values, {.mask = col < d, .other = 0});
      values += value_stride;
    }
    tl.store(y_ptr + row * d + col, acc, {.mask = col < d});
  }
};

void vector_jagged_loop(auto& args) {
  auto values = args["values"], offsets = args["offsets"], dense = args["dense"], y = args["y"];
  const int heads = args("heads"), dim = y.size(1);
  for (int r = 0; r < y.size(0); ++r)
    for (int j = 0; j < dim; ++j) {
      y(r, j) = 0;
      for (int i = 0; i < dense.size(1) && offsets(r / heads) + i < offsets(r / heads + 1); ++i)
        y(r, j) += dense(r, i) * values(offsets(r / heads) + i, r % heads * dim + j);
    }
}

}  // namespace tl::ports
