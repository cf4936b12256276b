// Loops over integers.
#pragma once

#include "interp/cuda/device/values/ops.h"
#include "interp/cuda/device/values/tuple.h"

namespace tl {

// num_stages: turns whose tiles are loaded ahead, by warps that do nothing else; 0: as many as the launch says.
struct RangeOptions {
  int num_stages = 0;
};

template <class I, int Divisibility>
struct Range {
  using integer = I;
  static constexpr int divisibility = Divisibility;
  I lo, hi, step;
  struct Iterator {
    I i, step;
    __forceinline__ bool operator!=(const Iterator& end) const { return step > 0 ? i < end.i : i > end.i; }
    __forceinline__ void operator++() { i += step; }
    __forceinline__ Scalar<I, Divisibility> operator*() const { return {i}; }
  };
  __forceinline__ Iterator begin() const { return {lo, step}; }
  __forceinline__ Iterator end() const { return {hi, step}; }
  __forceinline__ I count() const {
    const bool up = step > 0;
    const auto distance =
        static_cast<ops::WrapAs<I>>(up ? ops::wrapped_difference(hi, lo) : ops::wrapped_difference(lo, hi));
    const auto stride = static_cast<ops::WrapAs<I>>(up ? step : ops::wrapped_difference(I(0), step));
    return (up ? hi > lo : hi < lo) ? static_cast<I>((distance - 1) / stride + 1) : I(0);
  }
};

template <class T>
inline constexpr bool counts_in_64_bits = sizeof(T) == 8 || same<T, unsigned>;

template <class L, class H, class S>
__forceinline__ auto make_range(const L& lo, const H& hi, const S& step) {
  static_assert(is_one_integer<L> && is_one_integer<H> && is_one_integer<S>,
                "tl.range counts in integers, one value each: cast with .to(tl.int32), or reduce the block");
  if constexpr (is_constant<S>)
    static_assert(S::value != 0, "a range with step 0 never ends: pass a step above or below 0");
  constexpr bool is_wide = counts_in_64_bits<decltype(plain(lo))> || counts_in_64_bits<decltype(plain(hi))> ||
                           counts_in_64_bits<decltype(plain(step))>;
  using I = choice<is_wide, long long, int>;
  return Range<I, least(divisibility<L>, divisibility<S>)>{static_cast<I>(plain(lo)), static_cast<I>(plain(hi)),
                                                           static_cast<I>(plain(step))};
}

}  // namespace tl
