// second phase of a prefix sum: add the last element of the block before, in place: right for two blocks only
// (mojo-gpu-puzzles#81)
// case: BLOCK=4 n=12 x=inout:i32[n]:each(1 + i % 4) grid=cdiv(n, BLOCK) expect=scan
#pragma once
#include "interp/tl.h"
namespace tl::kernels {
struct blocksum {
  void operator()(auto& tl, ptr auto x_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto pid = tl.program_id(0);
    auto i = pid * BLOCK + tl.arange(0, BLOCK);
    if (pid > 0) {
      auto before = tl.load(x_ptr + pid * BLOCK - 1);
      auto x = tl.load(x_ptr + i, {.mask = i < n});
      tl.store(x_ptr + i, x + before, {.mask = i < n});
    }
  }
};
void scan(auto& args) {
  auto x = args["x"];
  for (int i = 0; i < x.size(0); ++i) x(i) = i + 1;
}
}  // namespace tl::kernels
