// Cross entropy of rows of scores by an online log-sum-exp, with label smoothing, a z-loss, ignored labels and labels
// that another part of the classes has.
// After cross_entropy_fwd_kernel in flash_attn/ops/triton/cross_entropy.py of Dao-AILab/flash-attention at
// 0251105a2fb1.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: rows=6 cols=300 loss=out:f32[rows] lse=out:f32[rows] z_loss=out:f32[rows] logits=f16[rows,cols]:normal
// case: labels=i64[rows]:values(3,299,-100,7,350,11) smoothing=0.1 logit_scale=0.7 lse_square_scale=1e-4
// case: ignore_index=-100 total_classes=cols class_start=0 n_cols=cols stride=cols BLOCK=128 HAS_SMOOTHING=true
// case: SPLIT=false grid=rows tolerance=1e-4 expect=smoothed_cross_entropy_loop
struct smoothed_cross_entropy_kernel {
  void operator()(auto& tl, ptr auto loss_ptr, ptr auto lse_ptr, ptr auto z_loss_ptr, ptr auto logits_ptr,
                  ptr auto labels_ptr, float_ auto smoothing, float_ auto logit_scale, float_ auto lse_square_scale,
                  int_ auto ignore_index, int_ auto total_classes, int_ auto class_start, int_ auto n_cols,
                  int_ auto stride, constexpr_ auto BLOCK, constexpr_ auto HAS_SMOOTHING, constexpr_ auto SPLIT) const {
    auto row = tl.program_id(0);
    auto logits_row = logits_ptr + row * stride.to(tl.int64);
    auto sum_logits = tl.scalar(0, tl.float32);
    auto m_i = tl.scalar(-inf, tl.float32);
    auto l_i = tl.scalar(0, tl.float32);
    for (auto first : tl.range(0, n_cols, BLOCK)) {
      auto cols = first + tl.arange(0, BLOCK);
      auto x = tl.load(logits_row + cols, {.mask = cols < n_cols, .other = -inf}).to(tl.float32) * logit_scale;
      if (HAS_SMOOTHING) sum_logits += tl.sum(tl.where(cols < n_cols, x, 0));
      auto m_new = tl.maximum(m_i, tl.max(x));
      l_i = tl.exp(m_i - m_new) * l_i + tl.sum(tl.exp(x - m_new));
      m_i = m_new;
    }
    auto lse = tl.log(l_i) + m_i;
    tl.store(lse_ptr + row, lse);

    auto label = tl.load(labels_ptr + row);
    auto loss = tl.scalar(0, tl.float32);
    auto z_loss = tl.scalar(0, tl.float32);
    if (label != ignore_index) {
      label -= class_start;
      auto own_lse = lse;  // with SPLIT the caller adds that of all classes
      if (SPLIT) own_lse = own_lse * 0;
      if (label >= 0 && label < n_cols) {
        auto x = tl.load(logits_row + label) * logit_scale;
        loss = own_lse - x;
        if (HAS_SMOOTHING) loss = own_lse - smoothing * sum_logits / total_classes - (1 - smoothing) * x;
      } else if (HAS_SMOOTHING) {
        loss = smoothing * (own_lse - sum_logits / total_classes);
      }
      if (!SPLIT) {
        z_loss = lse_square_scale * lse * lse;
        loss += z_loss;
      }
    }
    tl.store(loss_ptr + row, loss);
    if (!SPLIT) tl.store(z_loss_ptr + row, z_loss);
  }
};

void smoothed_cross_entropy_loop(auto& args) {
  auto loss = args["loss"], lse = args["lse"], z_loss = args["z_loss"], x = args["logits"], labels = args["labels"];
  const double scale = args("logit_scale"), smoothing = args("smoothing");
  const int cols = x.size(1);
  for (int i = 0; i < x.size(0); ++i) {
    double exponentials = 0, sum = 0;
    for (int j = 0; j < cols; ++j) exponentials += exp(x(i, j) * scale), sum += x(i, j) * scale;
    lse(i) = log(exponentials);
    const int label = int(labels(i));
    loss(i) = z_loss(i) = 0;
    if (label == int(args("ignore_index"))) continue;
    z_loss(i) = args("lse_square_scale") * lse(i) * lse(i);
    loss(i) = smoothing * (lse(i) - sum / cols) + z_loss(i);
    if (label < cols) loss(i) += (1 - smoothing) * (lse(i) - x(i, label) * scale);
  }
}

}  // namespace tl::ports
