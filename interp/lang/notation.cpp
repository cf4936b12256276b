#include "interp/lang/notation.h"

#include <charconv>
#include <cmath>
#include <iterator>

#include "interp/lang/file_name.h"

namespace tl {

Notation::Notation(std::string_view file) : is_python_(file.empty() || tl::is_python(file)) {}

std::string Notation::option(std::string_view name) const {
  if (is_python_) return std::string(name == "padding" ? "padding_option" : name);
  return '.' + std::string(name);
}

std::string Notation::options(std::initializer_list<std::pair<std::string_view, std::string_view>> all) const {
  std::string text;
  for (const auto& [name, value] : all)
    text += (text.empty() ? "" : ", ") + option(name) + (is_python_ ? "=" : " = ") + std::string(value);
  return is_python_ ? text : '{' + text + '}';
}

std::string Notation::shape(std::initializer_list<std::string_view> sizes) const {
  std::string text;
  for (const std::string_view size : sizes) {
    const bool is_number = size[0] >= '0' && size[0] <= '9';
    text += (text.empty() ? "" : ", ") + (is_number ? constant(size) : std::string(size));
  }
  return is_python_ ? '(' + text + (sizes.size() == 1 ? ",)" : ")") : "tl.shape(" + text + ')';
}

std::string Notation::axes(int count) const {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + constant(std::to_string(i));
  return is_python_ ? '(' + text + (count == 1 ? ",)" : ")") : "tl.axes(" + text + ')';
}

std::string Notation::constant(std::string_view text) const { return std::string(text) + (is_python_ ? "" : "_c"); }

std::string Notation::number(double x) const {
  if (std::isinf(x)) return (x < 0 ? "-" : "") + std::string(is_python_ ? "float('inf')" : "tl.inf");
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), x).ptr};
}

std::string Notation::op(Op op) const {
  if (op == Op::cast) return ".to";
  if (op == Op::slice) return column();
  if (op == Op::logical_not && is_python_) return "not";
  return info_of(op).text;
}

}  // namespace tl
