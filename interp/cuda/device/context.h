// The executor that kernels are passed: every op is a member.
#pragma once

#include "interp/cuda/device/debug.h"
#include "interp/cuda/device/dot/batched_dot.h"
#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/entry.h"
#include "interp/cuda/device/memory/atomic.h"
#include "interp/cuda/device/memory/block_pointer.h"
#include "interp/cuda/device/memory/memory.h"
#include "interp/cuda/device/names.h"
#include "interp/cuda/device/pipeline/loops.h"
#include "interp/cuda/device/values/libdevice.h"
#include "interp/cuda/device/values/math.h"
#include "interp/cuda/device/values/movement.h"
#include "interp/cuda/device/values/random.h"
#include "interp/cuda/device/values/reduce.h"
#include "interp/cuda/device/values/shape_ops.h"
#include "interp/lang/swizzle.h"

namespace tl::cuda {

template <auto A, auto B>
struct ArangeValue {
  static constexpr rules::Index value = rules::arange(A, B, most_divisible);
};

// What does not depend on warps having roles; `Self` is the executor itself.
template <class Cfg, class Self>
struct Ops : Names, Loops<Self>, RandomOps {
  using config = Cfg;
  int reduction_parity = 0;

  // Where dots run beside other ops, an executor keeps these ops before its wait for the dots.
  template <class X>
  __forceinline__ const X& noted(const X& x) const {
    return x;
  }

  // programs
  __forceinline__ Scalar<int> program_id(int axis) const {
    check_axis(axis);
    return {static_cast<int>(axis == 0 ? blockIdx.x : axis == 1 ? blockIdx.y : blockIdx.z)};
  }
  __forceinline__ Scalar<int> num_programs(int axis) const {
    check_axis(axis);
    return {static_cast<int>(axis == 0 ? gridDim.x : axis == 1 ? gridDim.y : gridDim.z)};
  }

  // sizes
  template <auto... N>
  __forceinline__ Shape<static_cast<int>(N)...> shape(constant<N>...) const {
    static_assert((static_cast<long long>(N) * ... * 1) <= largest_block,
                  "a block has at most 1048576 elements: choose smaller sizes and loop");
    return {};
  }
  template <class... N>
  requires(!(is_constant<N> && ...)) __forceinline__ auto shape(N...) const {
    static_assert((is_constant<N> && ...),
                  "this size or axis must be a constant: write 64_c, or take it as a parameter that is constexpr_ auto "
                  "(?: makes a plain int of two constants: tl.static_if keeps them)");
  }
  template <auto... A>
  __forceinline__ Axes<static_cast<int>(A)...> axes(constant<A>...) const {
    return {};
  }
  // One of the axes may be the literal 0.
  template <auto... N>
  __forceinline__ Axes<0, static_cast<int>(N)...> axes(Zero, constant<N>...) const {
    return {};
  }
  template <auto A, auto... N>
  __forceinline__ Axes<static_cast<int>(A), 0, static_cast<int>(N)...> axes(constant<A>, Zero, constant<N>...) const {
    return {};
  }
  template <auto A, auto B, auto... N>
  __forceinline__ Axes<static_cast<int>(A), static_cast<int>(B), 0, static_cast<int>(N)...> axes(constant<A>,
                                                                                                 constant<B>, Zero,
                                                                                                 constant<N>...) const {
    return {};
  }
  template <class... T>
  __forceinline__ Tuple<T...> tuple(T... values) const {
    return {values...};
  }

