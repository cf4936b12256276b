// 0-d values: integers that know what divides them, floats, bools. And what the other kinds of values are called.
#pragma once

#include "interp/cuda/device/config.h"
#include "interp/cuda/device/values/storage.h"
#include "interp/rules/index.h"

namespace tl {

using rules::least;
// Divisibilities are powers of two, at most this; 0 has all of it.
inline constexpr int most_divisible = rules::most_divisible(cuda::formulas);
constexpr int divisibility_of(long long value) { return rules::divisibility_of(value, most_divisible); }
constexpr int divisibility_of_product(int a, int b) { return rules::divisibility_of_product(a, b, most_divisible); }

// An int argument that equals 1 has this for a divisibility, so that a stride of 1 is known.
inline constexpr int is_one = -1;

// tl.pointer_type(tl.float16): what an address in memory becomes by `to`.
template <DType D>
struct PointerTo {};

template <class T, int Divisibility>
struct Scalar;
template <class U, class T>
inline constexpr bool is_same_scalar = false;
template <class T, int D>
inline constexpr bool is_same_scalar<Scalar<T, D>, T> = true;

template <class T, int Divisibility = 1>
struct Scalar {
  using element = T;
  static constexpr Dtype<dtype_of<T>> dtype{};
  static constexpr Shape<> shape{};
  static constexpr int divisibility = Divisibility == is_one ? 1 : Divisibility;
  T v;

  explicit operator bool() const { return convert<bool>(v); }
  template <DType D>
  auto to(Dtype<D>) const;
  template <DType D, cast_way W>
  auto to(Dtype<D>, W) const;
  template <DType D>
  auto to(PointerTo<D>) const;
  template <class... Marks>
  __forceinline__ Scalar operator()(Marks...) const {
    static_assert(sizeof...(Marks) == 0,
                  "one value has no axes to slice: it joins a block of any shape as it is; tl.full(tl.shape(1_c), x, "
                  "x.dtype) makes a block of it");
    return *this;
  }
  Scalar& operator=(const Scalar&) = default;
  // A stronger one may be assigned to a weaker one.
  template <int D>
    requires(D != Divisibility)
  Scalar& operator=(const Scalar<T, D>& other) {
    static_assert(
        Divisibility == 1 || (Divisibility != is_one && rules::can_hold(Divisibility, Scalar<T, D>::divisibility)),
        "assignment gives up what was known of this scalar: declare it from tl.multiple_of(x, 1_c), or say x "
        "= tl.multiple_of(x, 16_c) where that is true");
    v = other.v;
    return *this;
  }
  // A literal that would take this dtype beside it. What is no scalar of this dtype, and other pointers (pointer.h),
  // are refused in the interpreter's words.
  template <class U>
    requires(!is_same_scalar<U, T>)
  __forceinline__ Scalar& operator=(const U&);
};

template <class T, int Divisibility = 1>
using Int = Scalar<T, Divisibility>;
using Float = Scalar<float>;

template <class T>
inline constexpr bool is_scalar = false;
template <class T, int D>
inline constexpr bool is_scalar<Scalar<T, D>> = true;

template <class T>
inline constexpr bool is_unit = false;
template <class T>
inline constexpr bool is_unit<Scalar<T, is_one>> = true;

template <class T>
inline constexpr bool is_literal =
    is_constant<T> || same<T, int> || same<T, long> || same<T, long long> || same<T, unsigned> ||
    same<T, unsigned long> || same<T, unsigned long long> || same<T, bool> || same<T, float> || same<T, double>;

template <class T>
inline constexpr bool is_integer_storage = is_integer(dtype_of<T>);

namespace detail {
template <class T>
struct IntOf {
  static constexpr bool value = false;
};
template <class T, int D>
struct IntOf<Scalar<T, D>> {
  static constexpr bool value = same<T, int> || same<T, long long>;
};
template <class T>
struct FloatOf {
  static constexpr bool value = false;
};
template <>
struct FloatOf<Scalar<float>> {
  static constexpr bool value = true;
};
}  // namespace detail

// Helpers are passed constants and C++ numbers as well.
template <class T>
concept int_ = detail::IntOf<bare<T>>::value || is_whole_constant<bare<T>> ||
               (!is_constant<bare<T>> && is_literal<bare<T>> && !same<bare<T>, float> && !same<bare<T>, double>);
template <class T>
concept float_ =
    detail::FloatOf<bare<T>>::value || is_real_constant<bare<T>> || same<bare<T>, float> || same<bare<T>, double>;

// The kind, type and value of a literal or a constant.
template <class T>
struct Literal {
  using type = T;
};
template <auto V>
struct Literal<constant<V>> {
  using type = typename constant<V>::type;
};
template <class T>
inline constexpr LiteralKind literal_kind =
    same<typename Literal<T>::type, bool>                                               ? LiteralKind::boolean
    : same<typename Literal<T>::type, float> || same<typename Literal<T>::type, double> ? LiteralKind::real
                                                                                        : LiteralKind::integer;

// What divides an integer scalar, a constant or a literal.
template <class T>
inline constexpr int divisibility = 1;
template <class T, int D>
inline constexpr int divisibility<Scalar<T, D>> = Scalar<T, D>::divisibility;
template <auto V>
  requires(is_whole_constant<constant<V>>)
inline constexpr int divisibility<constant<V>> = divisibility_of(V);
// The literal 0, where an overload could tell.
struct ZeroLiteral {
  constexpr operator int() const { return 0; }
};
template <>
inline constexpr int divisibility<ZeroLiteral> = most_divisible;

// As a plain C++ number, one of those that dtypes are stored as.
template <class T>
__forceinline__ auto plain(const T& x) {
  if constexpr (is_scalar<T>) return x.v;
  else if constexpr (is_constant<T>) return T::value;
  else if constexpr (same<T, ZeroLiteral>) return 0;
  else if constexpr (same<T, long> || same<T, unsigned long> || same<T, unsigned long long>)
    return static_cast<long long>(x);
  else return x;
}

}  // namespace tl
