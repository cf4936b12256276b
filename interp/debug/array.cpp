#include "interp/debug/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::debug {

Array scalar(double value, Kind kind) { return {kind, {}, {value}}; }

Kind kind_of(DType dtype) {
  return dtype == DType::int1 ? Kind::boolean : is_float(dtype) ? Kind::floating : Kind::integer;
}

Array array_of(const trace::RecordedValue& value) {
  Array result{kind_of(value.dtype), {}, {}};
  result.shape.assign(value.shape.span().begin(), value.shape.span().end());
  const std::int64_t elems = value.shape.product();
  result.data.reserve(static_cast<std::size_t>(elems));
  for (std::int64_t i = 0; i < elems; ++i) result.data.push_back(trace::element_as_double(value, i));
  return result;
}

std::string text_of(double value, Kind kind, char base) {
  if (base == 'x' && kind != Kind::floating && std::isfinite(value) && value == std::trunc(value)) {
    const auto whole = static_cast<std::int64_t>(value);
    return whole < 0 ? fmt::format("-{:#x}", -whole) : fmt::format("{:#x}", whole);
  }
  if (base == 'd') {
    if (kind == Kind::boolean) return value != 0 ? "True" : "False";
    if (kind == Kind::integer && std::isfinite(value))
      return fmt::format("{:.0f}", std::trunc(value) + 0.0);  // of any size; no -0
  }
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.5g}", value);
}

namespace {

class Text {
 public:
  Text(const Array& a, const Printing& printing) : a_(a), printing_(printing) {
    if (!printing_.has_lines) return;
    axis(0, 0);  // finds the width of the widest element
    is_aligned_ = true;
  }
  std::string whole() { return axis(0, 0); }

 private:
  std::string element(std::int64_t at) {
    const auto i = static_cast<std::size_t>(at);
    const std::string text = !a_.unset.empty() && a_.unset[i] ? "?" : text_of(a_.data[i], a_.kind, printing_.base);
    if (is_aligned_) return fmt::format("{:>{}}", text, width_);
    width_ = std::max(width_, text.size());
    return text;
  }

  std::string axis(std::size_t axis_number, std::int64_t first) {
    if (axis_number == a_.shape.size()) return element(first);
    std::int64_t inner = 1;
    for (std::size_t d = axis_number + 1; d < a_.shape.size(); ++d) inner *= a_.shape[d];
    const bool is_last = axis_number + 1 == a_.shape.size();
    const std::int64_t whole = is_last ? printing_.whole : printing_.whole_rows,
                       edge = is_last ? printing_.edge : printing_.edge_rows;
    const std::string between = is_last || !printing_.has_lines ? " " : "\n" + std::string(axis_number + 3, ' ');
    const std::int64_t n = a_.shape[axis_number];
    std::string result = "[";
    for (std::int64_t i = 0; i < n; ++i) {
      if (n > whole && i == edge) {
        result += between + "...";
        i = n - edge;
      }
      if (i > 0) result += between;
      result += axis(axis_number + 1, first + i * inner);
    }
    return result + "]";
  }

  const Array& a_;
  const Printing printing_;
  std::size_t width_ = 0;
  bool is_aligned_ = false;
};

}  // namespace

std::string text_of(const Array& array, const Printing& printing) {
  Printing fitting = printing;
  fitting.has_lines = printing.has_lines && array.shape.size() > 1;
  if (array.shape.size() > 1 && printing.whole > 8) fitting.whole = 8, fitting.edge = 3;
  return (fitting.has_lines ? "\n  " : "") + Text(array, fitting).whole();
}

std::string type_text(DType dtype, std::span<const std::int64_t> shape) {
  std::string result = name_of(dtype);
  for (std::size_t d = 0; d < shape.size(); ++d) result.append(d ? "," : "[").append(std::to_string(shape[d]));
  if (!shape.empty()) result += ']';
  return result;
}

}  // namespace tl::debug