  // creation
  template <auto A, auto B>
  __forceinline__ auto arange(constant<A>, constant<B>) const {
    static_assert(
        is_power_of_two(B - A),
        "tl.arange: the number of elements is no power of two: round the block size up and mask the lanes beyond");
    static_assert(B - A <= largest_block, "a block has at most 1048576 elements: choose smaller sizes and loop");
    const detail::index_type<Cfg, int, Shape<static_cast<int>(B - A)>, ArangeValue<A, B>> index{static_cast<int>(A),
                                                                                                {}};
    if constexpr (formulas) return index;
    else return materialize(index);
  }
  template <auto B>
  __forceinline__ auto arange(Zero, constant<B> end) const {
    return arange(constant<0>{}, end);
  }
  template <class A, class B>
  requires(!is_constant<B>) __forceinline__ auto arange(const A&, const B&) const {
    static_assert(is_constant<B>,
                  "this size or axis must be a constant: write 64_c, or take it as a parameter that is constexpr_ auto "
                  "(?: makes a plain int of two constants: tl.static_if keeps them)");
  }
  template <int... N, class V, DType D>
  __forceinline__ auto full(Shape<N...>, const V& value, Dtype<D>) const {
    using S = Shape<N...>;
    if constexpr (S::rank == 0) return Scalar<storage_of<D>>{convert<storage_of<D>>(plain(value))};
    else return spread<storage_of<D>, S, default_layout<Cfg, S>>(value);
  }
  template <int... N, DType D>
  __forceinline__ auto zeros(Shape<N...> s, Dtype<D> d) const {
    return full(s, 0, d);
  }
  template <class X, DType D>
  __forceinline__ auto cast(const X& x, Dtype<D>) const {
    return tl::cast<D>(x);
  }
  template <class X, DType D>
  __forceinline__ auto cast(const X& x, Dtype<D>, Bitcast) const {
    return tl::bitcast<D>(as_block(x));
  }
  template <class X, class V>
  __forceinline__ auto full_like(const X& x, const V& value) const {
    return full(shape_of<X>{}, value, x.dtype);
  }
  template <class X>
  __forceinline__ auto zeros_like(const X& x) const {
    return full_like(x, 0);
  }
  // A value of one lane that assignments may change.
  template <class V, DType D>
  __forceinline__ auto scalar(const V& value, Dtype<D>) const {
    static_assert(is_scalar<V> || is_literal<V>,
                  "tl.scalar is made of one value: reduce the block, or keep it as it is");
    return Scalar<storage_of<D>>{convert<storage_of<D>>(plain(value))};
  }

