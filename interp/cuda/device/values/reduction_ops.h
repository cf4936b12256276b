// An executor's reductions and scans; `Self` is the executor itself.
#pragma once

#include "interp/cuda/device/values/axis.h"
#include "interp/cuda/device/values/movement.h"
#include "interp/cuda/device/values/reduce_tuple.h"
#include "interp/cuda/device/values/shape_ops.h"

namespace tl::cuda {

template <class Cfg, class Self>
struct ReductionOps {
  int reduction_parity = 0;

  // reduction; the axis is a constant. Without one all axes are taken as one; with keep_dims the axis stays.
#define TL_REDUCTION(NAME, ...)                                                          \
  template <class X, auto A>                                                             \
  __forceinline__ auto NAME(const X& x, constant<A>) {                                   \
    __VA_ARGS__                                                                          \
  }                                                                                      \
  template <class X>                                                                     \
  __forceinline__ auto NAME(const X& x) {                                                \
    static_assert(shape_of<X>::rank > 0, "a scalar has no axis: it is reduced already"); \
    return NAME(executor().ravel(x), constant<0>{});                                     \
  }                                                                                      \
  template <class X, auto A>                                                             \
  __forceinline__ auto NAME(const X& x, constant<A> axis, KeepDims) {                    \
    return kept<shape_of<X>::rank, static_cast<int>(A)>(NAME(x, axis));                  \
  }                                                                                      \
  TL_AXIS(NAME)
#define TL_FOLDED(NAME, DTYPE, F)                                                      \
  TL_REDUCTION(NAME, constexpr DType t = DTYPE(dtype_of<typename X::element>);         \
               using T = storage_of<accumulator_dtype(t)>;                             \
               return executor().noted(tl::cast<t>(tl::reduce<T, static_cast<int>(A)>( \
                   x, [](T a, T b) { return F::apply(a, b); }, reduction_parity)));)
  TL_FOLDED(sum, sum_dtype, ops::Add)
  TL_FOLDED(max, max_dtype, ops::Maximum)
  TL_FOLDED(min, max_dtype, ops::Minimum)
  TL_REDUCTION(argmax, return arg_extreme<static_cast<int>(A), 1>(x, reduction_parity).b;)
  TL_REDUCTION(argmin, return arg_extreme<static_cast<int>(A), -1>(x, reduction_parity).b;)
  TL_REDUCTION(
      xor_sum, constexpr DType t = sum_dtype(dtype_of<typename X::element>);
      static_assert(is_integer(t), "tl.xor_sum takes integers: cast to tl.int32"); using T = storage_of<t>;
      return tl::reduce<T, static_cast<int>(A)>(x, [](T a, T b) { return static_cast<T>(a ^ b); }, reduction_parity);)
#undef TL_FOLDED
#undef TL_REDUCTION
  template <class X, auto A>
  __forceinline__ auto max_with_index(const X& x, constant<A>) {
    return arg_extreme<static_cast<int>(A), 1>(x, reduction_parity);
  }
  TL_AXIS(max_with_index)
  template <class X, auto A>
  __forceinline__ auto min_with_index(const X& x, constant<A>) {
    return arg_extreme<static_cast<int>(A), -1>(x, reduction_parity);
  }
  TL_AXIS(min_with_index)
  // The lambda takes and returns scalars; it is associative and commutative. For a tuple it takes f(a0, a1, .., b0, b1,
  // ..) and returns a tuple.
  template <class X, auto A, class F>
  __forceinline__ auto reduce(const X& x, constant<A>, F f) {
    if constexpr (is_tuple<X>) {
      return reduce_tuple<Cfg, static_cast<int>(A)>(x, f, reduction_parity);
    } else {
      using T = typename X::element;
      return tl::reduce<T, static_cast<int>(A)>(
          x, [&](T a, T b) { return convert<T>(plain(f(Scalar<T>{a}, Scalar<T>{b}))); }, reduction_parity);
    }
  }
  TL_AXIS(reduce)

