// One step of decoding: a request a program. Keys and values lie in pages of PAGE tokens, anywhere in k and v.
// Page p of request r is table[r, p]; its result belongs to row place[r] of o.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct paged_attention_kernel {
  void operator()(auto& tl, ptr auto q_ptr, ptr auto k_ptr, ptr auto v_ptr, ptr auto table_ptr, ptr auto length_ptr,
                  ptr auto place_ptr, ptr auto o_ptr, int_ auto most_pages, float_ auto scale, constexpr_ auto PAGE,
                  constexpr_ auto D) const {
    auto request = tl.program_id(0);
    auto length = tl.load(length_ptr + request);
    auto d = tl.arange(0, D);
    auto q = tl.load(q_ptr + request * D + d) * scale;
    auto largest = tl.scalar(-inf, tl.float32);
    auto total = tl.scalar(0.0, tl.float32);
    auto acc = tl.zeros(tl.shape(D), tl.float32);
    for (auto p : tl.range(0, tl.cdiv(length, PAGE))) {
      auto page = tl.load(table_ptr + request * most_pages + p);
      auto t = tl.arange(0, PAGE);
      auto inside = p * PAGE + t < length;
      auto tile = (page * PAGE + t)(_, None) * D + d(None, _);
      auto k = tl.load(k_ptr + tile, {.mask = inside(_, None), .other = 0});
      auto scores = tl.where(inside, tl.sum(q(None, _) * k, 1_c), -inf);
      auto next = tl.maximum(largest, tl.max(scores, 0));
      auto weights = tl.exp(scores - next);
      auto factor = tl.exp(largest - next);
      auto v = tl.load(v_ptr + tile, {.mask = inside(_, None), .other = 0});
      acc = acc * factor + tl.sum(weights(_, None) * v, 0);
      total = total * factor + tl.sum(weights, 0);
      largest = next;
    }
    auto row = tl.load(place_ptr + request);
    tl.store(o_ptr + row * D + d, acc / total);
  }
};

}  // namespace tl::kernels
