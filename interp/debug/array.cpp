#include "interp/debug/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/cpu/workspace.h"
#include "interp/lang/narrow.h"

namespace tl::debug {

Array literal(bool value) { return {DType::int1, true, {}, {{.whole = value}}}; }
Array literal(std::int64_t value) { return {DType::int64, true, {}, {{.whole = value}}}; }
Array literal(double value) { return {DType::float64, true, {}, {{.real = value}}}; }
Array whole_number(DType dtype, std::int64_t value) { return {dtype, false, {}, {{.whole = value}}}; }

Number number_of(const trace::RecordedValue& value, std::int64_t lane) {
  if (is_float(value.dtype)) return {.real = trace::element_as_double(value, lane)};
  return {.whole = trace::element_as_int(value, lane)};
}

Number number_of(const trace::Memory& memory, int tensor, DType dtype, std::int64_t element) {
  if (is_float(dtype)) return {.real = memory.element(tensor, element)};
  return {.whole = memory.element_as_int(tensor, element)};
}

Number number_of(DType dtype, const std::byte* element) {
  if (is_float(dtype)) return {.real = trace::decode_element(dtype, element)};
  return {.whole = trace::decode_int(dtype, element)};
}

Array array_of(const trace::RecordedValue& value) {
  Array result{value.dtype, false, {}, {}};
  result.shape.assign(value.shape.span().begin(), value.shape.span().end());
  const std::int64_t elems = value.shape.product();
  result.data.reserve(static_cast<std::size_t>(elems));
  for (std::int64_t i = 0; i < elems; ++i) result.data.push_back(number_of(value, i));
  return result;
}

namespace {
// What a Number holds of the dtype.
DType held_as(DType d) { return is_float(d) ? DType::float64 : DType::int64; }
}  // namespace

Array array_of(const cpu::Block& block) {
  const cpu::Value& d = *block.data();
  Array result{d.dtype, false, {d.dims, d.dims + d.rank}, {}};
  const cpu::Block wide = lanes_as(block, held_as(d.dtype));
  result.data.resize(static_cast<std::size_t>(d.count));
  if (d.count > 0)
    std::memcpy(result.data.data(), cpu::elements_of(*wide.data()), static_cast<std::size_t>(d.count) * sizeof(Number));
  if (const cpu::Value* const undefined = wide.data()->undefined) {
    const std::byte* const marks = cpu::flat(*undefined);
    for (std::int64_t i = 0; i < d.count; ++i) result.unset.push_back(marks[i] != std::byte{0});
  }
  return result;
}

cpu::Block block_of(cpu::Context& tl, const Array& a) {
  std::vector<unsigned char> undefined;
  if (std::ranges::find(a.unset, true) != a.unset.end()) undefined.assign(a.unset.begin(), a.unset.end());
  if (a.dtype == DType::float8e5 && std::ranges::any_of(a.data, [](Number v) { return std::isinf(v.real); })) {
    // A cast to fp8 gives the largest number for an infinity; these were infinite before.
    std::vector<unsigned char> bits;
    for (const Number v : a.data)
      bits.push_back(std::isinf(v.real) ? (v.real < 0 ? 0xFC : 0x7C)
                                        : static_cast<unsigned char>(encode_narrow(a.dtype, v.real)));
    return cpu::block_of(tl, DType::uint8, DType::uint8, a.shape, bits.data(),
                         undefined.empty() ? nullptr : undefined.data())
        .to(cpu::ElementType{a.dtype}, cpu::Bitcast());
  }
  return cpu::block_of(tl, a.dtype, held_as(a.dtype), a.shape, a.data.data(),
                       undefined.empty() ? nullptr : undefined.data());
}

std::string text_of(Number value, DType dtype, char base) {
  if (base == 'f' && !is_float(dtype)) {
    const auto bits = static_cast<std::uint64_t>(value.whole);
    value.real = dtype == DType::uint64 ? static_cast<double>(bits) : static_cast<double>(value.whole);
    dtype = DType::float64;
  }
  if ((base == 'd' || base == 'x') && is_float(dtype) && std::isfinite(value.real) &&
      (base == 'd' || value.real == std::trunc(value.real))) {
    value.whole = float_to_int64(value.real);
    dtype = DType::int64;
  }
  if (!is_float(dtype)) {
    const std::int64_t v = value.whole;
    const auto magnitude = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    if (base == 'x') return fmt::format("{}{:#x}", v < 0 ? "-" : "", magnitude);
    if (dtype == DType::int1 && base != 'd') return v ? "True" : "False";
    return std::to_string(v);
  }
  if (std::isnan(value.real)) return "nan";
  if (std::isinf(value.real)) return value.real < 0 ? "-inf" : "inf";
  return fmt::format("{:.5g}", value.real);
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
    const std::string text = !a_.unset.empty() && a_.unset[i] ? "?" : text_of(a_.data[i], a_.dtype, printing_.base);
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
  if (array.shape.size() > 1 && printing.whole > 8) {
    fitting.whole = 8;
    fitting.edge = 3;
  }
  return (fitting.has_lines ? "\n  " : "") + Text(array, fitting).whole();
}

std::string type_text(DType dtype, std::span<const std::int64_t> shape) {
  std::string result = name_of(dtype);
  for (std::size_t d = 0; d < shape.size(); ++d) result.append(d ? "," : "[").append(std::to_string(shape[d]));
  if (!shape.empty()) result += ']';
  return result;
}

}  // namespace tl::debug