  // shape
  template <class X, int... N>
  __forceinline__ auto broadcast_to(const X& x, Shape<N...>) const {
    return tl::broadcast_to<Shape<N...>, X, Cfg>(x);
  }
  // The axis may be the literal 0; any other plain int is told how to write it.
#define TL_AXIS(NAME)                                                                               \
  template <class X, class... F>                                                                    \
  __forceinline__ auto NAME(const X& x, Zero, const F&... f) {                                      \
    return NAME(x, constant<0>{}, f...);                                                            \
  }                                                                                                 \
  template <class X, class... F>                                                                    \
  __forceinline__ auto NAME(const X&, AnyInt, const F&...) {                                        \
    static_assert(same<X, AnyInt>, "tl." #NAME ": the axis is a constant: write 1_c instead of 1"); \
  }
  TL_AXIS(expand_dims)
  template <class X, auto A>
  __forceinline__ auto expand_dims(const X& x, constant<A>) const {
    constexpr int rank = X::shape.rank, axis = A < 0 ? A + rank + 1 : A;
    static_assert(
        axis >= 0 && axis <= rank,
        "tl.expand_dims: there is no such place among the axes: they count from 0, and -1_c is behind the last");
    return insert_axis<axis>(x, make_indices<rank + 1>{});
  }
  template <class X, int... N>
  __forceinline__ auto reshape(const X& x, Shape<N...>) const {
    static_assert(Shape<N...>::size == shape_of<X>::size,
                  "tl.reshape keeps the number of elements: choose sizes with the same product");
    return reshaped<Shape<N...>>(materialize(x));
  }
  template <class X, int... A>
  __forceinline__ auto permute(const X& x, Axes<A...> order) const {
    return tl::permute(x, order);
  }
  template <class X>
  __forceinline__ auto trans(const X& x) const {
    return tl::transposed(x);
  }
  template <class X>
  __forceinline__ auto split(const X& x) const {
    return tl::split(x);
  }
  template <class A, class B>
  __forceinline__ auto join(const A& a, const B& b) const {
    return tl::join<Cfg>(a, b);
  }
  template <class X>
  __forceinline__ auto convert_layout(const X& x) const {
    const auto y = materialize(x);
    using Y = bare<decltype(y)>;
    if constexpr (is_scalar<Y>) return y;
    else return tl::convert_layout<default_layout<Cfg, typename Y::shape_type>>(y);
  }

  template <class X>
  __forceinline__ auto ravel(const X& x) const {
    return reshape(x, Shape<shape_of<X>::size>{});
  }
  template <class A, class B>
  __forceinline__ auto broadcast(const A& a, const B& b) const {
    using S = broadcast_shape<shape_of<A>, shape_of<B>>;
    const auto x = broadcast_to(a, S{});
    const auto y = broadcast_to(b, S{});
    return Tuple<bare<decltype(x)>, bare<decltype(y)>>{x, y};
  }

  // movement
  template <class A, class B>
  __forceinline__ auto cat(const A& a, const B& b) const {
    return concatenated<Cfg>(as_block(a), as_block(b));
  }
  template <class A, class B>
  __forceinline__ auto interleave(const A& a, const B& b) const {
    return interleaved<Cfg>(as_block(a), as_block(b));
  }
  template <class X, auto A>
  __forceinline__ auto flip(const X& x, constant<A>) const {
    return flipped<static_cast<int>(A)>(as_block(x));
  }
  template <class X>
  __forceinline__ auto flip(const X& x) const {
    return flip(x, constant<-1>{});
  }
  TL_AXIS(flip)
  template <class X, class I, auto A>
  __forceinline__ auto gather(const X& x, const I& index, constant<A>) const {
    return gathered<static_cast<int>(A)>(as_block(x), as_block(index));
  }
  template <class X, class I>
  __forceinline__ auto gather(const X& x, const I& index, Zero) const {
    return gather(x, index, constant<0>{});
  }
  template <class X>
  __forceinline__ auto sort(const X& x, SortOptions options = {}) const {
    return sorted<Cfg>(as_block(x), options.descending);
  }
  template <class X, auto K>
  __forceinline__ auto topk(const X& x, constant<K>) const {
    return largest<static_cast<int>(K), Cfg>(as_block(x));
  }
  template <class X, auto B>
  __forceinline__ auto histogram(const X& x, constant<B>) const {
    return counted<static_cast<int>(B), Cfg>(as_block(x), true);
  }
  template <class X, auto B, class M>
  __forceinline__ auto histogram(const X& x, constant<B>, const M& mask) const {
    return counted<static_cast<int>(B), Cfg>(as_block(x), mask);
  }

  // choice
  template <class M, class A, class B>
  __forceinline__ auto where(const M& mask, const A& a, const B& b) const {
    return tl::where(mask, a, b);
  }
  template <class A, class B>
  __forceinline__ auto minimum(const A& a, const B& b) const {
    if constexpr (is_constant<A> && is_constant<B>) return constant<(A::value < B::value ? A::value : B::value)>{};
    else return binary<ops::Minimum>(a, b);
  }
  template <class A, class B>
  __forceinline__ auto maximum(const A& a, const B& b) const {
    if constexpr (is_constant<A> && is_constant<B>) return constant<(A::value > B::value ? A::value : B::value)>{};
    else return binary<ops::Maximum>(a, b);
  }
  template <class X, class A, class B>
  __forceinline__ auto clamp(const X& x, const A& lo, const B& hi) const {
    return minimum(maximum(x, lo), hi);
  }

  // math
#define TL_MATH(NAME, F)                                   \
  template <class X>                                       \
  __forceinline__ auto NAME(const X& x) const {            \
    return this->self().noted(detail::math<detail::F>(x)); \
  }
  TL_MATH(exp, Exp)
  TL_MATH(exp2, Exp2)
  TL_MATH(log, Log)
  TL_MATH(log2, Log2)
  TL_MATH(sqrt, Sqrt)
  TL_MATH(rsqrt, Rsqrt)
  TL_MATH(sin, Sin)
  TL_MATH(cos, Cos)
  TL_MATH(sigmoid, Sigmoid)
  TL_MATH(erf, Erf)
  TL_MATH(floor, Floor)
  TL_MATH(ceil, Ceil)
  TL_MATH(sqrt_rn, Sqrt)
  template <class X>
  __forceinline__ auto abs(const X& x) const {
    return tl::magnitude(x);
  }
  TL_MATH(tanh, Tanh)
  TL_MATH(log1p, Log1p)
  TL_MATH(expm1, Expm1)
  TL_MATH(tan, Tan)
  TL_MATH(asin, Asin)
  TL_MATH(acos, Acos)
  TL_MATH(atan, Atan)
  TL_MATH(sinh, Sinh)
  TL_MATH(cosh, Cosh)
  TL_MATH(asinh, Asinh)
  TL_MATH(acosh, Acosh)
  TL_MATH(atanh, Atanh)
  TL_MATH(cbrt, Cbrt)
  TL_MATH(exp10, Exp10)
  TL_MATH(log10, Log10)
  TL_MATH(erfc, Erfc)
  TL_MATH(lgamma, Lgamma)
  TL_MATH(tgamma, Tgamma)
  TL_MATH(round, Round)
  TL_MATH(rint, Rint)
  TL_MATH(trunc, Trunc)
#undef TL_MATH
#define TL_ASKED(NAME, F)                       \
  template <class X>                            \
  __forceinline__ auto NAME(const X& x) const { \
    return tl::detail::asked<tl::detail::F>(x); \
  }
  TL_ASKED(isnan, IsNan)
  TL_ASKED(isinf, IsInf)
  TL_ASKED(isfinite, IsFinite)
  TL_ASKED(signbit, SignBit)
#undef TL_ASKED
#define TL_TWO(NAME, F)                                                      \
  template <class A, class B>                                                \
  __forceinline__ auto NAME(const A& a, const B& b) const {                  \
    return this->self().noted(tl::detail::math_of_two<tl::detail::F>(a, b)); \
  }
  TL_TWO(pow, Pow)
  TL_TWO(atan2, Atan2)
  TL_TWO(fmod, Fmod)
  TL_TWO(copysign, Copysign)
  TL_TWO(hypot, Hypot)
  TL_TWO(fdim, Fdim)
  TL_TWO(nextafter, Nextafter)
  TL_TWO(div_rn, Quotient)
  TL_TWO(fdiv, Quotient)
#undef TL_TWO
  // Rounded once in fp32 and fp64.
  template <class A, class B, class C>
  __forceinline__ auto fma(const A& a, const B& b, const C& c) const {
    return fused_multiply_add(a, b, c);
  }
  template <class A, class B>
  __forceinline__ auto cdiv(const A& a, const B& b) const {
    if constexpr (is_constant<A> && is_constant<B>) return constant<(A::value + B::value - 1) / B::value>{};
    else if constexpr (is_literal<A> && is_literal<B>) return (plain(a) + plain(b) - 1) / plain(b);
    else {
      const auto quotient = (a + (b - constant<1>{})) / b;
      static_assert(is_integer(dtype_of<typename bare<decltype(quotient)>::element>),
                    "tl.cdiv takes integers: use tl.ceil(a / b)");
      return quotient;
    }
  }
  template <class A, class B>
  __forceinline__ auto umulhi(const A& a, const B& b) const {
    return tl::high_product(a, b);
  }

  // reduction; the axis is a constant. Without one all axes are taken as one; with keep_dims the axis stays.
#define TL_REDUCTION(NAME, ...)                                         \
  template <class X, auto A>                                            \
  __forceinline__ auto NAME(const X& x, constant<A>) {                  \
    __VA_ARGS__                                                         \
  }                                                                     \
  template <class X>                                                    \
  __forceinline__ auto NAME(const X& x) {                               \
    return NAME(ravel(x), constant<0>{});                               \
  }                                                                     \
  template <class X, auto A>                                            \
  __forceinline__ auto NAME(const X& x, constant<A> axis, KeepDims) {   \
    return kept<shape_of<X>::rank, static_cast<int>(A)>(NAME(x, axis)); \
  }                                                                     \
  TL_AXIS(NAME)
#define TL_FOLDED(NAME, DTYPE, F)                                                        \
  TL_REDUCTION(NAME, constexpr DType t = DTYPE(dtype_of<typename X::element>);           \
               using T = storage_of<accumulator_dtype(t)>;                               \
               return this->self().noted(tl::cast<t>(tl::reduce<T, static_cast<int>(A)>( \
                   x, [](T a, T b) { return F::apply(a, b); }, reduction_parity)));)
  TL_FOLDED(sum, sum_dtype, ops::Add)
  TL_FOLDED(max, max_dtype, ops::Maximum)
  TL_FOLDED(min, max_dtype, ops::Minimum)
  TL_REDUCTION(argmax, return arg_extreme<static_cast<int>(A), 1>(x, reduction_parity).b;)
  TL_REDUCTION(argmin, return arg_extreme<static_cast<int>(A), -1>(x, reduction_parity).b;)
  TL_REDUCTION(xor_sum, constexpr DType t = sum_dtype(dtype_of<typename X::element>);
               static_assert(is_integer(t), "tl.xor_sum takes integers: cast to tl.int32"); using T = storage_of<t>;
               return tl::reduce<T, static_cast<int>(A)>(
                   x, [](T a, T b) { return static_cast<T>(a ^ b); }, reduction_parity);)
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
  // The lambda takes and returns scalars; it is associative and commutative. Of a tuple it takes f(a0, a1, .., b0, b1,
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
    const auto e = exp(wide - max(wide, axis, KeepDims{}));
    return tl::cast<t>(e / sum(e, axis, KeepDims{}));
  }
  template <class X>
  __forceinline__ auto softmax(const X& x) {
    return softmax(x, constant<0>{});
  }
  TL_AXIS(softmax)

