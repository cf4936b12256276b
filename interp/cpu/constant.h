// Compile-time constants of the language. Here they are run-time values, so that a slider changes a block size at once.
// Each expression has a type of its own, as on CUDA, where each value has one: `c ? BM : BN` is a plain int on both.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tl::cpu {

class Constant {
 public:
  constexpr Constant() = default;
  constexpr explicit Constant(long long value, bool is_bool = false) : value(value), is_bool(is_bool) {}
  constexpr explicit operator bool() const { return value != 0; }
  template <std::integral T>
  constexpr explicit operator T() const {
    return static_cast<T>(value);
  }

  long long value = 0;
  bool is_bool = false;
};

[[noreturn]] void fail_wide_constant(long long value);  // Faults
[[noreturn]] void fail_constant_division();

// What a constant is made of: an operator and its operands, a literal's value, a parameter's position.
template <class Operator, class... Operands>
struct Expression;
namespace made_by {
struct Sum;
struct Difference;
struct Product;
struct Quotient;
struct Remainder;
struct ShiftLeft;
struct ShiftRight;
struct And;
struct Or;
struct Xor;
struct Less;
struct LessEqual;
struct Greater;
struct GreaterEqual;
struct Equal;
struct NotEqual;
struct Both;
struct Either;
struct Not;
struct Negative;
struct Complement;
struct Least;
struct Greatest;
struct Size;
struct Rank;
struct Turn;
struct Choice;
struct Absence;
template <long long value>
struct Literal;
template <std::size_t position>
struct Parameter;
}  // namespace made_by

template <class E>
class ConstantOf : public Constant {
 public:
  using Constant::Constant;
  constexpr explicit ConstantOf(Constant c) : Constant(c) {}
  constexpr operator int() const {
    if (value != static_cast<int>(value)) fail_wide_constant(value);
    return static_cast<int>(value);
  }
};

template <class T>
concept AnyConstant = std::derived_from<T, Constant>;
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Constant with constant gives a constant; with a C++ number, that number's type.
#define TL_CONSTANT_OPERATOR(op, Name, boolean)                                                              \
  template <AnyConstant A, AnyConstant B>                                                                    \
  constexpr auto operator op(A a, B b) {                                                                     \
    return ConstantOf<Expression<made_by::Name, A, B>>(static_cast<long long>(a.value op b.value), boolean); \
  }                                                                                                          \
  template <AnyConstant A, Number T>                                                                         \
  constexpr auto operator op(A a, T b) {                                                                     \
    return static_cast<T>(a.value) op b;                                                                     \
  }                                                                                                          \
  template <Number T, AnyConstant B>                                                                         \
  constexpr auto operator op(T a, B b) {                                                                     \
    return a op static_cast<T>(b.value);                                                                     \
  }
TL_CONSTANT_OPERATOR(+, Sum, false)
TL_CONSTANT_OPERATOR(-, Difference, false)
TL_CONSTANT_OPERATOR(*, Product, false)
TL_CONSTANT_OPERATOR(<<, ShiftLeft, false)
TL_CONSTANT_OPERATOR(>>, ShiftRight, false)
TL_CONSTANT_OPERATOR(&, And, false)
TL_CONSTANT_OPERATOR(|, Or, false)
TL_CONSTANT_OPERATOR(^, Xor, false)
TL_CONSTANT_OPERATOR(<, Less, true)
TL_CONSTANT_OPERATOR(<=, LessEqual, true)
TL_CONSTANT_OPERATOR(>, Greater, true)
TL_CONSTANT_OPERATOR(>=, GreaterEqual, true)
TL_CONSTANT_OPERATOR(==, Equal, true)
TL_CONSTANT_OPERATOR(!=, NotEqual, true)
#undef TL_CONSTANT_OPERATOR

#define TL_CONSTANT_DIVISION(op, Name)                                      \
  template <AnyConstant A, AnyConstant B>                                   \
  constexpr auto operator op(A a, B b) {                                    \
    if (b.value == 0) fail_constant_division();                             \
    return ConstantOf<Expression<made_by::Name, A, B>>(a.value op b.value); \
  }                                                                         \
  template <AnyConstant A, std::integral T>                                 \
  constexpr auto operator op(A a, T b) {                                    \
    if (b == 0) fail_constant_division();                                   \
    return static_cast<T>(a.value) op b;                                    \
  }                                                                         \
  template <std::integral T, AnyConstant B>                                 \
  constexpr auto operator op(T a, B b) {                                    \
    if (b.value == 0) fail_constant_division();                             \
    return a op static_cast<T>(b.value);                                    \
  }
TL_CONSTANT_DIVISION(/, Quotient)
TL_CONSTANT_DIVISION(%, Remainder)
#undef TL_CONSTANT_DIVISION
template <AnyConstant A, std::floating_point T>
constexpr T operator/(A a, T b) {
  return static_cast<T>(a.value) / b;
}
template <std::floating_point T, AnyConstant B>
constexpr T operator/(T a, B b) {
  return a / static_cast<T>(b.value);
}

template <AnyConstant A, AnyConstant B>
constexpr auto operator&&(A a, B b) {
  return ConstantOf<Expression<made_by::Both, A, B>>(a.value && b.value, true);
}
template <AnyConstant A, AnyConstant B>
constexpr auto operator||(A a, B b) {
  return ConstantOf<Expression<made_by::Either, A, B>>(a.value || b.value, true);
}
template <AnyConstant A>
constexpr auto operator!(A a) {
  return ConstantOf<Expression<made_by::Not, A>>(!a.value, true);
}
template <AnyConstant A>
constexpr auto operator-(A a) {
  return ConstantOf<Expression<made_by::Negative, A>>(-a.value);
}
template <AnyConstant A>
constexpr auto operator~(A a) {
  return ConstantOf<Expression<made_by::Complement, A>>(~a.value);
}
template <AnyConstant A, AnyConstant B>
constexpr auto least(A a, B b) {
  return ConstantOf<Expression<made_by::Least, A, B>>(a.value < b.value ? a.value : b.value);
}
template <AnyConstant A, AnyConstant B>
constexpr auto greatest(A a, B b) {
  return ConstantOf<Expression<made_by::Greatest, A, B>>(a.value > b.value ? a.value : b.value);
}

// What an op accepts where the language wants a constant: a constant, or the literal 0. Anything else is refused with
// one sentence.
class FixedInt {
  struct Zero;
  template <class T>
  static constexpr bool never = false;

 public:
  constexpr FixedInt() = default;  // absent
  constexpr FixedInt(Constant c) : value(c.value), present(true) {}
  constexpr FixedInt(const Zero*) : value(0), present(true) {}  // only the literal 0 converts to a null pointer
  template <int chosen = 0>
  FixedInt(...) {  // the worst match, so a plain int other than the literal 0 ends here
    static_assert(chosen != 0,
                  "this size or axis must be a constant: write 64_c, or take it as a `constexpr_ auto` parameter "
                  "(`?:` makes a plain int of two constants: tl.static_if keeps them)");
  }
  template <class T>
    requires(std::is_class_v<T> && !AnyConstant<T> && !std::same_as<T, FixedInt>)
  FixedInt(const T&) {
    static_assert(!requires { T::is_no_size; }, "this constant is a float or a text, and a size or axis is an integer");
    static_assert(
        never<T> || requires { T::is_no_size; },
        "this size or axis must be a constant: write 64_c, or take it as a `constexpr_ auto` parameter "
        "(`?:` makes a plain int of two constants: tl.static_if keeps them)");
  }

  long long value = 0;
  bool present = false;
};

}  // namespace tl::cpu
