// Loops over integers.
#pragma once

#include "interp/cuda/device/scalar.h"

namespace tl {

// Hints that only a compiler could follow: on CUDA other resident programs hide the latency.
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
    __forceinline__ bool operator!=(const Iterator& end) const { return i < end.i; }
    __forceinline__ void operator++() { i += step; }
    __forceinline__ Scalar<I, Divisibility> operator*() const { return {i}; }
  };
  __forceinline__ Iterator begin() const { return {lo, step}; }
  __forceinline__ Iterator end() const { return {hi, step}; }
  __forceinline__ I count() const { return hi > lo ? (hi - lo + step - 1) / step : I(0); }
};

template <class T>
inline constexpr bool is_integer_bound = !is_scalar<T>;
template <class T, int D>
inline constexpr bool is_integer_bound<Scalar<T, D>> = is_integer(dtype_of<T>);

template <class L, class H, class S>
__forceinline__ auto make_range(const L& lo, const H& hi, const S& step) {
  static_assert(is_integer_bound<L> && is_integer_bound<H> && is_integer_bound<S>, "tl.range counts in integer scalars: cast with .to(tl.int32)");
  using I = choice<sizeof(plain(lo)) == 8 || sizeof(plain(hi)) == 8 || sizeof(plain(step)) == 8, long long, int>;
  return Range<I, least(divisibility<L>, divisibility<S>)>{static_cast<I>(plain(lo)), static_cast<I>(plain(hi)),
                                                           static_cast<I>(plain(step))};
}

}  // namespace tl