  // memory
  template <class P>
  __forceinline__ auto load(const P& p, LoadOptions<P> options = {}) const {
    return tl::load(p, options);
  }
  template <class P, class X>
  __forceinline__ void store(const P& p, const X& x, StoreOptions<P> options = {}) const {
    if constexpr (is_deferred<X>) tl::store(p, x.to_block(), options);
    else tl::store(p, x, options);
  }
#define TL_ATOMIC(NAME, OP)                                                                \
  template <class P, class X>                                                              \
  __forceinline__ auto NAME(const P& p, const X& x, AtomicOptions<P> options = {}) const { \
    return tl::atomic<Atomic::OP, 32 * Cfg::num_warps>(p, as_block(x), options);           \
  }
  TL_ATOMIC(atomic_add, add)
  TL_ATOMIC(atomic_max, max)
  TL_ATOMIC(atomic_min, min)
  TL_ATOMIC(atomic_and, bit_and)
  TL_ATOMIC(atomic_or, bit_or)
  TL_ATOMIC(atomic_xor, bit_xor)
  TL_ATOMIC(atomic_xchg, xchg)
#undef TL_ATOMIC
  template <class P, class X, class Y>
  __forceinline__ auto atomic_cas(const P& p, const X& expected, const Y& value, SwapOptions options = {}) const {
    return tl::atomic_cas<32 * Cfg::num_warps>(p, as_block(expected), as_block(value), options);
  }
  // What the program's threads have stored so far, all of them see.
  __forceinline__ void debug_barrier() const { synchronize<32 * Cfg::num_warps>(); }
  template <class P, class Sizes, class Strides, class Offsets, int... N, int... A>
  __forceinline__ auto make_block_ptr(const P& base, Sizes sizes, Strides strides, Offsets offsets, Shape<N...>,
                                      Axes<A...>) const {
    static_assert(sizeof...(A) == sizeof...(N),
                  "tl.make_block_ptr: shape, strides, offsets, block shape and order have one entry an axis: "
                  "tl.axes(1_c, 0_c) of two");
    return tl::make_block_ptr<Cfg, Shape<N...>>(base, sizes, strides, offsets);
  }
  template <class B, class Steps>
  __forceinline__ B advance(const B& p, Steps steps) const {
    return advanced(p, steps);
  }

