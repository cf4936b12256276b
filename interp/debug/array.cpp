#include "interp/debug/array.h"

#include <fmt/format.h>

#include <cmath>

namespace tl::debug {

Array scalar(double value, Kind kind) { return {kind, {}, {value}}; }

Kind kind_of(DType dtype) { return dtype == DType::int1 ? Kind::boolean : is_float(dtype) ? Kind::floating : Kind::integer; }

Array array_of(const trace::RecordedValue& value) {
  Array result{kind_of(value.dtype), {}, {}};
  result.shape.assign(value.shape.span().begin(), value.shape.span().end());
  const std::int64_t elems = value.shape.product();
  result.data.reserve(static_cast<std::size_t>(elems));
  for (std::int64_t i = 0; i < elems; ++i) result.data.push_back(trace::element_as_double(value, i));
  return result;
}

std::string text_of(double value, Kind kind, char base) {
  if (base == 'x' && std::isfinite(value) && value == std::trunc(value)) {
    const auto whole = static_cast<std::int64_t>(value);
    return whole < 0 ? fmt::format("-{:#x}", -whole) : fmt::format("{:#x}", whole);
  }
  if (base == 'd') {
    if (kind == Kind::boolean) return value != 0 ? "True" : "False";
    if (kind == Kind::integer && std::isfinite(value)) return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{:.5g}", value);
}

namespace {

std::string axis_text(const Array& a, const Printing& printing, std::size_t axis, std::int64_t first) {
  if (axis == a.shape.size()) return text_of(a.data[static_cast<std::size_t>(first)], a.kind, printing.base);
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < a.shape.size(); ++d) inner *= a.shape[d];
  const bool is_last = axis + 1 == a.shape.size();
  const std::int64_t whole = is_last ? printing.whole : printing.whole_rows, edge = is_last ? printing.edge : printing.edge_rows;
  const std::int64_t n = a.shape[axis];
  std::string result = "[";
  for (std::int64_t i = 0; i < n; ++i) {
    if (n > whole && i == edge) {
      result += " ...";
      i = n - edge;
    }
    if (i > 0) result += ' ';
    result += axis_text(a, printing, axis + 1, first + i * inner);
  }
  return result + "]";
}

}  // namespace

std::string text_of(const Array& array, const Printing& printing) {
  Printing fitting = printing;
  if (array.shape.size() > 1 && printing.whole > 8) fitting.whole = 8, fitting.edge = 3;
  return axis_text(array, fitting, 0, 0);
}

std::string type_text(DType dtype, std::span<const std::int64_t> shape) {
  std::string result = name_of(dtype);
  for (std::size_t d = 0; d < shape.size(); ++d) result.append(d ? "," : "[").append(std::to_string(shape[d]));
  if (!shape.empty()) result += ']';
  return result;
}

}  // namespace tl::debug
