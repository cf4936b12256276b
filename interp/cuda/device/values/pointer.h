// Pointers: one, with the bytes its address is a multiple of; and blocks of them, in affine form or one a lane.
#pragma once

#include "interp/cuda/device/values/elementwise.h"
#include "interp/rules/access.h"

namespace tl {

struct Tma;
struct Pointers;

// Divisibility counts bytes.
template <class T, int Divisibility>
struct Ptr {
  using pointee = T;
  static constexpr int divisibility = Divisibility;
  static constexpr Dtype<dtype_of<T>> dtype{};
  T* p;

  Ptr& operator=(const Ptr&) = default;
  // What is known to be a multiple of more may be assigned.
  template <int D>
    requires(D != Divisibility)
  __forceinline__ Ptr& operator=(const Ptr<T, D>& other) {
    static_assert(rules::can_hold(Divisibility, D),
                  "assignment gives up what was known of this pointer: give the new one a name of its own, as in auto "
                  "row = ptr + step, or say step = tl.multiple_of(step, 16_c) where that is true");
    p = other.p;
    return *this;
  }
};

template <class T, int N>
template <DType D>
__forceinline__ auto Scalar<T, N>::to(PointerTo<D>) const {
  static_assert(same<T, long long> || same<T, unsigned long long>,
                "tl.pointer_type makes a pointer of one address, an int64");
  using E = storage_of<D>;
  return Ptr<E, static_cast<int>(sizeof(E))>{reinterpret_cast<E*>(v)};
}

// The argument None. What a kernel does with it stands behind tl.is_none, and never runs.
struct NonePtr : Ptr<float, 16> {};

template <class Cfg, class T, class I, class S, class C, int Divisibility>
struct PtrBlock;
// The same type but for the divisibility.
template <class U, class P>
inline constexpr bool is_pointers_like = false;
template <class Cfg, class T, class I, class S, class C, int D, int E>
inline constexpr bool is_pointers_like<PtrBlock<Cfg, T, I, S, C, D>, PtrBlock<Cfg, T, I, S, C, E>> = true;

// address(c) = p + sum of coefficient x coordinate elements
template <class Cfg, class T, class I, class S, class C, int Divisibility>
struct PtrBlock {
  using pointee = T;
  using config = Cfg;
  using shape_type = S;
  using coefficients = C;
  using offset = I;
  static constexpr int divisibility = Divisibility;  // of the address at coordinate 0, in bytes
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr S shape{};
  T* p;
  Index<Cfg, I, S, C, most_divisible> offsets;  // its base is 0

  // The same type again, so that a loop may carry it.
  PtrBlock& operator=(const PtrBlock&) = default;
  template <int D>
    requires(D != Divisibility)
  __forceinline__ PtrBlock& operator=(const PtrBlock<Cfg, T, I, S, C, D>& other) {
    static_assert(rules::can_hold(Divisibility, D),
                  "assignment gives up what was known of these pointers: declare them from tl.multiple_of(ptr, 1_c), "
                  "or say step = tl.multiple_of(step, 16_c) where that is true");
    p = other.p;
    offsets = other.offsets;
    return *this;
  }
  template <class U>
    requires(!is_pointers_like<U, PtrBlock>)
  __forceinline__ PtrBlock& operator=(const U&) {
    static_assert(is_pointers_like<U, PtrBlock>,
                  "assignment gives up what was known of these pointers: give the result a name of its own");
    return *this;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks... marks) const {
    const auto o = offsets(marks...);
    return PtrBlock<Cfg, T, I, typename decltype(o)::shape_type, typename decltype(o)::coefficients, Divisibility>{p,
                                                                                                                   o};
  }
};

// address(c) = p + a formula of the coordinates. Where a thread's accesses begin is computed with the pointers, once
// for a loop that moves p: a compiler leaves divisions where they stand.
template <class T, class F, int Divisibility>
struct FormulaPointers {
  using pointee = T;
  using config = typename F::config;
  using shape_type = typename F::shape_type;
  using offset = typename F::element;
  static constexpr int divisibility = Divisibility;  // of p, in bytes
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr shape_type shape{};
  static constexpr rules::Access how = rules::access_of(cuda::config_of<config>, F::axes, Divisibility, sizeof(T));
  struct Held {
    static constexpr rules::Layout value = how.layout;
  };
  using layout = detail::to_layout<Held>;
  static constexpr int neighbours =
      how.axis < 0 ? 0 : layout::register_of(shape_type::stride(how.axis) * (how.elements - 1));

  T* p;
  F offsets;
  offset first[layout::register_count];  // by the number of each access's first register

