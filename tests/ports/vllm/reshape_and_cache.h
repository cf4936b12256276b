// Keys and values of new tokens go to the slots of a paged cache, as fp8 with a scale; a slot of -1 is none.
// After vllm/attention/ops/triton_reshape_and_cache_flash.py of vllm-project/vllm at 0cbc2974a5a1.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: tokens=7 heads=3 dim=20 pages=4 page=4 key=bf16[tokens,heads,dim]:normal value=bf16[tokens,heads,dim]:normal
// case: k_cache=inout:f8e4nv[pages,page,heads,dim]:zeros v_cache=inout:f8e4nv[pages,page,heads,dim]:zeros
// case: slots=i64[tokens]:values(5,0,-1,13,6,15,2) k_scale=0.5 v_scale=0.25 key_stride=heads*dim value_stride=heads*dim
// case: page_stride=page*heads*dim SIZE=heads*dim PAGE=page BLOCK=64 grid=tokens expect=reshape_and_cache_loop
struct reshape_and_cache_kernel {
  void operator()(auto& tl, ptr auto key_ptr, ptr auto value_ptr, ptr auto k_cache_ptr, ptr auto v_cache_ptr,
                  ptr auto slots_ptr, float_ auto k_scale, float_ auto v_scale, int_ auto key_stride,
                  int_ auto value_stride, int_ auto page_stride, constexpr_ auto SIZE, constexpr_ auto PAGE,
                  constexpr_ auto BLOCK) const {
    auto token = tl.program_id(0);
    auto slot = tl.load(slots_ptr + token);
    if (slot < 0) return;
    auto target = slot / PAGE * page_stride + slot % PAGE * SIZE;
    auto offs = tl.arange(0, BLOCK);
    auto mask = offs < SIZE;
    auto key = tl.load(key_ptr + token * key_stride + offs, {.mask = mask}) / k_scale;
    auto value = tl.load(value_ptr + token * value_stride + offs, {.mask = mask}) / v_scale;
    tl.store(k_cache_ptr + target + offs, key.to(k_cache_ptr.dtype), {.mask = mask});
    tl.store(v_cache_ptr + target + offs, value.to(v_cache_ptr.dtype), {.mask = mask});
  }
};

void reshape_and_cache_loop(auto& args) {
  auto key = args["key"], value = args["value"], k_cache = args["k_cache"], v_cache = args["v_cache"];
  const int page = k_cache.size(1);
  for (int i = 0; i < key.size(0); ++i) {
    const int slot = args["slots"](i);
    if (slot < 0) continue;
    for (int h = 0; h < key.size(1); ++h)
      for (int d = 0; d < key.size(2); ++d) {
        k_cache(slot / page, slot % page, h, d) = key(i, h, d) / args("k_scale");
        v_cache(slot / page, slot % page, h, d) = value(i, h, d) / args("v_scale");
      }
  }
}

}  // namespace tl::ports
