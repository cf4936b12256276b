// What the operators do with values of every kind: promotion, index arithmetic, masks, blocks; casts and where.
#pragma once

#include "interp/cuda/device/values/operands.h"

namespace tl {

// Any two operands.
template <class Op, class A, class B>
__forceinline__ auto binary(const A& a, const B& b) {
  using rules::BinaryRule;
  using rules::Kind;
  constexpr rules::BinaryPlan plan =
      rules::binary_plan(Op::code, detail::operand<A>(), detail::operand<B>(), cuda::affine_only);
  constexpr BinaryRule rule = plan.rule;
  if constexpr (is_literal<A> && is_literal<B>) {
    return binary<Op>(detail::valued(a), b);
  } else if constexpr (is_deferred<A> || is_deferred<B>) {
    return binary<Op>(as_block(a), as_block(b));
  } else if constexpr (rule == BinaryRule::widen_left) {
    return binary<Op>(cast<DType::int64>(a), b);
  } else if constexpr (rule == BinaryRule::widen_right) {
    return binary<Op>(a, cast<DType::int64>(b));
  } else if constexpr (rule == BinaryRule::sum) {
    return sum_of_indices<same<Op, ops::Add> ? 1 : -1>(a, b);
  } else if constexpr (rule == BinaryRule::compare_lanes) {
    return compared_indices<Op>(a, b);
  } else if constexpr (rule == BinaryRule::shift && plan.left) {
    using I = typename A::element;
    if constexpr (is_literal<B>) detail::check_literal<I>(b);
    if constexpr (same<Op, ops::Add>) return shifted_index<1>(a, b);
    else
      return shifted_index<1>(a, Scalar<I, divisibility<B>>{ops::wrapped_difference(I(0), static_cast<I>(plain(b)))});
  } else if constexpr (rule == BinaryRule::shift) {
    if constexpr (is_literal<A>) detail::check_literal<typename B::element>(a);
    return shifted_index<same<Op, ops::Add> ? 1 : -1>(b, a);
  } else if constexpr ((rule == BinaryRule::scale || rule == BinaryRule::compare) && !plan.left) {
    if constexpr (rule == BinaryRule::scale) return binary<Op>(b, a);
    else return binary<ops::mirror<Op>>(b, a);
  } else if constexpr (rule == BinaryRule::scale) {
    if constexpr (is_literal<B>) detail::check_literal<typename A::element>(b);
    return scaled_index(a, b);
  } else if constexpr (rule == BinaryRule::compare) {
    using I = typename A::element;
    if constexpr (is_literal<B>) detail::check_literal<I>(b);
    return compared_index<Op, divisibility<B>>(a, static_cast<I>(plain(b)));
  } else if constexpr (rule == BinaryRule::formula) {
    using I = typename choice<plan.left, A, B>::element;
    if constexpr (is_literal<A>) detail::check_literal<I>(a);
    if constexpr (is_literal<B>) detail::check_literal<I>(b);
    return combined_formula<Op, broadcast_shape<shape_of<A>, shape_of<B>>>(a, b);
  } else if constexpr (rule == BinaryRule::both) {
    return both(a, b);
  } else if constexpr (rule == BinaryRule::combine) {
    using S = broadcast_shape<typename A::shape_type, typename B::shape_type>;
    using F = detail::Combined<S, Op, A, B>;
    return Condition<typename A::config, S, F>{F{a, b}};
  } else {
    constexpr DType d = detail::promoted<A, B>();
    static_assert(!(is_float(d) && (Op::kind == Kind::bitwise || Op::kind == Kind::shift)),
                  "& | ^ << >> take integers and masks: compare first, or cast with .to");
    static_assert(!(d == DType::int1 && (Op::kind == Kind::division || Op::kind == Kind::shift)),
                  "/ % << >> are not defined for bool: cast first with .to");
    static_assert(!(Op::kind == Kind::division && detail::signs_differ<A, B>()),
                  "signed and unsigned do not divide: cast one side with .to so that both have one sign");
    using Result = storage_of<d>;
    using T = storage_of<detail::computed<Op, A>(d)>;
    using R = choice<Op::kind == Kind::comparison, bool, Result>;
    if constexpr (rule == BinaryRule::scalars) {
      constexpr int divides =
          is_integer(d) && Op::kind != Kind::comparison ? detail::divisibility_after<Op, A, B>() : 1;
      return Scalar<R, divides>{convert<R>(Op::apply(convert<T>(plain(detail::with_literal_rounded<d>(a))),
                                                     convert<T>(plain(detail::with_literal_rounded<d>(b)))))};
    } else {
      using S = broadcast_shape<shape_of<A>, shape_of<B>>;
      using L = typename detail::MeetingLayout<A, B, S>::type;
      const auto x = spread<T, S, L>(detail::with_literal_rounded<d>(a));
      Block<R, S, L> out;
      if constexpr (same<Op, ops::Divide> && same<T, float> && is_scalar<B> &&
                    Block<R, S, L>::count >= ops::Divisor::worth_it) {
        const ops::Divisor by(convert<T>(b.v));
        by.divide(x.v, [&](int r, float quotient) { out.v[r] = convert<R>(quotient); });
        return out;
      }
      const auto y = spread<T, S, L>(detail::with_literal_rounded<d>(b));
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = convert<R>(Op::apply(x.v[r], y.v[r]));
      return out;
    }
  }
}

#define TL_OPERATOR(SYMBOL, OP)                                  \
  template <class A, class B>                                    \
    requires operands<A, B>                                      \
  __forceinline__ auto operator SYMBOL(const A& a, const B& b) { \
    return binary<ops::OP>(a, b);                                \
  }
#define TL_ASSIGNMENT(SYMBOL, OP)                           \
  template <class A, class B>                               \
    requires(is_value<A> && (is_value<B> || is_literal<B>)) \
  __forceinline__ A& operator SYMBOL(A & a, const B & b) {  \
    a = binary<ops::OP>(a, b);                              \
    return a;                                               \
  }
TL_OPERATOR(+, Add)
TL_OPERATOR(-, Subtract)
TL_OPERATOR(*, Multiply)
TL_OPERATOR(/, Divide)
TL_OPERATOR(%, Remainder)
TL_OPERATOR(&, And)
TL_OPERATOR(|, Or)
TL_OPERATOR(^, Xor)
TL_OPERATOR(<<, ShiftLeft)
TL_OPERATOR(>>, ShiftRight)
TL_OPERATOR(<, Less)
TL_OPERATOR(<=, LessEqual)
TL_OPERATOR(>, Greater)
TL_OPERATOR(>=, GreaterEqual)
TL_OPERATOR(==, Equal)
TL_OPERATOR(!=, NotEqual)
TL_ASSIGNMENT(+=, Add)
TL_ASSIGNMENT(-=, Subtract)
TL_ASSIGNMENT(*=, Multiply)
TL_ASSIGNMENT(/=, Divide)
TL_ASSIGNMENT(%=, Remainder)
TL_ASSIGNMENT(&=, And)
TL_ASSIGNMENT(|=, Or)
TL_ASSIGNMENT(^=, Xor)
TL_ASSIGNMENT(<<=, ShiftLeft)
TL_ASSIGNMENT(>>=, ShiftRight)
#undef TL_OPERATOR
#undef TL_ASSIGNMENT

// !, of any dtype: whether it is 0; ~, of integers and masks; and minus.
template <class A>
  requires(is_value<A>)
__forceinline__ auto operator!(const A& a) {
  if constexpr (is_index<A> || is_formula<A>) {
    return a == constant<0>{};
  } else if constexpr (is_box<A> || is_condition<A>) {
    using F = detail::Negated<typename A::shape_type, A>;
    return Condition<typename A::config, typename A::shape_type, F>{F{a}};
  } else {
    return map<bool>(a, [](typename A::element x) { return !convert<bool>(x); });
  }
}
template <class A>
  requires(is_value<A>)
__forceinline__ auto operator~(const A& a) {
  if constexpr (same<typename A::element, bool>) return !a;
  else return map<typename A::element>(a, [](typename A::element x) { return static_cast<typename A::element>(~x); });
}
template <class A>
  requires(is_value<A>)
__forceinline__ auto operator-(const A& a) {
  using T = typename A::element;
  if constexpr (is_index<A>) return shifted_index<-1>(a, constant<0>{});
  else if constexpr (is_formula<A>) return constant<0>{} - a;
  else if constexpr (is_scalar<A> && is_integer_storage<T>)
    return Scalar<T, A::divisibility>{ops::wrapped_difference(T(0), a.v)};
  else
    return map<T>(a, [](T x) {
      if constexpr (is_narrow_storage<T>) return from_float<T>(-to_float(x));
      else if constexpr (is_integer_storage<T>) return ops::wrapped_difference(T(0), x);
      else return -x;
    });
}

namespace detail {
template <class A>
constexpr rules::Index index_of() {
  if constexpr (is_index<A>) return A::form;
  else return {};
}
template <class A, class B>
constexpr bool can_hold() {
  if constexpr (is_index<B>) return rules::can_hold(A::form, B::form, most_divisible);
  else return false;
}
}  // namespace detail

// Casts.
template <DType D, class A>
  requires(is_literal<A>)
__forceinline__ auto cast(const A& a) {
  return Scalar<storage_of<D>>{convert<storage_of<D>>(plain(a))};
}
template <DType D, class A>
  requires(!is_literal<A>)
__forceinline__ auto cast(const A& a) {
  using T = storage_of<D>;
  using From = typename A::element;
  constexpr rules::Cast way =
      rules::cast_of(detail::form_of<A>(), dtype_of<From>, D, detail::index_of<A>(), cuda::affine_only);
  if constexpr (way == rules::Cast::same) {
    return a;
  } else if constexpr (way == rules::Cast::widened) {
    return shifted_index<1>(a, Scalar<long long, most_divisible>{0});
  } else if constexpr (way == rules::Cast::formula) {
    using S = typename A::shape_type;
    using F = detail::WidenedFormula<S, A>;
    return Formula<typename A::config, long long, S, F>{F{a}};
  } else if constexpr (is_scalar<A> && is_integer(D) && is_integer_storage<From>) {
    return Scalar<T, rules::divisibility_after_cast(A::divisibility, dtype_of<From>, D)>{convert<T>(a.v)};
  } else if constexpr (is_block<A> && same<From, float> && (same<T, Float16> || same<T, BFloat16>)) {
    Block<T, typename A::shape_type, typename A::layout> out;
#pragma unroll
    for (int r = 0; r + 1 < out.count; r += 2) {
      const unsigned pair = rounded_pair<T>(a.v[r], a.v[r + 1]);
      if constexpr (in_pairs<typename A::layout>()) out.v.words[r / 2] = pair;
      else out.v[r] = {static_cast<unsigned short>(pair)}, out.v[r + 1] = {static_cast<unsigned short>(pair >> 16)};
    }
    if constexpr (out.count == 1) out.v[0] = convert<T>(a.v[0]);
    return out;
  } else {
    return map<T>(a, [](From x) { return convert<T>(x); });
  }
}

// The same bits under another dtype of as many.
template <DType D, class A>
__forceinline__ auto bitcast(const A& a) {
  using T = storage_of<D>;
  using From = typename A::element;
  static_assert(sizeof(T) == sizeof(From) && same<T, bool> == same<From, bool>,
                "a bitcast keeps the number of bits: x.to(dtype) converts the value");
  return map<T>(a, [](From x) { return __builtin_bit_cast(T, x); });
}
template <DType D, class A>
__forceinline__ auto cast(const A& a, Bitcast) {
  return bitcast<D>(a);
}
// Rounded to the nearest, and where that is further from zero, the number before it: one less in the bits of either
// sign.
template <DType D, class A>
__forceinline__ auto cast(const A& a, TowardZero) {
  using T = storage_of<D>;
  using From = typename A::element;
  static_assert(is_float(dtype_of<From>) && is_float(D) && sizeof(T) < sizeof(From),
                "tl.rtz rounds floats to fewer bits: leave it out");
  using Wide = choice<same<From, double>, double, float>;
  return map<T>(a, [](From x) {
    const T nearest = convert<T>(x);
    const Wide before = convert<Wide>(x), after = convert<Wide>(nearest);
    const bool is_further = after < 0 ? after < before : after > before;
    using Bits = choice<sizeof(T) == 4, unsigned, choice<sizeof(T) == 2, unsigned short, unsigned char>>;
    return __builtin_bit_cast(T, static_cast<Bits>(__builtin_bit_cast(Bits, nearest) - is_further));
  });
}
template <class T, int N>
template <DType D, cast_way W>
__forceinline__ auto Scalar<T, N>::to(Dtype<D>, W way) const {
  return cast<D>(*this, way);
}
template <class Cfg, class I, class S, class C, int N>
template <DType D, cast_way W>
__forceinline__ auto Index<Cfg, I, S, C, N>::to(Dtype<D>, W way) const {
  return cast<D>(*this, way);
}
template <class Cfg, class I, class S, class F>
template <DType D, cast_way W>
__forceinline__ auto Formula<Cfg, I, S, F>::to(Dtype<D>, W way) const {
  return cast<D>(*this, way);
}
template <class T, class S, class L>
template <DType D, cast_way W>
__forceinline__ auto Block<T, S, L>::to(Dtype<D>, W way) const {
  return cast<D>(*this, way);
}

template <class T, int N>
template <DType D>
__forceinline__ auto Scalar<T, N>::to(Dtype<D>) const {
  return cast<D>(*this);
}
template <class Cfg, class I, class S, class C, int N>
template <DType D>
__forceinline__ auto Index<Cfg, I, S, C, N>::to(Dtype<D>) const {
  return cast<D>(*this);
}
template <class Cfg, class I, class S, class F>
template <DType D>
__forceinline__ auto Formula<Cfg, I, S, F>::to(Dtype<D>) const {
  return cast<D>(*this);
}
template <class Cfg, class S>
template <DType D>
__forceinline__ auto Box<Cfg, S>::to(Dtype<D>) const {
  return cast<D>(*this);
}
template <class Cfg, class S, class F>
template <DType D>
__forceinline__ auto Condition<Cfg, S, F>::to(Dtype<D>) const {
  return cast<D>(*this);
}
template <class T, class S, class L>
template <DType D>
__forceinline__ auto Block<T, S, L>::to(Dtype<D>) const {
  return cast<D>(*this);
}

template <class Cfg, class I, class S, class C, int N>
template <class U>
  requires(!same<U, Index<Cfg, I, S, C, N>>)
__forceinline__ Index<Cfg, I, S, C, N>& Index<Cfg, I, S, C, N>::operator=(const U& other) {
  static_assert(is_value<U> && same<shape_of<U>, S>,
                "assignment may not change a block's shape: give the result a name of its own");
  static_assert(
      same<typename U::element, I>,
      "assignment may not change a block's dtype: cast with .to(x.dtype), or give the result a name of its own");
  if constexpr (!is_value<U> || !same<shape_of<U>, S> || !same<typename U::element, I>) {
  } else if constexpr (!detail::can_hold<Index, U>()) {
    static_assert(same<U, Index>,
                  "assignment gives up what was known of these offsets: give the result a name of its own");
  } else {
    base = other.base;
#pragma unroll
    for (int i = 0; i < S::rank; ++i)
      if (is_run_time(C::at(i))) factor[i] = other.coefficient(i);
  }
  return *this;
}

template <class T, class S, class L>
template <class U>
  requires(!same<U, Block<T, S, L>>)
__forceinline__ Block<T, S, L>& Block<T, S, L>::operator=(const U& other) {
  static_assert(is_value<U> && same<shape_of<U>, S>,
                "assignment may not change a block's shape: give the result a name of its own");
  static_assert(
      same<typename U::element, T>,
      "assignment may not change a block's dtype: cast with .to(x.dtype), or give the result a name of its own");
  return *this = spread<T, S, L>(as_block(other));
}

// The same registers under another shape of equal row-major order.
template <class To, class T, class S, class L>
__forceinline__ Block<T, To, L> reshaped(const Block<T, S, L>& x) {
  Block<T, To, L> out;
#pragma unroll
  for (int r = 0; r < out.count; ++r) out.v[r] = x.v[r];
  return out;
}

template <class T, class S, class L>
template <class... Marks>
__forceinline__ auto Block<T, S, L>::operator()(Marks...) const {
  return reshaped<sliced_shape<S, Marks...>>(*this);
}

// mask[i] ? a[i] : b[i]
template <class M, class A, class B>
__forceinline__ auto where(const M& mask, const A& a, const B& b) {
  if constexpr (is_deferred<A> || is_deferred<B>) {
    return where(mask, as_block(a), as_block(b));
  } else if constexpr (is_literal<A> && is_literal<B>) {
    using T = storage_of<promote(dtype_of_literal(literal_kind<A>, detail::literal_value<A>()),
                                 dtype_of_literal(literal_kind<B>, detail::literal_value<B>()))>;
    return where(mask, Scalar<T>{convert<T>(plain(a))}, Scalar<T>{convert<T>(plain(b))});
  } else {
    using T = storage_of<detail::promoted<A, B>()>;
    using S = broadcast_shape<shape_of<M>, broadcast_shape<shape_of<A>, shape_of<B>>>;
    if constexpr (is_literal<A>) detail::check_literal<T>(a);
    if constexpr (is_literal<B>) detail::check_literal<T>(b);
    if constexpr (S::rank == 0) {
      return Scalar<T>{convert<bool>(plain(mask)) ? convert<T>(plain(a)) : convert<T>(plain(b))};
    } else if constexpr (rules::is_formula_choice(detail::form_of<M>(), detail::operand<A>(), detail::operand<B>(),
                                                  dtype_of<T>, cuda::affine_only)) {
      const auto x = detail::formula_operand<T>(a);
      const auto y = detail::formula_operand<T>(b);
      using F = detail::ChosenFormula<T, S, M, bare<decltype(x)>, bare<decltype(y)>>;
      using Cfg = typename choice<is_index<A> || is_formula<A>, A, B>::config;
      return Formula<Cfg, T, S, F>{F{mask, x, y}};
    } else {
      constexpr rules::Pair meet = rules::operands_of_where(detail::form_of<A>(), shape_of<A>::sizes,
                                                            detail::form_of<B>(), shape_of<B>::sizes, S::sizes);
      using X = choice<meet.first == 0, M, choice<meet.first == 1, A, B>>;
      using L = typename detail::MeetingLayout<X, choice<meet.second == 1, A, B>, S>::type;
      const auto m = spread<bool, S, L>(mask);
      const auto x = spread<T, S, L>(a);
      const auto y = spread<T, S, L>(b);
      Block<T, S, L> out;
#pragma unroll
      for (int r = 0; r < out.count; ++r) out.v[r] = m.v[r] ? x.v[r] : y.v[r];
      return out;
    }
  }
}

}  // namespace tl
