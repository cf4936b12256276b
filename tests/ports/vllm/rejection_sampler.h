// Speculative decoding: drafted tokens are taken until one is refused, by the most likely token or at random; then
// one token of the rest of the distribution, or the bonus.
// After vllm/v1/sample/rejection_sampler.py of vllm-project/vllm at 0097a7bbf1d9.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case rejection_random_kernel: b=3 most=4 vocab=10 out=inout:i32[b,most+1]:full(-1) ends=i32[b]:values(3,3,7)
// case rejection_random_kernel: draft=i32[7]:values(5,6,7,1,2,3,4)
// case rejection_random_kernel: draft_probs=f32[7,vocab]:uniform(0,0.2) target_probs=f32[7,vocab]:uniform(0,0.2)
// case rejection_random_kernel: bonus=i32[b]:values(50,51,52) recovered=i32[7]:values(90,91,92,93,94,95,96)
// case rejection_random_kernel: uniform=f64[7]:uniform(0,1) is_greedy=i1[b]:values(0,0,0) max_spec_len=most
// case rejection_random_kernel: vocab_size=vocab IS_NGRAM=false grid=b expect=rejection_random_loop
struct rejection_random_kernel {
  void operator()(auto& tl, ptr auto out_ptr, ptr auto ends_ptr, ptr auto draft_ptr, ptr auto draft_probs_ptr,
                  ptr auto target_probs_ptr, ptr auto bonus_ptr, ptr auto recovered_ptr, ptr auto uniform_ptr,
                  ptr auto is_greedy_ptr, int_ auto max_spec_len, int_ auto vocab_size,
                  constexpr_ auto IS_NGRAM) const {
    auto req = tl.program_id(0);
    if (tl.load(is_greedy_ptr + req)) return;
    auto start = tl.scalar(0, tl.int32);
    if (req != 0) start = tl.load(ends_ptr + req - 1);
    auto num = tl.load(ends_ptr + req) - start;
    auto rejected = tl.scalar(false, tl.int1);
    for (auto pos : tl.range(num)) {
      if (!rejected) {
        auto drafted = tl.load(draft_ptr + start + pos);
        auto draft_prob = tl.scalar(1, tl.float32);
        if (!IS_NGRAM) draft_prob = tl.load(draft_probs_ptr + (start + pos) * vocab_size + drafted);
        auto target_prob = tl.load(target_probs_ptr + (start + pos) * vocab_size + drafted);
        auto uniform = tl.load(uniform_ptr + start + pos);
        auto token = drafted;
        if (!(draft_prob > 0 && target_prob / draft_prob >= uniform)) {
          rejected = true;
          token = tl.load(recovered_ptr + start + pos);
        }
        tl.store(out_ptr + req * (max_spec_len + 1) + pos, token);
      }
    }
    if (!rejected) tl.store(out_ptr + req * (max_spec_len + 1) + num, tl.load(bonus_ptr + req));
  }
};

void rejection_random_loop(auto& args) {
  auto out = args["out"], ends = args["ends"], draft = args["draft"], p = args["draft_probs"], q = args["target_probs"],
       u = args["uniform"];
  for (int r = 0; r < out.size(0); ++r) {
    for (int j = 0; j < out.size(1); ++j) out(r, j) = -1;
    int at = r ? ends(r - 1) : 0, j = 0;
    bool goes_on = true;
    for (; goes_on && at + j < ends(r); ++j) {
      const int token = draft(at + j);
      goes_on = q(at + j, token) / p(at + j, token) >= u(at + j);
      out(r, j) = goes_on ? token : args["recovered"](at + j);
    }
    if (goes_on) out(r, j) = args["bonus"](r);
  }
}

// case recovered_tokens_kernel: b=2 vocab=50 out=out:i32[5] ends=i32[b]:values(2,5) draft=i32[5]:values(5,6,7,1,2)
// case recovered_tokens_kernel: draft_probs=f32[5,vocab]:uniform(0,1) target_probs=inout:f32[5,vocab]:uniform(0,1)
// case recovered_tokens_kernel: q=f32[b,vocab]:uniform(0.1,1) vocab_size=vocab PADDED=64 IS_NGRAM=true grid=(b,3)
// case recovered_tokens_kernel: expect=recovered_tokens_loop
struct recovered_tokens_kernel {
  void operator()(auto& tl, ptr auto out_ptr, ptr auto ends_ptr, ptr auto draft_ptr, ptr auto draft_probs_ptr,
                  ptr auto target_probs_ptr, ptr auto q_ptr, int_ auto vocab_size, constexpr_ auto PADDED,
                  constexpr_ auto IS_NGRAM) const {
    auto req = tl.program_id(0);
    auto start = tl.scalar(0, tl.int32);
    if (req != 0) start = tl.load(ends_ptr + req - 1);
    auto num = tl.load(ends_ptr + req) - start;
    auto pos = tl.program_id(1);
    if (pos >= num) return;
    auto vocab = tl.arange(0, PADDED);
    auto mask = vocab < vocab_size;
    auto row = (start + pos) * vocab_size;
    auto drafted = tl.load(draft_ptr + start + pos);
    auto orig = tl.load(target_probs_ptr + row + drafted);
    auto prob = tl.zeros(tl.shape(PADDED), tl.float32);
    if (IS_NGRAM) {
      tl.store(target_probs_ptr + row + drafted, 0);
      tl.debug_barrier();
      prob = tl.load(target_probs_ptr + row + vocab, {.mask = mask, .other = 0});
    } else {
      prob = tl.maximum(tl.load(target_probs_ptr + row + vocab, {.mask = mask, .other = 0}) -
                            tl.load(draft_probs_ptr + row + vocab, {.mask = mask, .other = 0}),
                        0);
    }
    auto q = tl.load(q_ptr + req * vocab_size + vocab, {.mask = mask, .other = -inf});
    tl.store(out_ptr + start + pos, tl.argmax(prob / q, -1_c));
    tl.debug_barrier();
    if (IS_NGRAM) tl.store(target_probs_ptr + row + drafted, orig);
  }
};

void recovered_tokens_loop(auto& args) {
  auto out = args["out"], ends = args["ends"], draft = args["draft"], p = args["target_probs"], q = args["q"];
  for (int t = 0; t < out.size(0); ++t) {
    const int r = t < ends(0) ? 0 : 1;
    int best = -1;
    for (int j = 0; j < p.size(1); ++j)
      if (j != draft(t) && (best < 0 || p(t, j) / q(r, j) > p(t, best) / q(r, best))) best = j;
    out(t) = best;
  }
}

}  // namespace tl::ports
