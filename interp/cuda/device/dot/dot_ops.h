// The ops that end in an executor's own dot: sums of another dtype, products of scaled narrow floats.
#pragma once

#include "interp/cuda/device/dot/dot.h"
#include "interp/lang/dot_scaled.h"
#include "interp/lang/split_dot.h"

namespace tl {

// What tl.dot_scaled takes of a format.
template <class F, class X>
constexpr void check_scaled_format() {
  using E = typename X::element;
  constexpr bool is_e2m1 = constant<(F::value == FixedText("e2m1"))>::value,
                 is_e4m3 = constant<(F::value == FixedText("e4m3"))>::value,
                 is_e5m2 = constant<(F::value == FixedText("e5m2"))>::value,
                 is_bf16 = constant<(F::value == FixedText("bf16"))>::value,
                 is_fp16 = constant<(F::value == FixedText("fp16"))>::value;
  static_assert(is_e2m1 || is_e4m3 || is_e5m2 || is_bf16 || is_fp16,
                "tl.dot_scaled: there is no such format: \"e2m1\"_c, \"e4m3\"_c, \"e5m2\"_c, \"bf16\"_c or \"fp16\"_c");
  static_assert((same<E, unsigned char> && !is_bf16 && !is_fp16) || (is_fp16 && same<E, __half>) ||
                    (is_e4m3 && same<E, __nv_fp8_e4m3>) || (is_e5m2 && same<E, __nv_fp8_e5m2>) ||
                    (is_bf16 && same<E, __nv_bfloat16>),
                "tl.dot_scaled: the block has another dtype than its format: load it as uint8, or as the fp8 of that "
                "format");
}

template <class A, class B, class Precision>
inline constexpr bool splits = (same<Precision, Tf32x3> || same<Precision, Bf16x3> || same<Precision, Bf16x6>) &&
                               same<typename A::element, float> && same<typename B::element, float>;

namespace cuda {

template <class Self>
struct DotOps {
  template <class A, class B, DType D>
  __forceinline__ auto dot(const A& a, const B& b, Dtype<D>) {
    constexpr DType t = dot_dtype(dtype_of<typename A::element>);
    static_assert(D == t || (D == DType::float16 && same<typename A::element, __half>),
                  "tl.dot: a sum is fp32, of fp16 inputs also fp16: cast the result with .to");
    return tl::cast<D>(as_block(self().dot(a, b)));
  }
  template <class A, class SA, class FA, class B, class SB, class FB, class C = int>
  __forceinline__ auto dot_scaled(const A& a, const SA& a_scale, FA a_format, const B& b, const SB& b_scale,
                                  FB b_format, const C& acc = 0) {
    check_scaled_format<FA, A>();
    check_scaled_format<FB, B>();
    Self& tl = self();
    constexpr bool is_fp16 = constant<(FA::value == FixedText("fp16") || FB::value == FixedText("fp16"))>::value;
    const Dtype<is_fp16 ? DType::float16 : DType::bfloat16> type;
    const auto x = scaled_side<1>(scaled::widened_a(tl, as_block(a), a_format, type), a_scale,
                                  [&](const auto& v, const auto& s) { return scaled::scaled_a(tl, v, s); });
    const auto y = scaled_side<0>(scaled::widened_b(tl, as_block(b), b_format, type), b_scale,
                                  [&](const auto& v, const auto& s) { return scaled::scaled_b(tl, v, s); });
    if constexpr (is_literal<C>) return tl.dot(x, y);
    else return tl.dot(x, y, acc);
  }

  template <class A, class B, class C, class Precision>
  __forceinline__ auto dot_in_parts(const A& a, const B& b, const C& c, Precision) {
    check_accumulator<float, C>();
    const auto product = as_block([&] {
      if constexpr (same<Precision, Tf32x3>) return split_dot::tf32x3(self(), as_block(a), as_block(b));
      else if constexpr (same<Precision, Bf16x3>) return split_dot::bf16x3(self(), as_block(a), as_block(b));
      else return split_dot::bf16x6(self(), as_block(a), as_block(b));
    }());
    if constexpr (is_value<C> && !is_scalar<C>)
      static_assert(same<shape_of<C>, shape_of<bare<decltype(product)>>>,
                    "tl.dot: the accumulator has the shape of the product: start it as tl.zeros(tl.shape(BM, BN), "
                    "tl.float32)");
    return product + c;
  }

 private:
  __forceinline__ Self& self() { return static_cast<Self&>(*this); }
  template <int AlongK, class X, class S, class F>
  static __forceinline__ auto scaled_side(const X& x, const S& scale, F by) {
    if constexpr (same<S, NoneAxis>) {
      return x;
    } else {
      constexpr bool is_fp8 = same<typename S::element, __nv_fp8_e4m3>;
      static_assert(is_fp8 || same<typename S::element, unsigned char>,
                    "tl.dot_scaled: scales are uint8, powers of two for 32 values along k, or float8e4nv for 16");
      static_assert(shape_of<S>::at(1) * (is_fp8 ? 16 : 32) == shape_of<X>::at(AlongK),
                    "tl.dot_scaled: a scale stands for 32 values along k, an fp8 for 16");
      return by(x, as_block(scale));
    }
  }
};

}  // namespace cuda
}  // namespace tl
