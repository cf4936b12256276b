// Sparsemax: a row projected onto the simplex, y = max(x - tau, 0), with tau from the sorted row; and its gradient.
// After src/liger_kernel/ops/sparsemax.py of linkedin/Liger-Kernel at ead96b61.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case sparsemax_forward_kernel: rows=5 cols=50 x=f16[rows,cols]:normal y=out:f32[rows,cols] x_stride=cols
// case sparsemax_forward_kernel: y_stride=cols n_cols=cols BLOCK=64 grid=rows expect=sparsemax_loop
struct sparsemax_forward_kernel {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto x_stride, ptr auto y_ptr, int_ auto y_stride, int_ auto n_cols,
                  constexpr_ auto BLOCK) const {
    auto row = tl.program_id(0);
    auto offs = tl.arange(0, BLOCK);
    auto mask = offs < n_cols;
    auto x =
        tl.load(x_ptr + row * x_stride + offs, {.mask = mask, .other = -inf, .cache_modifier = ".cg"}).to(tl.float32);
    auto sorted = tl.sort(x, {.descending = true});
    auto sums = tl.cumsum(tl.where(mask, sorted, 0), 0);
    auto support = (sorted > (sums - 1) / (offs + 1).to(tl.float32)) & mask;
    auto k = tl.maximum(tl.sum(support.to(tl.int32), 0), 1).to(tl.float32);
    auto tau = (tl.sum(tl.where(support, sorted, 0), 0) - 1) / k;
    auto y = tl.maximum(x - tau, 0);
    tl.store(y_ptr + row * y_stride + offs, y.to(y_ptr.dtype), {.mask = mask, .cache_modifier = ".cs"});
  }
};

void sparsemax_loop(auto& args) {
  auto x = args["x"], y = args["y"];
  const int n = x.size(1);
  for (int r = 0; r < x.size(0); ++r) {
    double low = -10, high = 10;
    for (int step = 0; step < 100; ++step) {
      const double tau = (low + high) / 2;
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += x(r, j) > tau ? x(r, j) - tau : 0;
      (sum > 1 ? low : high) = tau;
    }
    for (int j = 0; j < n; ++j) y(r, j) = x(r, j) > low ? x(r, j) - low : 0;
  }
}

}  // namespace tl::ports
