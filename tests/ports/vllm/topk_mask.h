// The k largest scores of each row, the others become -inf: by the mean and the deviation of a first block those that
// may be among them are gathered, then a threshold is sought between two others in thirds, with how often the smallest
// score above it occurs.
// After _topk_topp_kernel in vllm/v1/sample/ops/topk_topp_triton.py of vllm-project/vllm at 08a5723242bd (what it does
// for k).
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// The smallest score above a threshold, and how often it occurs, with one tile more.
auto update_min_larger(auto& tl, auto data, auto above, auto min_larger, auto num, auto sentinel) {
  auto tile_min = tl.min(tl.where(above, data, sentinel));
  auto tile_cnt = tl.sum(above & (data == tile_min));
  auto is_new = tile_min < min_larger;
  auto is_same = tile_min == min_larger;
  auto n = tl.where(is_new, tile_cnt, num + tile_cnt * is_same);
  return tl.tuple(tl.minimum(min_larger, tile_min), n);
}

// case: batch=3 vocab=300 logits=inout:f32[batch,vocab]:normal buffer=out:f32[2,vocab] table=f32[200]:each(2.5-i/40.0)
// case: K=i32[batch]:values(5,300,17) n_batch=batch VOCAB=vocab MASK_VALUE=-inf BLOCK=128 TRUNC=64
// case: grid=2 expect=topk_mask_loop
struct topk_mask_kernel {
  void operator()(auto& tl, ptr auto logits_ptr, ptr auto buffer_ptr, ptr auto table_ptr, ptr auto K, int_ auto n_batch,
                  constexpr_ auto VOCAB, constexpr_ auto MASK_VALUE, constexpr_ auto BLOCK,
                  constexpr_ auto TRUNC) const {
    auto NUM_TILES = tl.cdiv(VOCAB, BLOCK);
    auto pid = tl.program_id(0);
    for (auto row_id : tl.range(pid, n_batch, tl.num_programs(0))) {
      auto row = logits_ptr + row_id.to(tl.int64) * VOCAB;
      auto buf = buffer_ptr + pid * VOCAB;
      auto pivot = tl.scalar(-inf, tl.float32);
      auto max_logit = tl.scalar(-inf, tl.float32);
      auto min_logit = tl.scalar(inf, tl.float32);
      auto k = tl.load(K + row_id);
      if (k < VOCAB) {
        auto offs = tl.arange(0, BLOCK);
        auto mask_n = offs < VOCAB;
        auto blk0 = tl.load(row + offs, {.mask = mask_n, .other = -inf});
        auto finite = (blk0 > -inf) & mask_n;
        auto num_finite = tl.sum(finite);
        auto fl = tl.where(finite, blk0, 0.0);
        auto avg = tl.where(num_finite > 0, tl.sum(fl) / num_finite, 0.0);
        auto sq = tl.where(num_finite > 0, tl.sum(fl * fl) / num_finite, 0.0);
        auto std = tl.sqrt(tl.maximum(sq - avg * avg, 0.0));
        auto percentile = tl.minimum(tl.cast(k.to(tl.float32) / VOCAB * 200, tl.uint32), 199);
        auto sigma = tl.load(table_ptr + percentile);
        sigma = sigma + tl.abs(sigma) * -0.15;
        auto outlier_pivot = avg + std * sigma;
        auto num_outliers = tl.zeros(tl.shape(), tl.uint32);
        for (auto i : tl.range(0, NUM_TILES)) {
          auto offs_n = i * BLOCK + tl.arange(0, BLOCK);
          auto m = offs_n < VOCAB;
          auto blk = tl.load(row + offs_n, {.mask = m, .other = -inf});
          max_logit = tl.maximum(max_logit, tl.max(blk));
          min_logit = tl.minimum(min_logit, tl.min(tl.where(blk > -inf, blk, inf)));
          auto outlier = (blk > outlier_pivot) & m;
          auto pos = tl.cast(tl.cumsum(outlier, 0) - 1 + num_outliers, tl.int32);
          num_outliers += tl.sum(outlier);
          tl.store(buf + tl.where(outlier, pos, -1), blk, {.mask = outlier});
        }
        tl.debug_barrier();
        auto use_buffer = num_outliers > k;
        auto max_range = max_logit;
        auto min_range = tl.where(use_buffer, outlier_pivot, min_logit);
        auto source = row;
        if (use_buffer) source = buf;
        auto range = tl.where(use_buffer, tl.cast(num_outliers, tl.int32), VOCAB);
        auto found = tl.scalar(0, tl.int32);
        auto num_iters = tl.scalar(0, tl.int32);
        while (found == 0) {
          auto p0 = (max_range - min_range) * 1.0 / 3.0 + min_range;
          auto p1 = (max_range - min_range) * 2.0 / 3.0 + min_range;
          auto n0 = tl.zeros(tl.shape(), tl.uint32);
          auto n1 = tl.zeros(tl.shape(), tl.uint32);
          auto min0 = tl.scalar(inf, tl.float32);
          auto c0 = tl.zeros(tl.shape(), tl.uint32);
          auto min1 = tl.scalar(inf, tl.float32);
          auto c1 = tl.zeros(tl.shape(), tl.uint32);
          for (auto i : tl.range(0, tl.cdiv(range, TRUNC))) {
            auto offs_n = i * TRUNC + tl.arange(0, TRUNC);
            auto blk = tl.load(source + offs_n, {.mask = offs_n < range, .other = -inf});
            auto above0 = blk > p0;
            auto above1 = blk > p1;
            n0 += tl.sum(above0);
            n1 += tl.sum(above1);
            auto [a, b] = update_min_larger(tl, blk, above0, min0, c0, inf);
            min0 = a;
            c0 = b;
            auto [c, d] = update_min_larger(tl, blk, above1, min1, c1, inf);
            min1 = c;
            c1 = d;
          }
          if (n0 >= k && n0 - c0 < k) {
            pivot = min0;
            found = tl.scalar(1, tl.int32);
          }
          if (n1 >= k && n1 - c1 < k) {
            pivot = min1;
            found = tl.scalar(1, tl.int32);
          }
          if (n1 > k) min_range = p1;
          else if (n0 > k) min_range = p0;
          if (n0 < k) max_range = p0;
          else if (n1 < k) max_range = p1;
          num_iters += 1;
          if (num_iters >= 40) {
            pivot = (max_range + min_range) / 2.0;
            found = tl.scalar(1, tl.int32);
          }
        }
        tl.debug_barrier();  // other threads may still read the row
        for (auto i : tl.range(0, NUM_TILES)) {
          auto offs_n = i * BLOCK + tl.arange(0, BLOCK);
          auto m = offs_n < VOCAB;
          auto blk = tl.load(row + offs_n, {.mask = m, .other = -inf});
          tl.store(row + offs_n, tl.where(blk >= pivot, blk, MASK_VALUE), {.mask = m});
        }
      }
    }
  }
};

void topk_mask_loop(auto& args) {
  auto x = args["logits"], k = args["K"];
  for (int i = 0; i < x.size(0); ++i) {
    auto row = args.zeros(x.size(1));
    for (int j = 0; j < x.size(1); ++j) row(j) = x(i, j);
    for (int j = 0; j < x.size(1); ++j) {
      int above = 0;
      for (int other = 0; other < x.size(1); ++other) above += row(other) > row(j);
      if (above >= int(k(i))) x(i, j) = -INFINITY;
    }
  }
}

}  // namespace tl::ports
