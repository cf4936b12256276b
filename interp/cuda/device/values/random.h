// tl.rand, randint and randn: Philox by seed and offset.
#pragma once

#include "interp/cuda/device/values/math.h"

namespace tl::cuda {

struct RandomOps {
  template <class Seed, class I>
  __forceinline__ auto rand(const Seed& seed, const I& offsets) const {
    return numbers<float>(seed, offsets, [](const auto& bits) { return uniform_of(bits.c0); });
  }
  template <class Seed, class I>
  __forceinline__ auto randint(const Seed& seed, const I& offsets) const {
    return numbers<int>(seed, offsets, [](const auto& bits) { return static_cast<int>(bits.c0); });
  }
  template <class Seed, class I>
  __forceinline__ auto randn(const Seed& seed, const I& offsets) const {
    return numbers<float>(seed, offsets, [](const auto& bits) {
      const float u1 = fmaxf(smallest_uniform, uniform_of(bits.c0)), u2 = uniform_of(bits.c1);
      return sqrtf(-2.0f * logf(u1)) * tl::detail::Cos::apply(two_pi * u2);
    });
  }

 private:
  template <class To, class Seed, class I, class F>
  static __forceinline__ auto numbers(const Seed& seed, const I& offsets, F f) {
    using T = typename bare<decltype(tl::detail::valued(offsets))>::element;
    static_assert(is_integer(dtype_of<T>),
                  "offsets of random numbers are integers: pass what the pointers are made of");
    return map<To>(tl::detail::valued(offsets), [f, s = plain(seed)](T o) { return f(tl::detail::random_bits(s, o)); });
  }
};

}  // namespace tl::cuda
