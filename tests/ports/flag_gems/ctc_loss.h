// CTC's loss: a program walks a sequence's alignments from step to step, through memory, in logarithms.
// After src/flag_gems/ops/ctc_loss.py of flagos-ai/FlagGems at ed2508bcb.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto log_add_exp3(auto& tl, auto a, auto b, auto c) {
  auto top = tl.maximum(tl.maximum(a, b), c);
  auto safe = tl.where(top == -inf, 0.0, top);
  return tl.where(top == -inf, -inf, top + tl.log(tl.exp(a - safe) + tl.exp(b - safe) + tl.exp(c - safe)));
}

// case: t=12 n=3 c=6 most=4 states=2*most+1 log_probs=f32[t,n,c]:uniform(-3,-1)
// case: targets=i64[n,most]:values(1,2,2,5,3,3,3,0,4,0,0,0) input_lengths=i64[n]:values(12,9,5)
// case: target_lengths=i64[n]:values(4,3,1) loss=out:f32[n] alpha=out:f32[n,t,states] T=t N=n C=c MOST=most
// case: STATES=states BLANK=0 BLOCK=16 grid=n expect=ctc_loop
struct ctc_loss_kernel {
  void operator()(auto& tl, ptr auto log_probs_ptr, ptr auto targets_ptr, ptr auto input_lengths_ptr,
                  ptr auto target_lengths_ptr, ptr auto loss_ptr, ptr auto alpha_ptr, constexpr_ auto T,
                  constexpr_ auto N, constexpr_ auto C, constexpr_ auto MOST, constexpr_ auto STATES,
                  constexpr_ auto BLANK, constexpr_ auto BLOCK) const {
    auto batch = tl.program_id(0);
    auto states = tl.arange(0, BLOCK);
    auto input_len = tl.load(input_lengths_ptr + batch);
    auto target_len = tl.load(target_lengths_ptr + batch);
    auto state_count = target_len * 2 + 1;
    auto valid = states < state_count;
    auto stored = states < STATES;
    auto is_blank = states % 2 == 0;
    auto index = (states - 1) / 2;
    auto has_target = (states > 0) & (index < target_len);
    auto origin = batch * MOST;
    auto target = tl.load(targets_ptr + origin + tl.where(has_target, index, 0), {.mask = has_target, .other = BLANK});
    auto labels = tl.where(is_blank, BLANK, target);
    auto before = tl.load(targets_ptr + origin + tl.where(index > 0, index - 1, 0),
                          {.mask = has_target & (index > 0), .other = BLANK});
    auto may_skip = ~is_blank & (index > 0) & (target != before);
    auto first = (states == 0) | ((states == 1) & (target_len > 0));
    auto logp = tl.load(log_probs_ptr + batch * C + labels, {.mask = first & stored & (input_len > 0), .other = 0.0});
    auto rows = alpha_ptr + batch * T * STATES;
    tl.store(rows + states, tl.where(first & valid & (input_len > 0), logp, -inf), {.mask = stored});
    tl.debug_barrier();
    for (auto t : tl.range(1, T)) {
      auto prev = rows + (t - 1) * STATES;
      auto prev0 = tl.load(prev + states, {.mask = stored, .other = -inf});
      auto prev1 = tl.load(prev + tl.where(states > 0, states - 1, 0), {.mask = (states > 0) & stored, .other = -inf});
      auto prev2 = tl.load(prev + tl.where(states > 1, states - 2, 0), {.mask = (states > 1) & stored, .other = -inf});
      auto acc = log_add_exp3(tl, prev0, prev1, tl.where(may_skip, prev2, -inf));
      auto mine = valid & (t < input_len);
      auto step = tl.load(log_probs_ptr + t * N * C + batch * C + labels, {.mask = mine, .other = 0.0});
      tl.store(rows + t * STATES + states, tl.where(mine, acc + step, -inf), {.mask = stored});
      tl.debug_barrier();
    }
    auto last_row = rows + (input_len - 1) * STATES;
    auto last = tl.load(last_row + state_count - 1);
    auto prev_last =
        tl.load(last_row + tl.where(target_len > 0, state_count - 2, 0), {.mask = target_len > 0, .other = -inf});
    tl.store(loss_ptr + batch, -log_add_exp3(tl, last, prev_last, -inf));
  }
};

void ctc_loop(auto& args) {
  auto p = args["log_probs"], targets = args["targets"], loss = args["loss"];
  for (int b = 0; b < loss.size(0); ++b) {
    const int steps = args["input_lengths"](b), states = 2 * args["target_lengths"](b) + 1;
    auto label = [&](int s) { return s % 2 ? static_cast<int>(targets(b, s / 2)) : 0; };
    auto now = args.zeros(states), next = args.zeros(states);
    now(0) = exp(p(0, b, 0));
    if (states > 1) now(1) = exp(p(0, b, label(1)));
    for (int t = 1; t < steps; ++t) {
      for (int s = 0; s < states; ++s) {
        next(s) = now(s) + (s > 0 ? now(s - 1) : 0);
        if (s > 1 && s % 2 && label(s) != label(s - 2)) next(s) += now(s - 2);
        next(s) *= exp(p(t, b, label(s)));
      }
      for (int s = 0; s < states; ++s) now(s) = next(s);
    }
    loss(b) = -log(now(states - 1) + (states > 1 ? now(states - 2) : 0));
  }
}

}  // namespace tl::ports
