// tl.device_assert: a message, then a trap that the host reports.
#pragma once

#include "interp/cuda/device/elementwise.h"

namespace tl {

template <class M>
__forceinline__ void assert_all(const M& condition, const char* text) {
  bool holds = true;
  if constexpr (is_scalar<M> || is_literal<M>) {
    holds = convert<bool>(plain(condition));
  } else {
    const auto lanes = materialize(condition);
#pragma unroll
    for (int r = 0; r < lanes.count; ++r) holds = holds && lanes.v[r];
  }
  if (!holds) {
    printf("tl.device_assert failed in program (%u, %u, %u): %s\n", blockIdx.x, blockIdx.y, blockIdx.z, text);
    __trap();
  }
}

}  // namespace tl
