// reverse in place (triton#11148): correct for even and odd N
// case: N=1001 BLOCK=256 x=inout:f32[N] grid=cdiv(N, BLOCK)
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct reverse_wrong {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto N, constexpr_ auto BLOCK) const {
    auto id = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = id < N;
    auto a = tl.load(x_ptr + id, {.mask = mask});
    auto b = tl.load(x_ptr + N - 1 - id, {.mask = mask});
    tl.store(x_ptr + id, b, {.mask = mask});
    tl.store(x_ptr + N - 1 - id, a, {.mask = mask});
  }
};
}  // namespace tl::kernels
