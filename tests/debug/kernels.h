// Kernels with helpers, pipelines, structured bindings, loops, copies, faults.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

auto scaled(auto& tl, auto values, auto factor) { return values * factor + tl.arange(0, 4_c); }
void accumulate(auto& tl, auto& total, auto values) { total = total + tl.sum(values, 0); }
auto halves(auto& tl, auto values) {
  auto low = values - 1;
  auto high = tl.abs(values) + 1;
  return tl.tuple(low, high);
}

struct names_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n) const {
    auto offs = tl.arange(0, 4_c);
    auto x = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0});
    auto doubled = scaled(tl, x, 2);
    auto again = scaled(tl, doubled, 3);
    auto kept = again;
    auto [low, high] = halves(tl, x);
    auto total = tl.sum(x, 0);
    for (auto i : tl.range(0, n)) {
      accumulate(tl, total, x * i);
    }
    for (auto at : tl.range(0, 2)) {
      auto tile = tl.load(x_ptr + offs, {.mask = offs < n, .other = 0});
      auto sum = tile + at;
      total = total + tl.sum(sum, 0);
    }
    tl.store(z_ptr + offs, kept + low + high + total, {.mask = offs < n});
    tl.store(z_ptr + 8 + offs, x);
  }
};

// Loads in a statement of several lines, and a stop of its own.
struct stopping_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr) const {
    auto offs = tl.program_id(0) * 4 + tl.arange(0, 4_c);
    auto total = tl.zeros(tl.shape(4_c), tl.float32);
    total += tl.load(x_ptr + offs) +  // a line each: what the test of statements of several lines is about
             tl.load(z_ptr + offs);
    tl.breakpoint_if("=1");
    tl.store(z_ptr + offs, total);
  }
};

}  // namespace tl::kernels
