// A Python name as C++ has it: its words are taken, a dot and other letters are none of a name's.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/triton/emission.h"

namespace tl::triton {

namespace {

// Words of C++ and of the language.
constexpr std::string_view taken[] = {"alignas",
                                      "alignof",
                                      "and",
                                      "and_eq",
                                      "asm",
                                      "assert",
                                      "auto",
                                      "bitand",
                                      "bitor",
                                      "bool",
                                      "break",
                                      "case",
                                      "catch",
                                      "char",
                                      "char16_t",
                                      "char32_t",
                                      "char8_t",
                                      "class",
                                      "co_await",
                                      "co_return",
                                      "co_yield",
                                      "compl",
                                      "concept",
                                      "const",
                                      "const_cast",
                                      "consteval",
                                      "constexpr",
                                      "constinit",
                                      "continue",
                                      "decltype",
                                      "default",
                                      "delete",
                                      "do",
                                      "double",
                                      "dynamic_cast",
                                      "else",
                                      "enum",
                                      "errno",
                                      "explicit",
                                      "export",
                                      "extern",
                                      "false",
                                      "float",
                                      "for",
                                      "friend",
                                      "goto",
                                      "if",
                                      "inline",
                                      "int",
                                      "long",
                                      "mutable",
                                      "namespace",
                                      "new",
                                      "noexcept",
                                      "not",
                                      "not_eq",
                                      "nullptr",
                                      "operator",
                                      "or",
                                      "or_eq",
                                      "private",
                                      "protected",
                                      "public",
                                      "register",
                                      "reinterpret_cast",
                                      "requires",
                                      "return",
                                      "short",
                                      "signed",
                                      "sizeof",
                                      "static",
                                      "static_assert",
                                      "static_cast",
                                      "struct",
                                      "switch",
                                      "template",
                                      "this",
                                      "thread_local",
                                      "throw",
                                      "true",
                                      "try",
                                      "typedef",
                                      "typeid",
                                      "typename",
                                      "union",
                                      "unsigned",
                                      "using",
                                      "virtual",
                                      "void",
                                      "volatile",
                                      "wchar_t",
                                      "while",
                                      "xor",
                                      "xor_eq",
                                      "NULL",
                                      "EOF",
                                      "stdin",
                                      "stdout",
                                      "stderr",
                                      "linux",
                                      "unix",
                                      "tl",
                                      "ptr",
                                      "int_",
                                      "float_",
                                      "descriptor",
                                      "constexpr_",
                                      "None",
                                      "inf",
                                      "_"};

}  // namespace

std::string cpp_name(std::string_view name) {
  std::string made;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') made += c;
    else if (c == '.') made += '_';
    else made += fmt::format("u{:02x}", static_cast<unsigned char>(c));
  }
  if (made.empty() || std::isdigit(static_cast<unsigned char>(made[0]))) made = "x" + made;
  if (made == "_") return "unused";
  return std::ranges::count(taken, made) ? made + "_1" : made;
}

}  // namespace tl::triton
