// A token drawn by its logits: each gets a noise of Gumbel's from a seed of its request, and the largest of a block of
// the vocabulary is kept; a temperature of 0 takes the largest as it is.
// After vllm/v1/worker/gpu/sample/gumbel.py of vllm-project/vllm at 03f97cce04f1.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: tokens=4 requests=3 vocab=600 blocks=3 logits=bf16[tokens,vocab]:normal mapping=i32[tokens]:values(2,0,1,2)
// case: seeds=i64[requests]:values(7,8,9) pos=i64[tokens]:values(100,3,5,101) temp=f32[requests]:values(0.7,0,1.5)
// case: argmax=out:i64[tokens,blocks] max=out:f32[tokens,blocks] logits_stride=vocab vocab_size=vocab
// case: stride=blocks BLOCK=256 grid=(tokens,blocks) tolerance=1e-4 expect=gumbel_loop
struct gumbel_kernel {
  void operator()(auto& tl, ptr auto argmax_ptr, ptr auto max_ptr, int_ auto stride, ptr auto logits_ptr,
                  int_ auto logits_stride, ptr auto mapping_ptr, ptr auto seeds_ptr, ptr auto pos_ptr,
                  ptr auto temp_ptr, int_ auto vocab_size, constexpr_ auto BLOCK) const {
    auto token = tl.program_id(0).to(tl.int64);
    auto block = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK);
    auto mask = block < vocab_size;
    auto logits = tl.load(logits_ptr + token * logits_stride + block, {.mask = mask, .other = -inf}).to(tl.float32);
    auto request = tl.load(mapping_ptr + token).to(tl.int64);
    auto is_valid = request >= 0;
    auto temp = tl.load(temp_ptr + request, {.mask = is_valid, .other = 0});
    if (temp != 0.0) {
      logits = logits / temp;
      auto seed = tl.load(seeds_ptr + request, {.mask = is_valid, .other = 0});
      auto noise_seed = tl.randint(seed, tl.load(pos_ptr + token));
      auto u = tl.maximum(tl.rand(noise_seed, block), 4.6566127342e-10);
      logits = tl.where(mask, logits - tl.log(-tl.log1p(-u)), -inf);
    }
    auto [value, index] = tl.max_with_index(logits, 0);
    auto to = token * stride + tl.program_id(1);
    tl.store(argmax_ptr + to, (tl.program_id(1) * BLOCK + index).to(tl.int64));
    tl.store(max_ptr + to, value);
  }
};

// The first word of Philox4x32-10 with a key of 64 bits and a counter of 64.
unsigned philox(unsigned long long key, unsigned long long counter) {
  unsigned long long c0 = counter & 0xffffffff, c1 = counter >> 32, c2 = 0, c3 = 0;
  unsigned k0 = key, k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
    c0 = (b >> 32) ^ c1 ^ k0;
    c1 = b & 0xffffffff;
    c2 = (a >> 32) ^ c3 ^ k1;
    c3 = a & 0xffffffff;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c0;
}

void gumbel_loop(auto& args) {
  auto logits = args["logits"], argmax = args["argmax"], max = args["max"], mapping = args["mapping"];
  const int block = args("BLOCK");
  for (int t = 0; t < logits.size(0); ++t)
    for (int b = 0; b < argmax.size(1); ++b) {
      max(t, b) = -1e30;
      for (int v = b * block; v < (b + 1) * block && v < logits.size(1); ++v) {
        const double temp = args["temp"](mapping(t));
        double value = logits(t, v);
        if (temp != 0) {
          const long long seed = args["seeds"](mapping(t)), pos = args["pos"](t);
          const int word = philox(philox(seed, pos), v);
          const double u = (word < 0 ? -(word + 1) : word) * 4.6566127342e-10;
          value = value / temp - log(-log1p(-fmax(u, 4.6566127342e-10)));
        }
        if (value > max(t, b)) {
          max(t, b) = value;
          argmax(t, b) = v;
        }
      }
    }
}

}  // namespace tl::ports
