// The names a kernel uses without a prefix, bound to the interpreter's types.
#pragma once

#include <concepts>

#include "interp/cpu/context.h"
#include "interp/cpu/names.h"
#include "interp/lang/literal.h"

namespace tl {

using cpu::Block;
using cpu::Constant;
using cpu::Descriptor;
using cpu::Pointer;

template <class T>
concept ptr = std::same_as<T, Pointer>;
template <class T>
concept int_ = std::same_as<T, Block> || std::integral<T> || cpu::AnyConstant<T>;
template <class T>
concept float_ = std::same_as<T, Block> || std::floating_point<T> || cpu::AnyReal<T>;
template <class T>
concept descriptor = std::same_as<T, Descriptor>;
template <class T>
concept constexpr_ = cpu::AnyConstant<T> || cpu::AnyReal<T> || cpu::AnyText<T> || cpu::is_dtype_constant<T>;

inline constexpr cpu::Everything _{};
inline constexpr cpu::NewAxis None{};
inline constexpr double inf = __builtin_inf();

template <char... C>
constexpr auto operator""_c() {
  constexpr long long value = literal_value<C...>();
  return cpu::ConstantOf<cpu::Expression<cpu::made_by::Literal<value>>>(value);
}
template <FixedText text>
constexpr auto operator""_c() {
  // The template's argument has static storage.
  return cpu::TextConstantOf<cpu::Expression<cpu::made_by::Text<text>>>(cpu::TextConstant(text.at));
}

}  // namespace tl
