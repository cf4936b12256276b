// The executor that kernels are passed: every op is a member.
#pragma once

#include "interp/cuda/device/dot/batched_dot.h"
#include "interp/cuda/device/dot/dot.h"
#include "interp/cuda/device/dot/dot_ops.h"
#include "interp/cuda/device/entry.h"
#include "interp/cuda/device/memory/memory_ops.h"
#include "interp/cuda/device/names.h"
#include "interp/cuda/device/pipeline/loops.h"
#include "interp/cuda/device/print.h"
#include "interp/cuda/device/values/math_ops.h"
#include "interp/cuda/device/values/movement.h"
#include "interp/cuda/device/values/random.h"
#include "interp/cuda/device/values/reduction_ops.h"
#include "interp/cuda/device/values/shape_ops.h"
#include "interp/lang/swizzle.h"

namespace tl::cuda {

template <auto A, auto B>
struct ArangeValue {
  static constexpr rules::Index value = rules::arange(A, B, most_divisible);
};

// What does not depend on warps having roles; `Self` is the executor itself.
template <class Cfg, class Self>
struct Ops : Names,
             Loops<Self>,
             MathOps<Self>,
             ReductionOps<Cfg, Self>,
             RandomOps,
             DotOps<Self>,
             MemoryOps<Cfg>,
             DebugOps<Cfg> {
  using config = Cfg;

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
    requires(!(is_constant<N> && ...))
  __forceinline__ auto shape(N...) const {
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
        "tl.arange: the number of elements is not a power of two: round the block size up and mask the lanes beyond");
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
    requires(!is_constant<B>)
  __forceinline__ auto arange(const A&, const B&) const {
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
  template <class X, DType D, cast_way W>
  __forceinline__ auto cast(const X& x, Dtype<D>, W way) const {
    return tl::cast<D>(as_block(x), way);
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
    if constexpr (sizeof...(N) == 0 && shape_of<X>::rank == 0) return materialize(x);
    else return tl::broadcast_to<Shape<N...>, X, Cfg>(x);
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
    const auto block = materialize(x);
    if constexpr (shape_of<X>::rank == 0) return broadcast_to(x, Shape<N...>{});
    else if constexpr (sizeof...(N) == 0) return Scalar<typename bare<decltype(block)>::element>{block.v[0]};
    else return reshaped<Shape<N...>>(block);
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

  // numbers
  template <class A, class B>
  __forceinline__ auto cdiv(const A& a, const B& b) const {
    if constexpr (is_constant<A> && is_constant<B>) return constant<(A::value + B::value - 1) / B::value>{};
    else if constexpr (is_literal<A> && is_literal<B>) return (plain(a) + plain(b) - 1) / plain(b);
    else {
      static_assert(!detail::signs_differ<A, B>(),
                    "signed and unsigned do not divide: cast one side with .to so that both have one sign");
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
    static_assert(holds_integers<Tuple<A, B, C, D, E>>,
                  "tl.swizzle2d takes integers, one each: cast with .to(tl.int32), or reduce the block");
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
  __forceinline__ auto max_contiguous(const X& x, constant<C>) const {
    return hinted<rules::Hint::max_contiguous, C>(x);
  }
  template <class X, auto C>
  __forceinline__ auto max_constancy(const X& x, constant<C>) const {
    return hinted<rules::Hint::max_constancy, C>(x);
  }
  template <class X>
  __forceinline__ void assume(const X& condition) const {
    if constexpr (is_scalar<X> || is_literal<X>) __builtin_assume(convert<bool>(plain(condition)));
  }

 private:
  static __forceinline__ void check_axis(int axis) {
    if (axis < 0 || axis > 2)
      fail_assertion<Assertions>(-1, "use 0, 1 or 2", "tl.program_id: a grid has three axes", 0);
  }
  template <rules::Hint H, auto C, class X>
  static __forceinline__ auto hinted(const X& x) {
    static_assert(is_integer(dtype_of<typename X::element>) && C > 0,
                  "a hint is for integers: pass an integer block and a positive constant");
    return tl::with_hint<H, divisibility_of(C)>(x);
  }
  template <int Axis, class X, int... I>
  static __forceinline__ auto insert_axis(const X& x, Indices<I...>) {
    return x(choice < I == Axis, NoneAxis, Colon > {}...);
  }
};

// One role for all warps: each load is waited for.
template <class Cfg>
struct Context : Ops<Cfg, Context<Cfg>> {
  using Ops<Cfg, Context>::dot;
  template <class A, class B>
  __forceinline__ auto dot(const A& a, const B& b) const {
    if constexpr (shape_of<A>::rank >= 3) return batched_multiply_add<Cfg, Tf32>(a, b, 0);
    else return multiply<Cfg, Tf32>(a, b);
  }
  template <class A, class B, class C, class Precision = Tf32>
  __forceinline__ auto dot(const A& a, const B& b, const C& c, Precision p = {}) {
    if constexpr (is_narrow<A, C>) return tl::cast<DType::float16>(dot(a, b, tl::cast<DType::float32>(as_block(c)), p));
    else if constexpr (splits<A, B, Precision>) return this->dot_in_parts(a, b, c, p);
    else if constexpr (shape_of<A>::rank >= 3) return batched_multiply_add<Cfg, Precision>(a, b, c);
    else return multiply_add<Cfg, Precision>(a, b, c);
  }
};

}  // namespace tl::cuda
#undef TL_AXIS