  // Whether the argument is None: a constant.
  template <class P>
  __forceinline__ auto is_none(const P&) const {
    static_assert(is_address<P>, "tl.is_none asks of a kernel's pointer: a block or a scalar is always there");
    if constexpr (same<P, NonePtr>) return constant<true>{};
    else return constant<false>{};
  }

  // programs' order
  template <class A, class B, class C, class D, class E>
  __forceinline__ auto swizzle2d(const A& i, const B& j, const C& size_i, const D& size_j, const E& group) const {
    const auto s = tl::swizzle2d<int>(plain(i), plain(j), plain(size_i), plain(size_j), plain(group));
    return Tuple<Scalar<int>, Scalar<int>>{{s.i}, {s.j}};
  }

  // hints
  template <class X, auto C>
  __forceinline__ auto multiple_of(const X& x, constant<C>) const {
    if constexpr (is_value<X> && !is_ptr<X>)
      static_assert(is_integer(dtype_of<typename X::element>),
                    "only integers and pointers have multiples: cast with .to(tl.int32)");
    if constexpr (C == 1) return tl::without_divisibility(x);
    else return tl::with_divisibility<divisibility_of(C)>(x);
  }
  template <class X, auto C>
  __forceinline__ const X& max_contiguous(const X& x, constant<C>) const {
    return x;
  }
  template <class X, auto C>
  __forceinline__ const X& max_constancy(const X& x, constant<C>) const {
    return x;
  }
  template <class X>
  __forceinline__ void assume(const X& condition) const {
    if constexpr (is_scalar<X> || is_literal<X>) __builtin_assume(convert<bool>(plain(condition)));
  }

