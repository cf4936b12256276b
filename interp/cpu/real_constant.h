// Constants that are no integers: a float, which is weak in promotion as a literal is, and a text, which is compared.
#pragma once

#include "interp/cpu/constant.h"
#include "interp/lang/literal.h"

namespace tl::cpu {

class RealConstant {
 public:
  static constexpr bool is_no_size = true;
  constexpr explicit RealConstant(double value) : value(value) {}
  double value;
};
template <class E>
class RealConstantOf : public RealConstant {
 public:
  constexpr explicit RealConstantOf(RealConstant c) : RealConstant(c) {}
  constexpr operator double() const { return value; }
};

class TextConstant {
 public:
  static constexpr bool is_no_size = true;
  constexpr explicit TextConstant(const char* value) : value(value) {}
  const char* value;  // lives as long as the launch
};
template <class E>
class TextConstantOf : public TextConstant {
 public:
  constexpr explicit TextConstantOf(TextConstant c) : TextConstant(c) {}
};

template <class T>
concept AnyReal = std::derived_from<T, RealConstant>;
template <class T>
concept AnyText = std::derived_from<T, TextConstant>;

namespace made_by {
template <FixedText text>
struct Text;
}

// A constant of its own type, whatever it holds.
template <class E>
constexpr auto constant_of(Constant c) {
  return ConstantOf<E>(c);
}
template <class E>
constexpr auto constant_of(RealConstant c) {
  return RealConstantOf<E>(c);
}
template <class E>
constexpr auto constant_of(TextConstant c) {
  return TextConstantOf<E>(c);
}

// With another constant a float gives a constant; with a C++ number a double or a bool, as C++ has it.
#define TL_REAL_OPERATOR(op, Name)                                                             \
  template <class A, class B>                                                                  \
    requires((AnyReal<A> && (AnyReal<B> || AnyConstant<B>)) || (AnyConstant<A> && AnyReal<B>)) \
  constexpr auto operator op(A a, B b) {                                                       \
    const auto value = static_cast<double>(a.value) op static_cast<double>(b.value);           \
    using E = Expression<made_by::Name, A, B>;                                                 \
    if constexpr (std::same_as<decltype(value), const bool>)                                   \
      return ConstantOf<E>(static_cast<long long>(value), true);                               \
    else return RealConstantOf<E>(RealConstant(value));                                        \
  }
TL_REAL_OPERATOR(+, Sum)
TL_REAL_OPERATOR(-, Difference)
TL_REAL_OPERATOR(*, Product)
TL_REAL_OPERATOR(/, Quotient)
TL_REAL_OPERATOR(<, Less)
TL_REAL_OPERATOR(<=, LessEqual)
TL_REAL_OPERATOR(>, Greater)
TL_REAL_OPERATOR(>=, GreaterEqual)
TL_REAL_OPERATOR(==, Equal)
TL_REAL_OPERATOR(!=, NotEqual)
#undef TL_REAL_OPERATOR
template <AnyReal A>
constexpr auto operator-(A a) {
  return RealConstantOf<Expression<made_by::Negative, A>>(RealConstant(-a.value));
}

constexpr bool is_same_text(const char* a, const char* b) {
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}
// "relu"_c gives a constant; a plain "relu" a bool.
template <AnyText A, AnyText B>
constexpr auto operator==(A a, B b) {
  return ConstantOf<Expression<made_by::Equal, A, B>>(is_same_text(a.value, b.value), true);
}
template <AnyText A, AnyText B>
constexpr auto operator!=(A a, B b) {
  return ConstantOf<Expression<made_by::NotEqual, A, B>>(!is_same_text(a.value, b.value), true);
}
template <AnyText A>
constexpr bool operator==(A a, const char* b) {
  return is_same_text(a.value, b);
}

}  // namespace tl::cpu
