// Kullback-Leibler divergence of rows, the prediction as logarithms; REDUCES: a sum a row, else every term.
// After src/liger_kernel/ops/kl_div.py of linkedin/Liger-Kernel at 0089fd4f3ff5.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case kl_div_forward_kernel: rows=6 cols=1000 y=f32[rows,cols]:uniform(-9,-1) truth=f32[rows,cols]:uniform(0,0.002)
// case kl_div_forward_kernel: loss=out:f32[rows] y_stride=cols truth_stride=cols loss_stride=1 n_cols=cols eps=1e-10
// case kl_div_forward_kernel: BLOCK=256 LOG_TARGET=false REDUCES=true grid=rows tolerance=1e-5
// case kl_div_forward_kernel: expect=kl_div_forward_loop
struct kl_div_forward_kernel {
  void operator()(auto& tl, ptr auto y_ptr, int_ auto y_stride, ptr auto truth_ptr, int_ auto truth_stride,
                  ptr auto loss_ptr, int_ auto loss_stride, int_ auto n_cols, float_ auto eps, constexpr_ auto BLOCK,
                  constexpr_ auto LOG_TARGET, constexpr_ auto REDUCES) const {
    auto pid = tl.program_id(0).to(tl.int64);
    auto loss_row = loss_ptr + pid * loss_stride;
    auto loss_sum = tl.scalar(0, tl.float32);
    for (auto i : tl.range(0, n_cols, BLOCK)) {
      auto cols = i + tl.arange(0, BLOCK);
      auto mask = cols < n_cols;
      auto y = tl.load(y_ptr + pid * y_stride + cols, {.mask = mask, .other = 0});
      auto truth = tl.load(truth_ptr + pid * truth_stride + cols, {.mask = mask, .other = 0});
      auto loss = tl.static_if(
          LOG_TARGET, [&] { return tl.exp(truth) * (truth - y); },
          [&] { return truth * (tl.log(tl.maximum(truth, eps)) - y); });
      if (REDUCES) loss_sum += tl.sum(loss, 0);
      else tl.store(loss_row + cols, loss, {.mask = mask});
    }
    if (REDUCES) tl.store(loss_row, loss_sum);
  }
};

void kl_div_forward_loop(auto& args) {
  auto y = args["y"], truth = args["truth"], loss = args["loss"];
  for (int i = 0; i < y.size(0); ++i) {
    loss(i) = 0;
    for (int j = 0; j < y.size(1); ++j) loss(i) += truth(i, j) * (log(fmax(truth(i, j), args("eps"))) - y(i, j));
  }
}

// case kl_div_backward_kernel: rows=6 cols=1000 target=f32[rows,cols]:uniform(-9,-1) grads=out:f32[rows,cols]
// case kl_div_backward_kernel: target_stride=cols grads_stride=cols n_cols=cols BLOCK=256 LOG_TARGET=true grid=rows
// case kl_div_backward_kernel: expect='grads = 0 - exp(target)'
struct kl_div_backward_kernel {
  void operator()(auto& tl, ptr auto target_ptr, int_ auto target_stride, ptr auto grads_ptr, int_ auto grads_stride,
                  int_ auto n_cols, constexpr_ auto BLOCK, constexpr_ auto LOG_TARGET) const {
    auto pid = tl.program_id(0).to(tl.int64);
    for (auto i : tl.range(0, n_cols, BLOCK)) {
      auto cols = i + tl.arange(0, BLOCK);
      auto mask = cols < n_cols;
      auto target = tl.load(target_ptr + pid * target_stride + cols, {.mask = mask, .other = 0});
      auto grads = tl.static_if(LOG_TARGET, [&] { return -tl.exp(target); }, [&] { return target * -1; });
      tl.store(grads_ptr + pid * grads_stride + cols, grads, {.mask = mask});
    }
  }
};

}  // namespace tl::ports
