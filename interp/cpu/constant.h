// Compile-time constants of the language. Here they are run-time values of a closed type, so that a slider changes a
// block size at once.
#pragma once

#include <concepts>
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

// Constant with constant gives a constant; with a C++ number, that number's type.
#define TL_CONSTANT_OPERATOR(op, boolean)                                              \
  constexpr Constant operator op(Constant a, Constant b) {                             \
    return Constant(static_cast<long long>(a.value op b.value), boolean);              \
  }                                                                                    \
  template <class T>                                                                   \
  requires std::is_arithmetic_v<T>                                                     \
  constexpr auto operator op(Constant a, T b) { return static_cast<T>(a.value) op b; } \
  template <class T>                                                                   \
  requires std::is_arithmetic_v<T>                                                     \
  constexpr auto operator op(T a, Constant b) { return a op static_cast<T>(b.value); }
TL_CONSTANT_OPERATOR(+, false)
TL_CONSTANT_OPERATOR(-, false)
TL_CONSTANT_OPERATOR(*, false)
TL_CONSTANT_OPERATOR(<<, false)
TL_CONSTANT_OPERATOR(>>, false)
TL_CONSTANT_OPERATOR(&, false)
TL_CONSTANT_OPERATOR(|, false)
TL_CONSTANT_OPERATOR(^, false)
TL_CONSTANT_OPERATOR(<, true)
TL_CONSTANT_OPERATOR(<=, true)
TL_CONSTANT_OPERATOR(>, true)
TL_CONSTANT_OPERATOR(>=, true)
TL_CONSTANT_OPERATOR(==, true)
TL_CONSTANT_OPERATOR(!=, true)
#undef TL_CONSTANT_OPERATOR

[[noreturn]] void fail_constant_division();  // a Fault

#define TL_CONSTANT_DIVISION(op)                           \
  constexpr Constant operator op(Constant a, Constant b) { \
    if (b.value == 0) fail_constant_division();            \
    return Constant(a.value op b.value);                   \
  }                                                        \
  template <std::integral T>                               \
  constexpr auto operator op(Constant a, T b) {            \
    if (b == 0) fail_constant_division();                  \
    return static_cast<T>(a.value) op b;                   \
  }                                                        \
  template <std::integral T>                               \
  constexpr auto operator op(T a, Constant b) {            \
    if (b.value == 0) fail_constant_division();            \
    return a op static_cast<T>(b.value);                   \
  }
TL_CONSTANT_DIVISION(/)
TL_CONSTANT_DIVISION(%)
#undef TL_CONSTANT_DIVISION
template <std::floating_point T>
constexpr T operator/(Constant a, T b) {
  return static_cast<T>(a.value) / b;
}
template <std::floating_point T>
constexpr T operator/(T a, Constant b) {
  return a / static_cast<T>(b.value);
}

constexpr Constant operator&&(Constant a, Constant b) { return Constant(a.value && b.value, true); }
constexpr Constant operator||(Constant a, Constant b) { return Constant(a.value || b.value, true); }
constexpr Constant operator!(Constant a) { return Constant(!a.value, true); }
constexpr Constant operator-(Constant a) { return Constant(-a.value); }

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
                  "this size or axis must be a constant: write 64_c, or take it as a `constexpr_ auto` parameter");
  }
  template <class T>
  requires(std::is_class_v<T> && !std::same_as<T, Constant> && !std::same_as<T, FixedInt>) FixedInt(const T&) {
    static_assert(never<T>,
                  "this size or axis must be a constant: write 64_c, or take it as a `constexpr_ auto` parameter");
  }

  long long value = 0;
  bool present = false;
};

}  // namespace tl::cpu
