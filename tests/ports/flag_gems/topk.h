// The k largest of a row with their places: in chunks, one after the other; and sorted as a whole by a bitonic network
// that carries the places along.
// After src/flag_gems/ops/topk.py of flagos-ai/FlagGems at 2d2e7fb58947.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case topk_chunks_kernel: rows=3 cols=150 chunks=3 y=out:f32[rows,chunks,5] index=out:i64[rows,chunks,5]
// case topk_chunks_kernel: x=f16[rows,cols]:normal k=5 N=cols CHUNK=64 DESCENDING=true grid=(rows,chunks)
// case topk_chunks_kernel: expect=topk_chunks_loop
struct topk_chunks_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto index_ptr, ptr auto x_ptr, int_ auto k, constexpr_ auto N,
                  constexpr_ auto CHUNK, constexpr_ auto DESCENDING) const {
    auto row = tl.program_id(0);
    auto chunk = tl.program_id(1);
    auto to = (row * tl.num_programs(1) + chunk) * k;
    auto cols = tl.arange(0, CHUNK);
    auto available = chunk * CHUNK + cols < N;
    auto worst = DESCENDING ? -inf : inf;
    auto x = tl.load(x_ptr + row * N + chunk * CHUNK + cols, {.mask = available, .other = worst}).to(tl.float32);
    for (auto i : tl.range(0, k)) {
      auto best = tl.static_if(DESCENDING, [&] { return tl.max(x); }, [&] { return tl.min(x); });
      auto at = tl.argmin(tl.where(available & (x == best), cols, CHUNK), 0);
      tl.store(y_ptr + to + i, best);
      tl.store(index_ptr + to + i, (at + chunk * CHUNK).to(tl.int64));
      x = tl.where(cols == at, worst, x);
      available = available & (cols != at);
    }
  }
};

void topk_chunks_loop(auto& args) {
  auto x = args["x"], y = args["y"], index = args["index"];
  const int chunk = args("CHUNK");
  for (int r = 0; r < x.size(0); ++r)
    for (int c = 0; c < y.size(1); ++c)
      for (int i = 0; i < y.size(2); ++i) {
        int best = -1;
        for (int j = c * chunk; j < (c + 1) * chunk && j < x.size(1); ++j) {
          bool is_taken = false;
          for (int before = 0; before < i; ++before) is_taken |= index(r, c, before) == j;
          if (!is_taken && (best < 0 || x(r, j) > x(r, best))) best = j;
        }
        y(r, c, i) = x(r, best);
        index(r, c, i) = best;
      }
}

// Round I of a merge: lanes 2^(LOG2 - I - 1) apart change places where that puts them in order.
auto compare_and_swap(auto& tl, auto x, auto ids, auto flip, constexpr_ auto I, constexpr_ auto LOG2) {
  auto shape = tl.shape(1_c << I, 2_c, 1_c << (LOG2 - I - 1_c));
  auto size = tl.shape(1_c << LOG2);
  auto is_right = tl.arange(0, 2_c)(None, _, None);
  auto side = [&](auto& tl, auto value, auto chosen) {
    auto sum = tl.sum(tl.reshape(value, shape) * chosen, 1_c);
    return tl.reshape(tl.broadcast_to(tl.expand_dims(sum, 1_c), shape), size);
  };
  auto left = side(tl, x, 1 - is_right);
  auto right = side(tl, x, is_right);
  auto left_ids = side(tl, ids, 1 - is_right);
  auto right_ids = side(tl, ids, is_right);
  auto swaps = (left > right).to(tl.int32) ^ flip;
  auto bits = left.to(tl.int32, tl.bitcast) ^ right.to(tl.int32, tl.bitcast);
  auto new_x = x.to(tl.int32, tl.bitcast) ^ tl.where(swaps != 0, bits, 0);
  auto new_ids = ids ^ tl.where(swaps != 0, left_ids ^ right_ids, 0);
  return tl.tuple(new_x.to(tl.float32, tl.bitcast), new_ids);
}

// case bitonic_topk_kernel: rows=5 cols=29 x=f32[rows,cols]:normal y=out:f32[rows,7] index=out:i32[rows,7]
// case bitonic_topk_kernel: n_cols=cols k=7 BLOCK=32 LOG2=5 grid=rows expect=bitonic_topk_loop
struct bitonic_topk_kernel {
  void operator()(auto& tl, ptr auto y_ptr, ptr auto index_ptr, ptr auto x_ptr, int_ auto n_cols, int_ auto k,
                  constexpr_ auto BLOCK, constexpr_ auto LOG2) const {
    auto cols = tl.arange(0, BLOCK);
    auto row = tl.program_id(0);
    auto x = tl.load(x_ptr + row * n_cols + cols, {.mask = cols < n_cols, .other = -3e38});
    auto ids = cols + 0;
    tl.static_for(1_c, LOG2 + 1_c, [&](auto stage) {
      // pieces of 2^stage lanes are sorted upward and downward in turns, the last one downward
      auto flip = tl.static_if(stage == LOG2, [&] { return cols * 0 + 1; }, [&] { return (cols >> stage) & 1; });
      tl.static_for(stage, [&](auto i) {
        auto [next, next_ids] = compare_and_swap(tl, x, ids, flip, i + (LOG2 - stage), LOG2);
        x = next;
        ids = next_ids;
      });
    });
    tl.store(y_ptr + row * k + cols, x, {.mask = cols < k});
    tl.store(index_ptr + row * k + cols, ids, {.mask = cols < k});
  }
};

void bitonic_topk_loop(auto& args) {
  auto x = args["x"], y = args["y"], index = args["index"];
  for (int r = 0; r < x.size(0); ++r)
    for (int j = 0; j < x.size(1); ++j) {
      int rank = 0;
      for (int other = 0; other < x.size(1); ++other) rank += x(r, other) > x(r, j);
      if (rank < y.size(1)) {
        y(r, rank) = x(r, j);
        index(r, rank) = j;
      }
    }
}

}  // namespace tl::ports