  // scans; associative, the earlier lane first
  template <class X, auto A, class F>
  __forceinline__ auto associative_scan(const X& x, constant<A>, F f, ScanOptions options = {}) {
    if constexpr (is_tuple<X>) {
      const auto in = turned<A>(x, options);
      return turned<A>(scan_tuple<Cfg, static_cast<int>(A)>(in, f, reduction_parity), options);
    } else {
      using T = typename X::element;
      const auto in = turned<A>(x, options);
      return turned<A>(
          cumulative<T, static_cast<int>(A)>(
              in, [&](T a, T b) { return convert<T>(plain(f(Scalar<T>{a}, Scalar<T>{b}))); }, reduction_parity),
          options);
    }
  }
  template <class X, class F>
  __forceinline__ auto associative_scan(const X& x, Zero, F f, ScanOptions options = {}) {
    return associative_scan(x, constant<0>{}, f, options);
  }
  template <class X, class F>
  __forceinline__ auto associative_scan(const X&, AnyInt, F, ScanOptions = {}) {
    static_assert(same<X, AnyInt>, "tl.associative_scan: the axis is a constant: write 1_c instead of 1");
  }
#define TL_CUMULATIVE(NAME, F)                                                                      \
  template <class X, auto A>                                                                        \
  __forceinline__ auto NAME(const X& x, constant<A>, ScanOptions options = {}) {                    \
    constexpr DType t = cumsum_dtype(dtype_of<typename X::element>);                                \
    using T = storage_of<accumulator_dtype(t)>;                                                     \
    const auto in = turned<A>(x, options);                                                          \
    return turned<A>(tl::cast<t>(cumulative<T, static_cast<int>(A)>(                                \
                         in, [](T a, T b) { return F(a, b); }, reduction_parity)),                  \
                     options);                                                                      \
  }                                                                                                 \
  template <class X>                                                                                \
  __forceinline__ auto NAME(const X& x, Zero, ScanOptions options = {}) {                           \
    return NAME(x, constant<0>{}, options);                                                         \
  }                                                                                                 \
  template <class X>                                                                                \
  __forceinline__ auto NAME(const X&, AnyInt, ScanOptions = {}) {                                   \
    static_assert(same<X, AnyInt>, "tl." #NAME ": the axis is a constant: write 1_c instead of 1"); \
  }
  TL_CUMULATIVE(cumsum, ops::wrapped_sum)
  TL_CUMULATIVE(cumprod, ops::wrapped_product)
#undef TL_CUMULATIVE

  // e^(x - max x) / sum e^(x - max x), in fp32, rounded once.
  template <class X, auto A>
  __forceinline__ auto softmax(const X& x, constant<A> axis) {
    constexpr DType t = math_dtype(dtype_of<typename X::element>);
    const auto wide = tl::cast<accumulator_dtype(t)>(as_block(x));
    const auto e = executor().exp(wide - max(wide, axis, KeepDims{}));
    return tl::cast<t>(e / sum(e, axis, KeepDims{}));
  }
  template <class X>
  __forceinline__ auto softmax(const X& x) {
    return softmax(x, constant<0>{});
  }
  TL_AXIS(softmax)

 private:
  __forceinline__ const Self& executor() const { return *static_cast<const Self*>(this); }
  // What a reduction leaves, with the axis back.
  template <int Rank, int A, class R>
  __forceinline__ auto kept(const R& r) const {
    constexpr int axis = A < 0 ? A + Rank : A;
    if constexpr (is_scalar<R>) return tl::broadcast_to<Shape<1>, R, Cfg>(r);
    else return executor().expand_dims(r, constant<axis>{});
  }
  // Of scans that run from the end.
  template <auto A, class X>
  __forceinline__ auto turned(const X& x, ScanOptions options) const {
    if constexpr (is_tuple<X>) {
      return turned_all<A>(x, options, make_indices<X::count>{});
    } else {
      auto y = materialize(as_block(x));
      static_assert(is_block<decltype(y)>, "a scan runs along an axis of a block, and this is one value");
      if (options.reverse) y = flipped<static_cast<int>(A)>(y);
      return y;
    }
  }
  template <auto A, class X, int... I>
  __forceinline__ auto turned_all(const X& x, ScanOptions options, Indices<I...>) const {
    return executor().tuple(turned<A>(get<I>(x), options)...);
  }
};

}  // namespace tl::cuda
