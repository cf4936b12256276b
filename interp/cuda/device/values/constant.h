// Compile-time values as types: constant<V>, the literal 2_c, Shape<...>, axes, and the marks of None-slicing.
#pragma once

#include "interp/lang/literal.h"
#include "interp/rules/shape.h"

namespace tl {

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

template <bool C, class A, class B>
struct Choice {
  using type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using type = B;
};
template <bool C, class A, class B>
using choice = typename Choice<C, A, B>::type;

template <class T>
struct Bare {
  using type = T;
};
template <class T>
struct Bare<T&> : Bare<T> {};
template <class T>
struct Bare<T&&> : Bare<T> {};
template <class T>
struct Bare<const T> : Bare<T> {};
template <class T>
using bare = typename Bare<T>::type;

template <auto V>
struct constant {
  using type = bare<decltype(V)>;
  static constexpr type value = V;
  constexpr operator type() const { return V; }
};

template <class T>
inline constexpr bool is_constant = false;
template <auto V>
inline constexpr bool is_constant<constant<V>> = true;

// A dtype is one, too, as a kernel's argument.
template <class T>
inline constexpr bool is_constant_argument = is_constant<T>;
template <class T>
concept constexpr_ = is_constant_argument<bare<T>>;

#define TL_CONSTANT_OPERATOR(OP)                                       \
  template <auto A, auto B>                                            \
  constexpr constant<(A OP B)> operator OP(constant<A>, constant<B>) { \
    return {};                                                         \
  }
TL_CONSTANT_OPERATOR(+)
TL_CONSTANT_OPERATOR(-)
TL_CONSTANT_OPERATOR(*)
TL_CONSTANT_OPERATOR(/)
TL_CONSTANT_OPERATOR(%)
TL_CONSTANT_OPERATOR(<<)
TL_CONSTANT_OPERATOR(>>)
TL_CONSTANT_OPERATOR(&)
TL_CONSTANT_OPERATOR(|)
TL_CONSTANT_OPERATOR(^)
TL_CONSTANT_OPERATOR(&&)
TL_CONSTANT_OPERATOR(||)
TL_CONSTANT_OPERATOR(<)
TL_CONSTANT_OPERATOR(<=)
TL_CONSTANT_OPERATOR(>)
TL_CONSTANT_OPERATOR(>=)
TL_CONSTANT_OPERATOR(==)
TL_CONSTANT_OPERATOR(!=)
#undef TL_CONSTANT_OPERATOR
template <auto A>
constexpr constant<-A> operator-(constant<A>) {
  return {};
}
template <auto A>
constexpr constant<!A> operator!(constant<A>) {
  return {};
}
template <auto A>
constexpr constant<~A> operator~(constant<A>) {
  return {};
}

template <class T>
inline constexpr bool is_text = false;
template <int N>
inline constexpr bool is_text<FixedText<N>> = true;
// A text beside a plain "relu" gives a bool, beside "relu"_c a constant.
template <auto A, int N>
  requires(is_text<typename constant<A>::type>)
constexpr bool operator==(constant<A> a, const char (&text)[N]) {
  if constexpr (sizeof(a.value.at) != N) return false;
  else {
    for (int i = 0; i < N; ++i)
      if (a.value.at[i] != text[i]) return false;
    return true;
  }
}
// An enumerator, of any enum.
template <auto A, class E>
  requires(__is_enum(E))
constexpr bool operator==(constant<A>, E b) {
  return static_cast<E>(A) == b;
}
template <class T>
inline constexpr bool is_real_constant = false;
template <auto V>
inline constexpr bool is_real_constant<constant<V>> = same<typename constant<V>::type, double>;
template <class T>
inline constexpr bool is_whole_constant = false;
template <auto V>
inline constexpr bool is_whole_constant<constant<V>> =
    !same<typename constant<V>::type, double> && !is_text<typename constant<V>::type>;

// Where a constant is wanted the literal 0 may stand for 0_c: it converts to a null pointer, which any other plain int
// does not.
using Zero = decltype(nullptr);

template <char... C>
consteval auto operator""_c() {
  constexpr long long value = literal_value<C...>();
  if constexpr (value == static_cast<int>(value)) return constant<static_cast<int>(value)>{};
  else return constant<value>{};
}

template <FixedText text>
consteval auto operator""_c() {
  return constant<text>{};
}

struct AnyInt {
  constexpr AnyInt(int value) : v(value) {}
  int v;
};

inline constexpr int largest_block = 1 << 20;  // Triton's limit
constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }
constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

