// The loss of GRPO and its like: log-probabilities of chosen tokens by an online softmax, ratios clipped as the
// constant LOSS says, a penalty for what strays from a reference policy; tokens behind the answer's end are left out.
// After src/liger_kernel/ops/grpo_loss.py of linkedin/Liger-Kernel at ead96b61.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case grpo_forward_kernel: b=2 l=3 n=100 logits=f16[b,l+1,n]:normal old_logp=f32[b,l]:uniform(-5,-3)
// case grpo_forward_kernel: ref_logp=f32[b,l]:uniform(-5,-3) ids=i64[b,l]:each(37*i%100)
// case grpo_forward_kernel: completion=i32[b,l]:values(1,1,0,1,1,1)
// case grpo_forward_kernel: advantages=f32[b]:values(0.7,-1.3) loss=inout:f32[b,l]:zeros lse=inout:f32[b,l]:zeros
// case grpo_forward_kernel: kl=inout:f32[b,l]:zeros is_clipped=inout:f32[b,l]:zeros TEMPERATURE=0.9 BETA=0.04
// case grpo_forward_kernel: EPS_LOW=0.2
// case grpo_forward_kernel: EPS_HIGH=0.3 LOSS=grpo DELTA=1.5 L=l N=n BLOCK=32 grid=(b,l) expect=grpo_loop
struct grpo_forward_kernel {
  void operator()(auto& tl, ptr auto logits_ptr, ptr auto old_logp_ptr, ptr auto ref_logp_ptr, ptr auto ids_ptr,
                  ptr auto completion_ptr, ptr auto advantages_ptr, ptr auto loss_ptr, ptr auto lse_ptr,
                  ptr auto kl_ptr, ptr auto is_clipped_ptr, constexpr_ auto TEMPERATURE, constexpr_ auto BETA,
                  constexpr_ auto EPS_LOW, constexpr_ auto EPS_HIGH, constexpr_ auto LOSS, constexpr_ auto DELTA,
                  constexpr_ auto L, constexpr_ auto N, constexpr_ auto BLOCK) const {
    auto b = tl.program_id(0).to(tl.int64);
    auto l = tl.program_id(1).to(tl.int64);
    auto at = b * L + l;
    if (!tl.is_none(completion_ptr)) {
      if (tl.load(completion_ptr + at) == 0) return;
    }
    auto row = logits_ptr + b * (L + 1_c) * N + l * N;
    auto m_i = tl.scalar(-inf, tl.float32);
    auto l_i = tl.scalar(0, tl.float32);
    for (auto start : tl.range(0, N, BLOCK)) {
      auto cols = start + tl.arange(0, BLOCK);
      auto logits = tl.load(row + cols, {.mask = cols < N, .other = -inf}).to(tl.float32) / TEMPERATURE;
      auto new_m = tl.maximum(m_i, tl.max(logits));
      l_i = l_i * tl.exp(m_i - new_m) + tl.sum(tl.exp(logits - new_m));
      m_i = new_m;
    }
    auto lse = m_i + tl.log(l_i);
    auto logp = tl.load(row + tl.load(ids_ptr + at)).to(tl.float32) / TEMPERATURE - lse;
    auto old_logp = logp;
    if (!tl.is_none(old_logp_ptr)) old_logp = tl.load(old_logp_ptr + at).to(tl.float32);
    auto coef_1 = tl.exp(logp - old_logp);
    auto advantage = tl.load(advantages_ptr + b).to(tl.float32);
    auto loss = tl.scalar(0, tl.float32);
    auto is_clipped = tl.scalar(false, tl.int1);
    if (LOSS == "grpo") {
      auto coef_2 = tl.clamp(coef_1, 1 - EPS_LOW, 1 + EPS_HIGH);
      is_clipped = ((coef_1 < 1 - EPS_LOW) & (advantage < 0)) | ((coef_1 > 1 + EPS_HIGH) & (advantage > 0));
      if (DELTA != 0.0) coef_1 = tl.minimum(coef_1, DELTA);
      loss = -tl.minimum(coef_1 * advantage, coef_2 * advantage);
    } else if (LOSS == "cispo") {
      loss = -tl.minimum(coef_1, EPS_HIGH) * advantage * logp;
      is_clipped = (coef_1 > EPS_HIGH) & (advantage > 0);
    } else if (LOSS == "sapo") {
      auto temperature = tl.where(advantage > 0, 1.0, 1.05);
      loss = -tl.sigmoid(temperature * (coef_1 - 1.0)) * 4.0 / temperature * advantage;
    }
    if (BETA != 0.0) {
      auto ref_logp = tl.load(ref_logp_ptr + at).to(tl.float32);
      auto kl = tl.exp(ref_logp - logp) - (ref_logp - logp) - 1;
      loss += BETA * kl;
      tl.store(kl_ptr + at, kl);
    }
    tl.store(loss_ptr + at, loss);
    tl.store(lse_ptr + at, lse);
    tl.store(is_clipped_ptr + at, is_clipped);
  }
};

void grpo_loop(auto& args) {
  auto logits = args["logits"], old_logp = args["old_logp"], ref = args["ref_logp"], ids = args["ids"];
  auto completion = args["completion"], advantages = args["advantages"];
  auto loss = args["loss"], lse = args["lse"], kl = args["kl"], is_clipped = args["is_clipped"];
  const double t = args("TEMPERATURE");
  for (int b = 0; b < loss.size(0); ++b)
    for (int l = 0; l < loss.size(1); ++l) {
      loss(b, l) = lse(b, l) = kl(b, l) = is_clipped(b, l) = 0;
      if (completion(b, l) == 0) continue;
      double sum = 0;
      for (int j = 0; j < logits.size(2); ++j) sum += exp(logits(b, l, j) / t);
      lse(b, l) = log(sum);
      const double logp = logits(b, l, ids(b, l)) / t - lse(b, l);
      const double ratio = exp(logp - old_logp(b, l)), a = advantages(b), d = ref(b, l) - logp;
      const double low = 1 - args("EPS_LOW"), high = 1 + args("EPS_HIGH");
      is_clipped(b, l) = (ratio < low && a < 0) || (ratio > high && a > 0);
      const double clipped = ratio < low ? low : ratio > high ? high : ratio;
      const double bounded = ratio < args("DELTA") ? ratio : args("DELTA");
      kl(b, l) = exp(d) - d - 1;
      loss(b, l) = -fmin(bounded * a, clipped * a) + args("BETA") * kl(b, l);
    }
}

}  // namespace tl::ports