  // debugging
  template <class... A>
  __forceinline__ void print_if(const char*, const char*, const A&...) const {}  // host/print_texts.h reads the texts
  __forceinline__ void breakpoint_if(const char*) const {}
  template <class M>
  __forceinline__ void device_assert(const M& condition, const char* text = "", const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) const {
    assert_all(condition, text, file, line);
  }

  // Refused as the kernel compiles where it does not hold.
  template <auto C>
  __forceinline__ void static_check(constant<C>, const char* = "") const {
    static_assert(static_cast<bool>(C),
                  "tl.static_check does not hold: launch the kernel with constants for which it does");
  }

 private:
  // What a reduction leaves, with the axis back.
  template <int Rank, int A, class R>
  static __forceinline__ auto kept(const R& r) {
    constexpr int axis = A < 0 ? A + Rank : A;
    if constexpr (is_scalar<R>) return tl::broadcast_to<Shape<1>, R, Cfg>(r);
    else return insert_axis<axis>(r, make_indices<Rank>{});
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
    return tuple(turned<A>(get<I>(x), options)...);
  }
  static __forceinline__ void check_axis(int axis) {
    if (axis < 0 || axis > 2)
      fail_assertion<Assertions>(-1, "use 0, 1 or 2", "tl.program_id: a grid has three axes", 0);
  }
  template <int Axis, class X, int... I>
  static __forceinline__ auto insert_axis(const X& x, Indices<I...>) {
    return x(choice<I == Axis, NoneAxis, Colon>{}...);
  }
};

// One role for all warps: each load is waited for.
template <class Cfg>
struct Context : Ops<Cfg, Context<Cfg>> {
  template <class A, class B>
  __forceinline__ auto dot(const A& a, const B& b) const {
    if constexpr (shape_of<A>::rank == 3) return batched_multiply_add<Cfg, Tf32>(a, b, 0);
    else return multiply<Cfg, Tf32>(a, b);
  }
  template <class A, class B, class C, class Precision = Tf32>
  __forceinline__ auto dot(const A& a, const B& b, const C& c, Precision = {}) const {
    if constexpr (shape_of<A>::rank == 3) return batched_multiply_add<Cfg, Precision>(a, b, c);
    else return multiply_add<Cfg, Precision>(a, b, c);
  }
};

}  // namespace tl::cuda
#undef TL_AXIS