  __forceinline__ FormulaPointers(T* pointer, const F& formula) : p(pointer), offsets(formula) {
    const auto thread = coordinates_of<shape_type>(layout::of_thread());
#pragma unroll
    for (int r = 0; r < layout::register_count; ++r)
      if (!(r & neighbours)) first[r] = offsets.at(sum_of(thread, coordinates_of<shape_type>(layout::flats.at[r])));
  }
  __forceinline__ FormulaPointers(T* pointer, const FormulaPointers& from) : FormulaPointers(from) { p = pointer; }

  FormulaPointers& operator=(const FormulaPointers&) = default;
  template <int D>
    requires(D != Divisibility)
  __forceinline__ FormulaPointers& operator=(const FormulaPointers<T, F, D>& other) {
    static_assert(rules::can_hold(Divisibility, D),
                  "assignment gives up what was known of these pointers: declare them from tl.multiple_of(ptr, 1_c), "
                  "or say step = tl.multiple_of(step, 16_c) where that is true");
    return *this = FormulaPointers(other.p, other.offsets);
  }
  template <class U>
    requires(!is_pointers_like<U, FormulaPointers>)
  __forceinline__ FormulaPointers& operator=(const U&) {
    static_assert(is_pointers_like<U, FormulaPointers>,
                  "assignment gives up what was known of these pointers: give the result a name of its own");
    return *this;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks... marks) const {
    const auto o = offsets(marks...);
    return FormulaPointers<T, bare<decltype(o)>, Divisibility>(p, o);
  }
};
template <class T, class F, int D, int E>
inline constexpr bool is_pointers_like<FormulaPointers<T, F, D>, FormulaPointers<T, F, E>> = true;

// Any addresses, one a lane of the block.
template <class T, class S, class L>
struct GatherBlock {
  using pointee = T;
  using shape_type = S;
  using layout = L;
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr S shape{};
  Block<long long, S, L> addresses;  // in elements from p
  T* p;
  template <class... Marks>
  __forceinline__ auto operator()(Marks... marks) const {
    const auto a = addresses(marks...);
    return GatherBlock<T, sliced_shape<S, Marks...>, L>{a, p};
  }
};

template <class T>
inline constexpr bool is_ptr = false;
template <class T, int D>
inline constexpr bool is_ptr<Ptr<T, D>> = true;
template <>
inline constexpr bool is_ptr<NonePtr> = true;
template <class T>
inline constexpr bool is_ptr_block = false;
template <class Cfg, class T, class I, class S, class C, int D>
inline constexpr bool is_ptr_block<PtrBlock<Cfg, T, I, S, C, D>> = true;
template <class T>
inline constexpr bool is_formula_pointers = false;
template <class T, class F, int D>
inline constexpr bool is_formula_pointers<FormulaPointers<T, F, D>> = true;
template <class T, class F, int D>
inline constexpr bool is_ptr_block<FormulaPointers<T, F, D>> = true;
template <class T>
inline constexpr bool is_gather = false;
template <class T, class S, class L>
inline constexpr bool is_gather<GatherBlock<T, S, L>> = true;
template <class T>
inline constexpr bool is_address = is_ptr<T> || is_ptr_block<T> || is_gather<T>;

template <class T>
concept ptr = is_address<bare<T>>;

// One of two pointers.
template <class M, ptr A, ptr B>
__forceinline__ auto where(const M& mask, const A& a, const B& b) {
  static_assert(shape_of<M>::rank == 0,
                "tl.where: pointers are chosen by one mask: choose their offsets, ptr + tl.where(mask, a, b), or load "
                "both, each with its mask");
  static_assert(is_ptr<A> && is_ptr<B>,
                "tl.where: choose between pointers before offsets are added: tl.where(flag, a, b) + offs");
  static_assert(same<typename A::pointee, typename B::pointee>, "tl.where: both pointers point to one dtype");
  return Ptr<typename A::pointee, least(A::divisibility, B::divisibility)>{convert<bool>(plain(mask)) ? a.p : b.p};
}

namespace detail {

template <class T, class O>
inline constexpr int offset_bytes = divisibility_of_product(divisibility<O>, sizeof(T));

template <class P, class O>
__forceinline__ auto shifted_pointers(const P& p, const O& offset) {
  using T = typename P::pointee;
  if constexpr (is_value<O>)
    static_assert(is_integer(dtype_of<typename O::element>),
                  "a pointer moves by integers: cast the offset with .to(tl.int32)");
  if constexpr (is_deferred<O>) {
    return shifted_pointers(p, offset.to_block());
  } else if constexpr (is_ptr<P>) {
    if constexpr (is_scalar<O> || is_literal<O>) {
      return Ptr<T, least(P::divisibility, offset_bytes<T, O>)>{p.p + plain(offset)};
    } else if constexpr (is_index<O>) {
      using I = typename O::element;
      using Cfg = typename O::config;
      constexpr int d = least(P::divisibility, divisibility_of_product(O::divisibility, sizeof(T)));
      Index<Cfg, I, typename O::shape_type, typename O::coefficients, most_divisible> rest{I(0), {}};
#pragma unroll
      for (int i = 0; i < O::shape_type::rank; ++i) rest.factor[i] = offset.factor[i];
      return PtrBlock<Cfg, T, I, typename O::shape_type, typename O::coefficients, d>{p.p + offset.base, rest};
    } else if constexpr (is_formula<O>) {
      return FormulaPointers<T, O, P::divisibility>(p.p, offset);
    } else {
      return GatherBlock<T, typename O::shape_type, typename O::layout>{cast<DType::int64>(offset), p.p};
    }
  } else if constexpr (is_ptr_block<P>) {
    if constexpr ((is_scalar<O> || is_literal<O>) && is_formula_pointers<P>) {
      constexpr int d = least(P::divisibility, offset_bytes<T, O>);
      if constexpr (d == P::divisibility) return P(p.p + plain(offset), p);
      else return FormulaPointers<T, bare<decltype(p.offsets)>, d>(p.p + plain(offset), p.offsets);
    } else if constexpr (is_scalar<O> || is_literal<O>) {
      return PtrBlock<typename P::config, T, typename P::offset, typename P::shape_type, typename P::coefficients,
                      least(P::divisibility, offset_bytes<T, O>)>{p.p + plain(offset), p.offsets};
    } else {
      return shifted_pointers(Ptr<T, P::divisibility>{p.p}, p.offsets + offset);
    }
  } else {
    const auto sum = p.addresses + offset;
    return GatherBlock<T, typename decltype(sum)::shape_type, typename decltype(sum)::layout>{cast<DType::int64>(sum),
                                                                                              p.p};
  }
}

template <class O>
concept an_offset = is_value<O> || (is_literal<O> && literal_kind<O> == LiteralKind::integer);

}  // namespace detail

template <class P, class O>
  requires(is_address<P> && detail::an_offset<O>)
__forceinline__ auto operator+(const P& p, const O& offset) {
  return detail::shifted_pointers(p, offset);
}
template <class P, class O>
  requires(is_address<P> && detail::an_offset<O>)
__forceinline__ auto operator+(const O& offset, const P& p) {
  return detail::shifted_pointers(p, offset);
}
template <class P, class O>
  requires(is_address<P> && detail::an_offset<O>)
__forceinline__ auto operator-(const P& p, const O& offset) {
  return detail::shifted_pointers(p, -offset);
}
template <class P, class O>
  requires(is_address<P> && detail::an_offset<O>)
__forceinline__ P& operator+=(P& p, const O& offset) {
  return p = p + offset;
}
template <class P, class O>
  requires(is_address<P> && detail::an_offset<O>)
__forceinline__ P& operator-=(P& p, const O& offset) {
  return p = p - offset;
}

// The caller's promise of a formula's lanes. An affine index tells as much by itself; of a block nothing is known.
template <rules::Hint H, int Value, class X>
__forceinline__ auto with_hint(const X& x) {
  if constexpr (is_formula<X>) {
    using S = typename X::shape_type;
    using F = detail::HintedFormula<S, X, H, Value>;
    return Formula<typename X::config, typename X::element, S, F>{F{x}};
  } else {
    return x;
  }
}

// The caller's promise: D divides x (of a pointer: its offset in elements).
template <int D, class X>
__forceinline__ auto with_divisibility(const X& x) {
  constexpr auto most = [](int a, int b) { return a > b ? a : b; };
  if constexpr (is_ptr<X>)
    return Ptr<typename X::pointee, most(X::divisibility, divisibility_of_product(D, sizeof(typename X::pointee)))>{
        x.p};
  else if constexpr (is_scalar<X>) return Scalar<typename X::element, most(X::divisibility, D)>{x.v};
  else return with_hint<rules::Hint::multiple_of, D>(x);
}

// Promises nothing, so that a variable declared from it may take any value.
template <class X>
__forceinline__ auto without_divisibility(const X& x) {
  if constexpr (is_ptr<X>) return Ptr<typename X::pointee, sizeof(typename X::pointee)>{x.p};
  else if constexpr (is_scalar<X>) return Scalar<typename X::element>{x.v};
  else if constexpr (is_literal<X>) return detail::valued(x);
  else return x;
}

}  // namespace tl
