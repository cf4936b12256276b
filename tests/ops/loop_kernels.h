// Loops of loads and dots as people write them. Each adds up w(l) a[i, l] b[l, j] over l, with a w of its own.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

// The tiles of one step along k.
auto a_tile(auto& tl, ptr auto a_ptr, auto offs_m, auto offs_k, auto k) {
  return tl.load(a_ptr + offs_m(_, None) * k + offs_k(None, _), {.mask = offs_k(None, _) < k, .other = 0});
}
auto b_tile(auto& tl, ptr auto b_ptr, auto offs_k, auto offs_n, auto k, constexpr_ auto N) {
  return tl.load(b_ptr + offs_k(_, None) * N + offs_n(None, _), {.mask = offs_k(_, None) < k, .other = 0});
}

// w = 2 below `stop`: one tile in two dots, a load between them; left by break
struct break_loop_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto stop = tl.load(aux_ptr);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      if (k_start >= stop) break;
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      acc = tl.dot(a, b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N), acc);
      auto again = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      acc = tl.dot(a, again, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 0 below `stop`, by continue after a load that nothing uses; pointers that move
struct continue_loop_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto stop = tl.load(aux_ptr);
    auto a_ptrs = a_ptr + offs_m(_, None) * k + offs_k(None, _);
    auto b_ptrs = b_ptr + offs_k(_, None) * N + offs_n(None, _);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = tl.load(a_ptrs, {.mask = offs_k(None, _) < k - k_start, .other = 0});
      a_ptrs += BK;
      b_ptrs += BK * N;
      if (k_start < stop) continue;
      auto b = tl.load(b_ptrs - BK * N, {.mask = offs_k(_, None) < k - k_start, .other = 0});
      acc = tl.dot(a, b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 2: two products at once, the first read and copied while the second runs
struct named_products_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      auto product = tl.dot(a, b);
      auto sum = tl.dot(a, b, acc);
      auto doubled = product * 2;
      auto kept = product;
      acc = sum + doubled - kept;
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 4 below `stop`, else 3: the later product is read first, the earlier one gets another value, a third one is
// issued under an if
struct reread_products_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto stop = tl.load(aux_ptr);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      auto first = tl.dot(a, b);
      auto second = tl.dot(a, b);
      if (k_start < stop) acc = tl.dot(a, b, acc);
      acc += second;
      first = first * 2;
      acc += first;
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

void add_products(auto& tl, auto& acc, ptr auto a_ptr, ptr auto b_ptr, auto lo, auto hi, auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) {
  auto offs_m = tl.arange(0, M);
  auto offs_n = tl.arange(0, N);
  auto offs_k = tl.arange(0, BK);
  for (auto k_start : tl.range(lo, hi, BK)) {
    auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
    auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
    acc = tl.dot(a, b, acc);
  }
}
// w = 1 below `stop`, 2 from there on: loops in a helper, with tiles of other sizes, and one that has no turn
struct helper_loops_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto stop = tl.load(aux_ptr);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    add_products(tl, acc, a_ptr, b_ptr, 0, k, k, M, N, BK);
    add_products(tl, acc, a_ptr, b_ptr, k, k, k, M, N, BK);
    add_products(tl, acc, a_ptr, b_ptr, stop, k, k, M, N, 2_c * BK);
    tl.store(out_ptr + tl.arange(0, M)(_, None) * N + tl.arange(0, N)(None, _), acc);
  }
};

// w = 3: a loop in a loop; a tile of the outer one is used within and after it
struct nested_loops_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      for ([[maybe_unused]] auto turn : tl.range(0, 2))
        acc = tl.dot(a, b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N), acc);
      acc = tl.dot(a, b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N), acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 2 below `stop`, else 1: a load under an if, before others
