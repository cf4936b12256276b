// Which queries chose a block: each query's list of blocks turned round, counted first, then placed by a cursor.
// After fla/ops/utils/csr.py of fla-org/flash-linear-attention at bc3b101d.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: t=21 h=2 s=4 bs=4 blocks=i64[t,h,s]:each(i*7%9-1) counts=i32[t,h]:each(i%5) cu_seqlens=i32[3]:values(0,9,21)
// case: chunks=i32[3]:values(0,3,6)
// case: offsets=inout:i32[6*h+1]:zeros cursor=inout:i32[6*h]:zeros indices=inout:i32[t*h*s]:zeros N=2 T=t H=h S=s
// case: BT=8 BS=bs TC=6 COUNT_ONLY=true grid=(cdiv(t,BT),h) expect=csr_loop
struct block_csr_kernel {
  void operator()(auto& tl, ptr auto blocks_ptr, ptr auto counts_ptr, ptr auto cu_seqlens_ptr, ptr auto chunks_ptr,
                  ptr auto cursor_ptr, ptr auto indices_ptr, ptr auto offsets_ptr, int_ auto N, int_ auto T,
                  constexpr_ auto H, constexpr_ auto S, constexpr_ auto BT, constexpr_ auto BS, constexpr_ auto TC,
                  constexpr_ auto COUNT_ONLY) const {
    auto i_t = tl.program_id(0);
    auto i_h = tl.program_id(1);
    auto o_t = i_t * BT + tl.arange(0, BT);
    auto o_s = tl.arange(0, S);
    auto m_t = o_t < T;
    auto i_qh = o_t.to(tl.int64) * H + i_h;
    auto blocks =
        tl.load(blocks_ptr + i_qh(_, None) * S + o_s(None, _), {.mask = m_t(_, None), .other = -1}).to(tl.int64);
    auto counts = tl.load(counts_ptr + i_qh, {.mask = m_t, .other = 0});
    auto mask = m_t(_, None) & (o_s(None, _) < counts(_, None)) & (blocks >= 0) & (blocks < TC);
    auto lo = tl.zeros(tl.shape(BT), tl.int32);
    auto hi = tl.full(tl.shape(BT), N, tl.int32);
    for ([[maybe_unused]] auto round : tl.range(32)) {
      auto mid = (lo + hi) / 2;
      auto go = tl.load(cu_seqlens_ptr + tl.minimum(mid + 1, N), {.mask = m_t, .other = 0}) <= o_t;
      auto new_lo = tl.where(go, mid + 1, lo);
      hi = tl.where(go, hi, mid);
      lo = new_lo;
    }
    auto base = tl.load(chunks_ptr + lo, {.mask = m_t, .other = 0}).to(tl.int64);
    auto start = tl.load(cu_seqlens_ptr + lo, {.mask = m_t, .other = 0});
    mask = mask & (blocks * BS <= (o_t - start)(_, None));
    auto id = (base(_, None) + blocks) * H + i_h;
    if (COUNT_ONLY) {
      tl.atomic_add(offsets_ptr + id + 1, 1, {.mask = mask});
    } else {
      auto to = tl.load(offsets_ptr + id, {.mask = mask, .other = 0}).to(tl.int64) +
                tl.atomic_add(cursor_ptr + id, 1, {.mask = mask});
      tl.store(indices_ptr + to, tl.broadcast_to(o_t(_, None), tl.shape(BT, S)).to(indices_ptr.dtype), {.mask = mask});
    }
  }
};

void csr_loop(auto& args) {
  auto blocks = args["blocks"], counts = args["counts"], cu = args["cu_seqlens"], chunks = args["chunks"],
       offsets = args["offsets"];
  const int heads = blocks.size(1);
  for (int i = 0; i < offsets.size(0); ++i) offsets(i) = 0;
  for (int t = 0; t < blocks.size(0); ++t)
    for (int h = 0; h < heads; ++h)
      for (int s = 0; s < counts(t, h); ++s) {
        const int n = t < cu(1) ? 0 : 1, block = blocks(t, h, s);
        if (block >= 0 && block < args("TC") && block * args("BS") <= t - cu(n))
          offsets((chunks(n) + block) * heads + h + 1) += 1;
      }
}

}  // namespace tl::ports