template <int... N>
struct Shape {
  static constexpr int rank = sizeof...(N);
  static constexpr int size = (1 * ... * N);
  static constexpr rules::Sizes sizes{N...};
  static constexpr int at(int axis) {
    const int sizes[] = {N..., 1};
    return sizes[axis];
  }
  // Elements from one index of `axis` to the next, row-major.
  static constexpr int stride(int axis) {
    int s = 1;
    for (int i = rank - 1; i > axis; --i) s *= at(i);
    return s;
  }
  static constexpr int coordinate(int flat, int axis) { return flat / stride(axis) % at(axis); }
  template <auto I>
  constexpr auto operator[](constant<I>) const {
    return constant<at(I < 0 ? I + rank : I)>{};
  }
  constexpr auto operator[](Zero) const { return (*this)[constant<0>{}]; }
};

template <int... A>
struct Axes {
  static constexpr int count = sizeof...(A);
  static constexpr rules::Sizes sizes{A...};
  static constexpr int at(int i) {
    const int axes[] = {A..., 0};
    return axes[i];
  }
  static constexpr bool has(int axis) { return ((A == axis) || ...); }
};

template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};
template <int N>
using make_indices = typename MakeIndices<N>::type;

// x(_, None) is x[:, None].
struct Colon {};
struct NoneAxis {};
inline constexpr Colon _{};
inline constexpr NoneAxis None{};

inline constexpr float inf = __builtin_bit_cast(float, 0x7f800000);

namespace detail {
// The sizes of `S` with a 1 where the slice says None.
template <class S, class... Marks>
struct Sliced {
  static constexpr bool none[] = {same<Marks, NoneAxis>...};
  static constexpr int colons = (0 + ... + same<Marks, Colon>);
  static_assert(
      colons == S::rank,
      "a None-slice keeps each axis of the block: write one _ for each of its axes, and None for each new one");
  static constexpr int source(int axis) {  // the source axis behind an axis of the result
    int s = 0;
    for (int i = 0; i < axis; ++i) s += !none[i];
    return s;
  }
  static constexpr rules::Sizes sources() {  // -1 behind a new one
    rules::Sizes all;
    for (int i = 0; i < static_cast<int>(sizeof...(Marks)); ++i) all.add(none[i] ? -1 : source(i));
    return all;
  }
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    using type = Shape<(none[I] ? 1 : S::at(source(I)))...>;
  };
  using type = typename Make<make_indices<sizeof...(Marks)>>::type;
};

template <class A, class B>
struct BroadcastShape {
  static constexpr int rank = A::rank > B::rank ? A::rank : B::rank;
  static constexpr int size(int axis) {
    const int i = axis - (rank - A::rank), j = axis - (rank - B::rank);
    const int a = i < 0 ? 1 : A::at(i), b = j < 0 ? 1 : B::at(j);
    return a == 1 ? b : b == 1 || a == b ? a : -1;
  }
  template <class I>
  struct Make;
  template <int... I>
  struct Make<Indices<I...>> {
    static_assert(
        ((size(I) > 0) && ...),
        "shapes do not broadcast: each axis must be equal or 1; insert an axis with x(_, None) or x(None, _)");
    using type = Shape<size(I)...>;
  };
  using type = typename Make<make_indices<rank>>::type;
};
}  // namespace detail

template <class S, class... Marks>
using sliced_shape = typename detail::Sliced<S, Marks...>::type;
template <class A, class B>
using broadcast_shape = typename detail::BroadcastShape<A, B>::type;

}  // namespace tl