struct load_under_if_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto stop = tl.load(aux_ptr);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      if (k_start < stop)
        acc = tl.dot(a_tile(tl, a_ptr, offs_m, k_start + offs_k, k), b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N),
                     acc);
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      acc = tl.dot(a, b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 2: a tile is doubled lane by lane on its way, and looked at by a sum that adds nothing
struct elementwise_tile_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    auto rows = tl.zeros(tl.shape(M), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = a_tile(tl, a_ptr, offs_m, k_start + offs_k, k);
      auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      rows += tl.sum(a.to(tl.float32), 1_c);
      acc = tl.dot((a * 2).to(b_ptr.dtype), b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc + (rows - rows)(_, None));
  }
};

// w = 1 of even l: a mask that is no box; off lanes of b are 1, which a's zeros do not see
struct odd_mask_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto at = k_start + offs_k;
      auto a_mask = (at % 2 == 0) & (at < k);
      auto a = tl.load(a_ptr + offs_m(_, None) * k + at(None, _), {.mask = a_mask(None, _), .other = 0});
      auto b = tl.load(b_ptr + at(_, None) * N + offs_n(None, _), {.mask = at(_, None) < k, .other = 1});
      acc = tl.dot(a, b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 0 for every fourth l: rows of a table that each turn reads, under a mask that depends on them
struct table_rows_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto at = k_start + offs_k;
      auto row = tl.load(aux_ptr + offs_m, {.mask = offs_m < k + M, .other = 0});
      auto on = (row >= 0)(_, None) & ((at & 3) != 1)(None, _) & (at < k)(None, _);
      auto a = tl.load(a_ptr + row(_, None) * k + at(None, _), {.mask = on, .other = 0});
      auto b = tl.load(b_ptr + at(_, None) * N + offs_n(None, _), {.mask = at(_, None) < k, .other = 1});
      acc = tl.dot(a, b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 1 from `stop` on: where the tiles lie is the sum of a block
struct computed_start_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto aux_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto first = tl.arange(0, 16_c);
    auto start = tl.sum(tl.load(aux_ptr + first, {.mask = first < 1, .other = 0}), 0_c);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto at = start + k_start + offs_k;
      acc = tl.dot(a_tile(tl, a_ptr, offs_m, at, k), b_tile(tl, b_ptr, at, offs_n, k, N), acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 1, of a's rows in reverse: which rows is loaded
struct gathered_rows_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto rows_ptr, int_ auto k,
                  constexpr_ auto M, constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto rows = tl.load(rows_ptr + offs_m);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    for (auto k_start : tl.range(0, k, BK)) {
      auto a = a_tile(tl, a_ptr, rows, k_start + offs_k, k);
      auto b = b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N);
      acc = tl.dot(a, b, acc);
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 1: the next tile is loaded by hand, a step ahead
struct carried_tile_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto offs_k = tl.arange(0, BK);
    auto acc = tl.zeros(tl.shape(M, N), tl.float32);
    auto a = a_tile(tl, a_ptr, offs_m, offs_k, k);
    for (auto k_start : tl.range(0, k, BK)) {
      auto next = a_tile(tl, a_ptr, offs_m, k_start + BK + offs_k, k);
      acc = tl.dot(a, b_tile(tl, b_ptr, k_start + offs_k, offs_n, k, N), acc);
      a = next;
    }
    tl.store(out_ptr + offs_m(_, None) * N + offs_n(None, _), acc);
  }
};

// w = 1: the accumulator begins as a tile of zeros that is loaded
struct loaded_accumulator_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto out_ptr, ptr auto, int_ auto k, constexpr_ auto M,
                  constexpr_ auto N, constexpr_ auto BK) const {
    auto offs_m = tl.arange(0, M);
    auto offs_n = tl.arange(0, N);
    auto out_ptrs = out_ptr + offs_m(_, None) * N + offs_n(None, _);
    tl.store(out_ptrs, tl.zeros(tl.shape(M, N), tl.float32));
    auto acc = tl.load(out_ptrs);
    add_products(tl, acc, a_ptr, b_ptr, 0, k, k, M, N, BK);
    tl.store(out_ptrs, acc);
  }
};

}  // namespace tl::kernels
