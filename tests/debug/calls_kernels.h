// Kernels that call: lambdas given to helpers, helpers within helpers, helpers that call themselves.
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

auto applied(auto& tl, auto value, auto given) {
  auto raised = value + 1;
  auto seen = given(raised * 2);
  auto last = seen - tl.arange(0, 4_c);
  return last;
}
auto at_once(auto&, auto value, auto given) {
  auto first = given(value);
  return first + 7;
}
auto twice_applied(auto& tl, auto value, auto passed_on) {
  return applied(tl, applied(tl, value, passed_on), passed_on);
}
void summed(auto& tl, auto& total, auto given) {
  for (auto turn : tl.range(0, 2)) {
    total = total + given(turn);
  }
}

struct lambda_kernel {
  void operator()(auto& tl, ptr auto z_ptr, int_ auto n) const {
    auto offs = tl.arange(0, 4_c);
    auto three = n + 0;
    auto total = tl.zeros(tl.shape(4_c), tl.int32);
    auto shifted = [&](auto number) {
      auto far = number + offs;
      return far * 100;
    };
    auto one = applied(tl, three, shifted);
    auto direct = shifted(three) + 5;
    auto early = at_once(tl, three, shifted);
    auto inline_ = applied(tl, three, [&](auto written) { return written - offs; });
    auto two = twice_applied(tl, three, [&](auto deep) { return deep + 0; });
    summed(tl, total, shifted);
    auto a = offs + 1;
    auto b = offs * 2;
    auto c = a - b;
    tl.store(z_ptr + offs, one + direct + early + inline_ + two + total + c);
  }
};

// What the lambda names differs from the scalar in dtype and shape.
struct chosen_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr) const {
    auto offs = tl.arange(0, 4_c);
    auto total = tl.zeros(tl.shape(4_c), tl.float32);
    auto early = [&](auto keys) { return keys < 6; };
    for (auto start : tl.range(0, 8, 4)) {
      auto x = tl.load(x_ptr + start + offs);
      auto z = tl.load(z_ptr + start + offs);
      auto product = x * z;
      auto chosen = tl.static_if(
          1_c == 1_c, [&] { return tl.where(early(start + offs), product, 0.5); }, [&] { return product; });
      auto highest = tl.max(chosen, 0);
      total = total + chosen + highest;
    }
    tl.store(z_ptr + offs, total);
  }
};

void counted_down(auto& tl, auto& total, auto value, int rest) {
  total = total + value;
  if (rest > 0) counted_down(tl, total, value * 10, rest - 1);
  total = total * 2;
}
struct recursive_kernel {
  void operator()(auto& tl, ptr auto z_ptr) const {
    auto total = tl.zeros(tl.shape(4_c), tl.int32);
    counted_down(tl, total, tl.arange(0, 4_c), 2);
    tl.store(z_ptr + tl.arange(0, 4_c), total);
  }
};

}  // namespace tl::kernels
