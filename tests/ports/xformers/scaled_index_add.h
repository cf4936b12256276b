// Rows of a source, scaled, added to chosen rows of a tensor of three axes.
// After xformers/ops/_triton/k_scaled_index_add.py of facebookresearch/xformers at ca6d2aa0.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: n=6 k=3 r=5 c=20 x=inout:f16[n,r,c] index=i64[k]:values(4,0,3) source=f16[k,r,c] scaling=f32[c] alpha=0.5
// case: num_src=k num_rows=r num_cols=c stride0=r*c stride1=c stride2=1
// case: BI=2 BR=4 BC=16 grid=(cdiv(k,BI),cdiv(r,BR),cdiv(c,BC)) expect=scaled_index_add_loop
struct scaled_index_add_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto index_ptr, ptr auto source_ptr, ptr auto scaling_ptr,
                  float_ auto alpha, int_ auto num_src, int_ auto num_rows, int_ auto num_cols, int_ auto stride0,
                  int_ auto stride1, int_ auto stride2, constexpr_ auto BI, constexpr_ auto BR,
                  constexpr_ auto BC) const {
    auto rows = tl.program_id(1) * BR + tl.arange(0, BR);
    auto cols = tl.program_id(2) * BC + tl.arange(0, BC);
    auto from = tl.program_id(0) * BI + tl.arange(0, BI);
    auto within = rows(None, _, None) * stride1 + cols(None, None, _) * stride2;
    auto mask = (from < num_src)(_, None, None) & (rows < num_rows)(None, _, None) & (cols < num_cols)(None, None, _);
    auto source = tl.load(source_ptr + from(_, None, None) * stride0 + within, {.mask = mask}).to(tl.float32);
    auto to = tl.load(index_ptr + from, {.mask = from < num_src});
    auto x_ptrs = x_ptr + to(_, None, None) * stride0 + within;
    auto x = tl.load(x_ptrs, {.mask = mask}).to(tl.float32);
    if (!tl.is_none(scaling_ptr)) {
      source *=
          tl.load(scaling_ptr + cols(None, None, _) * stride2, {.mask = cols(None, None, _) < num_cols}).to(tl.float32);
    }
    tl.store(x_ptrs, x + alpha * source, {.mask = mask});
  }
};

void scaled_index_add_loop(auto& args) {
  auto x = args["x"], index = args["index"], source = args["source"], scaling = args["scaling"];
  for (int i = 0; i < source.size(0); ++i)
    for (int r = 0; r < source.size(1); ++r)
      for (int c = 0; c < source.size(2); ++c) x(index(i), r, c) += args("alpha") * scaling(c) * source(i, r, c);
}

}  // namespace tl::ports
