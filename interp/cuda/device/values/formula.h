// Integer blocks without a layout that are no affine index: any function of the coordinates, evaluated where a consumer
// wants it. What is known of its values along each axis is part of the type (rules/axis_info.h).
//
// `offs % n` of 64 offsets is a Formula whose function keeps the index and n. Where n and the base are multiples of 16,
// a load through it takes 16 neighbours at once, and evaluates the function once for them.
#pragma once

#include "interp/cuda/device/values/index.h"
#include "interp/rules/axis_info.h"

namespace tl {

template <class Cfg, class I, class S, class F>
struct Formula {
  using element = I;
  using config = Cfg;
  using shape_type = S;
  using function = F;
  static constexpr rules::AxisInfo axes = F::axes;
  static constexpr Dtype<dtype_of<I>> dtype{};
  static constexpr S shape{};

  F f;

  __forceinline__ I at(const Coordinates<S::rank>& c) const { return f.at(c); }

  Formula& operator=(const Formula&) = default;
  template <class U>
    requires(!same<U, Formula>)
  __forceinline__ Formula& operator=(const U&) {
    static_assert(same<U, Formula>,
                  "assignment gives up what was known of these offsets: give the result a name of its own");
    return *this;
  }
  explicit operator bool() const {
    static_assert(S::rank == 0,
                  "an if, && or || takes one value, and this is a block of them: choose lane by lane with tl.where, or "
                  "reduce the block");
    return false;
  }
  template <class... Marks>
  __forceinline__ auto operator()(Marks...) const;
  template <DType D>
  __forceinline__ auto to(Dtype<D>) const;
  template <DType D, cast_way W>
  __forceinline__ auto to(Dtype<D>, W) const;
};

template <class T>
inline constexpr bool is_formula = false;
template <class Cfg, class I, class S, class F>
inline constexpr bool is_formula<Formula<Cfg, I, S, F>> = true;

namespace detail {

template <class T>
struct AxesOf {  // of a scalar, constant or literal
  static constexpr rules::AxisInfo of(const rules::Sizes& shape) {
    return rules::uniform_axis_info(shape, divisibility<T>);
  }
};
template <class T>
  requires(is_index<T>)
struct AxesOf<T> {
  static constexpr rules::AxisInfo of(const rules::Sizes&) { return rules::axis_info(T::form, most_divisible); }
};
template <class T>
  requires(is_formula<T>)
struct AxesOf<T> {
  static constexpr rules::AxisInfo of(const rules::Sizes&) { return T::axes; }
};

// The operators of a formula; 0 of other values.
template <class T>
inline constexpr int operators_in = 0;
template <class Cfg, class I, class S, class F>
inline constexpr int operators_in<Formula<Cfg, I, S, F>> = F::operators;

template <class T>
constexpr rules::KnownValue known_value() {
  if constexpr (is_whole_constant<T>) return {true, static_cast<long long>(T::value)};
  else if constexpr (is_unit<T>) return {true, 1};
  else return {};
}

// A lane of an operand of any kind.
template <class I, class S, class A>
__forceinline__ I lane_of(const A& a, const Coordinates<S::rank>& c) {
  if constexpr (is_scalar<A> || is_literal<A>) return static_cast<I>(plain(a));
  else return static_cast<I>(a.at(broadcast_coordinates<S, typename A::shape_type>(c)));
}

// Whether no lane is negative, as far as the parts of a formula tell: what is known of a division holds only then.
template <class A>
__forceinline__ bool is_nonnegative(const A& a) {
  if constexpr (is_formula<A>) {
    return a.f.is_nonnegative();
  } else if constexpr (is_index<A>) {
    bool all = a.base >= 0;
#pragma unroll
    for (int i = 0; i < A::shape_type::rank; ++i)
      if (A::coefficients::at(i) != 0) all &= a.coefficient(i) >= 0;
    return all;
  } else {
    return plain(a) >= 0;
  }
}
// Whether what its type tells of its lanes holds. It does not where a division rounds negative numbers.
template <class A>
__forceinline__ bool is_regular(const A& a) {
  if constexpr (is_formula<A>) return a.f.is_regular();
  else return true;
}

// a Op b
template <class Op, class I, class S, class A, class B>
struct BinaryFormula {
  static constexpr int operators = 1 + operators_in<A> + operators_in<B>;
  static constexpr rules::AxisInfo axes = rules::axis_info_after(
      Op::code, AxesOf<A>::of(S::sizes), AxesOf<B>::of(S::sizes), known_value<B>(), S::sizes, most_divisible);
  A a;
  B b;
  __forceinline__ I at(const Coordinates<S::rank>& c) const {
    return Op::apply(lane_of<I, S>(a, c), lane_of<I, S>(b, c));
  }
  __forceinline__ bool is_nonnegative() const {
    using rules::Operator;
    constexpr Operator op = Op::code;
    if constexpr (op == Operator::subtract) return false;
    else if constexpr (op == Operator::remainder || op == Operator::shift_right) return detail::is_nonnegative(a);
    else if constexpr (op == Operator::maximum || op == Operator::bit_and)
      return detail::is_nonnegative(a) || detail::is_nonnegative(b);
    else return detail::is_nonnegative(a) && detail::is_nonnegative(b);
  }
  __forceinline__ bool is_regular() const {
    const bool parts = detail::is_regular(a) && detail::is_regular(b);
    constexpr bool may_break = Op::kind == rules::Kind::division && rules::has_pieces(AxesOf<A>::of(S::sizes));
    return may_break ? parts && detail::is_nonnegative(a) : parts;
  }
};

// In 64 bits.
template <class S, class A>
struct WidenedFormula {
  static constexpr int operators = operators_in<A>;
  static constexpr rules::AxisInfo axes = AxesOf<A>::of(S::sizes);
  A a;
  __forceinline__ long long at(const Coordinates<S::rank>& c) const { return a.at(c); }
  __forceinline__ bool is_nonnegative() const { return detail::is_nonnegative(a); }
  __forceinline__ bool is_regular() const { return detail::is_regular(a); }
};

// x(_, None) and its like
template <class S, class A, class Slicing>
struct SlicedFormula {
  static constexpr int operators = operators_in<A>;
  static constexpr rules::AxisInfo axes = rules::with_axes(A::axes, S::sizes, Slicing::sources());
  A a;
  __forceinline__ auto at(const Coordinates<S::rank>& c) const {
    Coordinates<A::shape_type::rank> from{};
#pragma unroll
    for (int i = 0; i < S::rank; ++i)
      if (!Slicing::none[i]) from.at[Slicing::source(i)] = c.at[i];
    return a.at(from);
  }
  __forceinline__ bool is_nonnegative() const { return detail::is_nonnegative(a); }
  __forceinline__ bool is_regular() const { return detail::is_regular(a); }
};

template <class S, class A>
struct StretchedFormula {
  static constexpr int operators = operators_in<A>;
  static constexpr rules::AxisInfo axes = rules::stretched(A::axes, S::sizes);
  A a;
  __forceinline__ auto at(const Coordinates<S::rank>& c) const {
    return a.at(broadcast_coordinates<S, typename A::shape_type>(c));
  }
  __forceinline__ bool is_nonnegative() const { return detail::is_nonnegative(a); }
  __forceinline__ bool is_regular() const { return detail::is_regular(a); }
};

// mask ? a : b
template <class I, class S, class M, class A, class B>
struct ChosenFormula {
  template <class X>
  static constexpr rules::Sizes sizes() {
    if constexpr (is_scalar<X> || is_literal<X>) return {};
    else return X::shape_type::sizes;
  }
  static constexpr int operators = 1 + operators_in<A> + operators_in<B>;
  static constexpr rules::AxisInfo axes =
      rules::axis_info_of_choice(sizes<M>(), AxesOf<A>::of(S::sizes), AxesOf<B>::of(S::sizes), S::sizes);
  M mask;
  A a;
  B b;
  __forceinline__ I at(const Coordinates<S::rank>& c) const {
    return lane_of<bool, S>(mask, c) ? lane_of<I, S>(a, c) : lane_of<I, S>(b, c);
  }
  __forceinline__ bool is_nonnegative() const { return detail::is_nonnegative(a) && detail::is_nonnegative(b); }
  __forceinline__ bool is_regular() const { return detail::is_regular(a) && detail::is_regular(b); }
};

// What the text says of the values of an index or a formula.
template <class S, class A, rules::Hint H, int Value>
struct HintedFormula {
  static constexpr int operators = operators_in<A>;
  static constexpr rules::AxisInfo axes = rules::hinted(AxesOf<A>::of(S::sizes), H, Value);
  A a;
  __forceinline__ auto at(const Coordinates<S::rank>& c) const { return a.at(c); }
  __forceinline__ bool is_nonnegative() const { return detail::is_nonnegative(a); }
  __forceinline__ bool is_regular() const { return true; }
};

// A number of the text that is no constant has a place of its own.
template <class I, class A>
__forceinline__ auto formula_operand(const A& a) {
  if constexpr (is_literal<A> && !is_constant<A>) return Scalar<I>{static_cast<I>(plain(a))};
  else return a;
}

}  // namespace detail

template <class Cfg, class I, class S, class F>
template <class... Marks>
__forceinline__ auto Formula<Cfg, I, S, F>::operator()(Marks...) const {
  using To = sliced_shape<S, Marks...>;
  using G = detail::SlicedFormula<To, Formula, detail::Sliced<S, Marks...>>;
  return Formula<Cfg, I, To, G>{G{*this}};
}

template <class To, class A>
__forceinline__ auto stretched_formula(const A& a) {
  using G = detail::StretchedFormula<To, A>;
  return Formula<typename A::config, typename A::element, To, G>{G{a}};
}

// a Op b, at least one of them an index or a formula, of one width.
template <class Op, class S, class A, class B>
__forceinline__ auto combined_formula(const A& a, const B& b) {
  using Function = choice<is_index<A> || is_formula<A>, A, B>;
  using I = typename Function::element;
  const auto x = detail::formula_operand<I>(a);
  const auto y = detail::formula_operand<I>(b);
  using F = detail::BinaryFormula<Op, I, S, bare<decltype(x)>, bare<decltype(y)>>;
  return Formula<typename Function::config, I, S, F>{F{x, y}};
}

}  // namespace tl
