// Every way a kernel gives names to values.
#pragma once
#include "interp/tl.h"

// clang-format off
namespace tl::kernels {

auto pick(auto& tl, auto x) { return tl.tuple(x, x * 10); }
auto deepest(auto&, auto v) {
  auto w = v + 1; return w;
}
auto deep(auto& t, auto v, auto& into, constexpr_ auto BY) {
  auto before = v;
  auto found = deepest(t, before * BY);
  into = into + found;
  return found;
}
auto halved(auto value) {
  auto half = value / 2; return half;
}

struct declared_kernel {
  void operator()(auto& tl, ptr auto z_ptr, int_ auto n) const {
    auto x = tl.arange(0, 4_c);
    auto a = x + 1; auto b = x * 10; auto c = a - b;
    auto t = a; a = b; b = t;
    auto [u, v] = pick(tl, x);
    auto y = (x);
    auto big = x + 1'000; auto behind = x - 1;
    auto first = x, second = x + x;
    auto& same = b;
    const auto& still = x;
    same = same + 1;
    auto copy = still;
    auto pair = tl.tuple(a, b);
    tl.store(z_ptr + x, a + b + c + u + v + y + big + behind + first + second + copy);  // all are there
  }
};

struct scoped_kernel {
  void operator()(auto& tl, ptr auto z_ptr, int_ auto n, constexpr_ auto W) const {
    auto x = tl.arange(0, 4_c);
    auto sum = x;
    {
      auto x = sum + 100;
      tl.store(z_ptr + x - 100, x);  // shadowed
    }
    {
      auto x = tl.tuple(sum, sum);
      tl.store(z_ptr + sum, sum);  // of unknown kind
    }
    tl.store(z_ptr + x, x);  // the outer one again
    if (auto high = tl.max(x, 0); n > 3) { auto inside = high + 5; sum = sum + inside; } else sum = sum - high;
    if (auto high = tl.min(x, 0); n > 99) { sum = sum * 0; } else sum = sum + high - 1;
    for (auto k : tl.range(0, n, 2)) {
      auto twice = k * 2;
      sum = sum + twice;  // in the loop
    }
    for (int i = 0, j = 8; i < j; i += 3, j -= 2) sum = sum + i * j;  // numbers of a loop
    auto left = n;
    while (auto more = left > 2) {
      left = left - 1;
      tl.store(z_ptr + x, sum + left);  // in the while
    }
    n = n - 1;
    tl.store(z_ptr + x, sum + n);  // a parameter that took another value
  }
};

struct numbers_kernel {
  void operator()(auto& tl, ptr auto z_ptr, constexpr_ auto W) const {
    auto x = tl.arange(0, 4_c);
    int count = 3;
    const bool flag = count > 2;
    auto width = W * 2_c;
    float ratio = 0.5f;
    constexpr long long far = 5'000'000'000;
    unsigned char small = 200;
    int late;
    count += 4;
    tl.store(z_ptr + x, x * count);  // after count += 4
    late = count; count = -1;
    auto last = x * late * count;
    tl.store(z_ptr + x, last);  // after count = -1
  }
};

struct helping_kernel {
  void operator()(auto& tl, ptr auto z_ptr) const {
    auto x = tl.arange(0, 4_c);
    auto total = x;
    auto got = deep(tl, x, total, 3_c);
    auto half = halved(total);
    auto s = x;
    auto held = [s, k = x + 5](auto by) {
      auto in = s + by; return in + k;
    };
    auto all = [=](auto by) {
      auto within = s * by;
      return within + x;
    };
    s = s * 100;
    auto from_held = held(1);
    auto from_all = all(2);
    auto chosen = tl.static_if(1_c == 1_c, [&] { auto gone = x + 9; return gone; }, [&] { return x; });
    auto added = tl.sum(x, 0) + tl.reduce(x, 0, [](auto p, auto q) { auto both = p + q; return both; });
    tl.static_for(2_c, [&](auto turn) { total = total + turn; });
    tl.store(z_ptr + x, got + half + from_held + from_all + chosen + added + total);  // at the end
  }
};

#define DECLARED(name, value) auto name = value
#define EACH(name, to) for (int name = 0; name < to; ++name)
template <class A, class B>
struct Both { A one; B two; };
struct fourfold {
  auto operator()(auto&, auto v) const { return v * 4; }
};
struct hiding_kernel {
  void operator()(auto& tl, ptr auto z_ptr, int_ auto n) const {
    auto x = tl.arange(0, 4_c);
#if 0
    auto a = 1; auto b = 2;
    auto c = 3; auto d = 4;
#endif
    auto y = x + 1;  // behind an #if
    switch (2) {
      case 1: tl.store(z_ptr + y, y); break;
      default:
        auto x = y * 2;
        tl.store(z_ptr + y, x);  // in the switch
    }
    if (auto x = n + 1; x > 2) tl.store(z_ptr + y, y);
    for (auto x = n; x > 3; x = x - 1) tl.store(z_ptr + y, y);
    {
      DECLARED(x, y * 5);
      tl.store(z_ptr + y, x);  // by a macro
    }
    EACH(x, 1) {
      tl.store(z_ptr + y, y + x);  // in a macro's loop
    }
    auto tripled = [](auto x) -> decltype(x) { auto in = x * 3; return in; };
    auto got = tripled(y);
    const auto [p, q] = Both<int, decltype(x)>{7, x + 7};
    auto more = fourfold{}(tl, got);
    tl.store(z_ptr + y, more + p + q);  // behind the lambda
  }
};

}  // namespace tl::kernels
