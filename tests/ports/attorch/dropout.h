// Dropout from a seed: the mask of the backward pass is the forward pass's, drawn again.
// After attorch/dropout_kernels.py of BobMcDear/attorch at 25714e230192.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

auto apply_dropout(auto& tl, auto x, float_ auto p, int_ auto seed, auto offset) {
  return tl.where(tl.rand(seed, offset) < p, 0, x / (1 - p));
}

// case: n=1000 x=f16[n]:normal y=out:f16[n] size=n p=0.25 seed=0 BLOCK=256 grid=cdiv(n,BLOCK) expect=dropout_loop
struct dropout_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto size, float_ auto p, int_ auto seed,
                  constexpr_ auto BLOCK) const {
    auto offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offset < size;
    auto x = tl.load(x_ptr + offset, {.mask = mask}).to(tl.float32);
    tl.store(y_ptr + offset, apply_dropout(tl, x, p, seed, offset).to(y_ptr.dtype), {.mask = mask});
  }
};

// The first word of Philox4x32-10 for a seed of 0.
unsigned philox_of_0(unsigned counter) {
  unsigned long long c0 = counter, c1 = 0, c2 = 0, c3 = 0;
  unsigned k0 = 0, k1 = 0;
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

void dropout_loop(auto& args) {
  auto x = args["x"], y = args["y"];
  for (int i = 0; i < x.size(0); ++i) {
    const int word = philox_of_0(i);
    const double random = (word < 0 ? -(word + 1) : word) * 4.6566127342e-10;
    y(i) = random < args("p") ? 0 : x(i) / (1 - args("p"));
  }
}

}  // namespace tl::ports
