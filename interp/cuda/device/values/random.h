// tl.rand, randint and randn: Philox by seed and offset.
#pragma once

#include "interp/cuda/device/values/math.h"
#include "interp/cuda/device/values/tuple.h"

namespace tl::cuda {

struct RandomOps {
  template <class Seed, class I>
  __forceinline__ auto rand(const Seed& seed, const I& offsets) const {
    return numbers<float>(seed, offsets, [](const auto& bits) { return uniform_of(bits.c0); });
  }
  template <class Seed, class I>
  __forceinline__ auto randint(const Seed& seed, const I& offsets) const {
    return numbers<unsigned>(seed, offsets, [](const auto& bits) { return bits.c0; });
  }
  template <class Seed, class I>
  __forceinline__ auto randn(const Seed& seed, const I& offsets) const {
    return numbers<float>(seed, offsets, [](const auto& bits) {
      const float u1 = fmaxf(smallest_uniform, uniform_of(bits.c0)), u2 = uniform_of(bits.c1);
      return sqrtf(-2.0f * logf(u1)) * tl::detail::Cos::apply(two_pi * u2);
    });
  }

  // The four words of a counter, as they are, as floats in [0, 1), as normal numbers.
  template <class Seed, class I>
  __forceinline__ auto randint4x(const Seed& seed, const I& offsets) const {
    return four<unsigned>(seed, offsets, [](const auto& bits, unsigned* out) {
      out[0] = bits.c0;
      out[1] = bits.c1;
      out[2] = bits.c2;
      out[3] = bits.c3;
    });
  }
  template <class Seed, class I>
  __forceinline__ auto rand4x(const Seed& seed, const I& offsets) const {
    return four<float>(seed, offsets, [](const auto& bits, float* out) {
      out[0] = uniform_of(bits.c0);
      out[1] = uniform_of(bits.c1);
      out[2] = uniform_of(bits.c2);
      out[3] = uniform_of(bits.c3);
    });
  }
  template <class Seed, class I>
  __forceinline__ auto randn4x(const Seed& seed, const I& offsets) const {
    return four<float>(seed, offsets, [](const auto& bits, float* out) {
      normal_pair(bits.c0, bits.c1, out);
      normal_pair(bits.c2, bits.c3, out + 2);
    });
  }
  // The generator itself: the counter's four words, encrypted by the seed.
  template <class Seed, class A, class B, class C, class D>
  __forceinline__ auto philox(const Seed& seed, const A& c0, const B& c1, const C& c2, const D& c3) const {
    const auto like = word(c0) + word(c1) + word(c2) + word(c3);  // its shape and layout
    using X = bare<decltype(like)>;
    const auto key = static_cast<unsigned long long>(static_cast<long long>(whole(seed)));
    const auto draw = [key](PhiloxCounter c, unsigned* out) {
      const auto r =
          tl::philox(c, static_cast<PhiloxWord>(key), static_cast<PhiloxWord>(key >> 32), tl::detail::WordMultiply{});
      out[0] = r.c0;
      out[1] = r.c1;
      out[2] = r.c2;
      out[3] = r.c3;
    };
    if constexpr (is_scalar<X>) {
      unsigned out[4];
      draw({plain(word(c0)), plain(word(c1)), plain(word(c2)), plain(word(c3))}, out);
      return Tuple<Scalar<unsigned>, Scalar<unsigned>, Scalar<unsigned>, Scalar<unsigned>>{
          {out[0]}, {out[1]}, {out[2]}, {out[3]}};
    } else {
      using S = typename X::shape_type;
      using L = typename X::layout;
      const auto w0 = spread<unsigned, S, L>(word(c0)), w1 = spread<unsigned, S, L>(word(c1)),
                 w2 = spread<unsigned, S, L>(word(c2)), w3 = spread<unsigned, S, L>(word(c3));
      using Y = Block<unsigned, S, L>;
      Tuple<Y, Y, Y, Y> made;
#pragma unroll
      for (int r = 0; r < w0.count; ++r) {
        unsigned out[4];
        draw({w0.v[r], w1.v[r], w2.v[r], w3.v[r]}, out);
        made.a.v[r] = out[0];
        made.b.v[r] = out[1];
        made.c.v[r] = out[2];
        made.d.v[r] = out[3];
      }
      return made;
    }
  }

 private:
  template <class Seed>
  static __forceinline__ auto whole(const Seed& seed) {
    static_assert(is_integer(dtype_of<decltype(plain(seed))>),
                  "the seed is one integer: pass an int_ parameter or a literal");
    return plain(seed);
  }
  template <class A>
  static __forceinline__ auto word(const A& a) {
    if constexpr (!is_literal<A>)
      static_assert(is_integer(dtype_of<typename A::element>),
                    "the counter's words are integers: cast with .to(tl.uint32)");
    return materialize(tl::cast<DType::uint32>(a));
  }
  // Box and Muller's.
  static __forceinline__ void normal_pair(PhiloxWord first, PhiloxWord second, float* out) {
    const float radius = sqrtf(-2.0f * logf(fmaxf(smallest_uniform, uniform_of(first))));
    const float angle = two_pi * uniform_of(second);
    out[0] = radius * tl::detail::Cos::apply(angle);
    out[1] = radius * tl::detail::Sin::apply(angle);
  }
  template <class To, class Seed, class I, class F>
  static __forceinline__ auto four(const Seed& seed, const I& offsets, F f) {
    const auto at = materialize(tl::detail::valued(offsets));
    using X = bare<decltype(at)>;
    using T = typename X::element;
    static_assert(is_integer(dtype_of<T>),
                  "offsets of random numbers are integers: pass what the pointers are made of");
    if constexpr (is_scalar<X>) {
      To out[4];
      f(tl::detail::random_bits(whole(seed), at.v), out);
      return Tuple<Scalar<To>, Scalar<To>, Scalar<To>, Scalar<To>>{{out[0]}, {out[1]}, {out[2]}, {out[3]}};
    } else {
      using Y = Block<To, typename X::shape_type, typename X::layout>;
      Tuple<Y, Y, Y, Y> made;
#pragma unroll
      for (int r = 0; r < at.count; ++r) {
        To out[4];
        f(tl::detail::random_bits(whole(seed), T(at.v[r])), out);
        made.a.v[r] = out[0];
        made.b.v[r] = out[1];
        made.c.v[r] = out[2];
        made.d.v[r] = out[3];
      }
      return made;
    }
  }
  template <class To, class Seed, class I, class F>
  static __forceinline__ auto numbers(const Seed& seed, const I& offsets, F f) {
    using T = typename bare<decltype(tl::detail::valued(offsets))>::element;
    static_assert(is_integer(dtype_of<T>),
                  "offsets of random numbers are integers: pass what the pointers are made of");
    return map<To>(tl::detail::valued(offsets), [f, s = whole(seed)](T o) { return f(tl::detail::random_bits(s, o)); });
  }
};

}  // namespace tl::cuda
