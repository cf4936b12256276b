// Which bucket of sorted bounds each value falls in, by halving, all lanes at once.
// After bucketize_binary_search in torch/_inductor/runtime/triton_helpers.py of pytorch/pytorch at 016bfa7d7186.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: n=300 buckets=37 values=f32[n]:uniform(-1,40) bounds=f32[buckets]:each(i) out=out:i32[n]
// case: n_elements=n N_BOUNDS=buckets RIGHT=true BLOCK=64 grid=cdiv(n,BLOCK) expect=bucketize_loop
struct bucketize_kernel {
  void operator()(auto& tl, ptr auto values_ptr, ptr auto bounds_ptr, ptr auto out_ptr, int_ auto n_elements,
                  constexpr_ auto N_BOUNDS, constexpr_ auto RIGHT, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto values = tl.load(values_ptr + offs, {.mask = offs < n_elements, .other = 0});
    auto low = tl.zeros(tl.shape(BLOCK), tl.int32);
    auto high = tl.full(tl.shape(BLOCK), N_BOUNDS, tl.int32);
    for (int full_range = N_BOUNDS + 1; full_range > 1; full_range = (full_range + 1) / 2) {
      auto mid = (high + low) / 2;
      auto mask = mid < N_BOUNDS;
      auto bound = tl.load(bounds_ptr + mid, {.mask = mask, .other = 0});
      auto is_above = tl.static_if(RIGHT, [&] { return values >= bound; }, [&] { return values > bound; });
      low = tl.where(is_above & mask, mid + 1, low);
      high = tl.where(is_above, high, mid);
    }
    tl.store(out_ptr + offs, low, {.mask = offs < n_elements});
  }
};

void bucketize_loop(auto& args) {
  auto values = args["values"], bounds = args["bounds"], out = args["out"];
  for (int i = 0; i < values.size(0); ++i) {
    out(i) = 0;
    for (int j = 0; j < bounds.size(0); ++j) out(i) += values(i) >= bounds(j);
  }
}

}  // namespace tl::ports
