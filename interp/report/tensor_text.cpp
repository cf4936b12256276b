#include "interp/report/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tl::report {

namespace {

// Significant digits that tell apart what a dtype can hold, and no noise beyond them.
int digits_of(DType d) {
  switch (d) {
    case DType::float64: return 10;
    case DType::float32: return 6;
    case DType::float16: return 4;
    case DType::bfloat16: return 3;
    default: return 3;
  }
}

// The indices of an axis that are shown; -1 stands for the gap.
std::vector<std::int64_t> shown(std::int64_t n, std::int64_t whole, std::int64_t edge) {
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < n; ++i) {
    if (n > whole && i == edge) {
      at.push_back(-1);
      i = n - edge;
    }
    at.push_back(i);
  }
  return at;
}

struct Printer {
  const Tensor& t;
  std::int64_t whole, edge;
  std::size_t width = 0;  // of an element, when rows stand below each other

  void measure(std::size_t axis, std::int64_t offset) {
    if (axis == t.shape.size()) return void(width = std::max(width, element_text(t, offset).size()));
    for (std::int64_t i : shown(t.shape[axis], whole, edge))
      if (i >= 0) measure(axis + 1, offset + i * t.strides[axis]);
  }

  std::string text(std::size_t axis, std::int64_t offset) const {
    if (axis == t.shape.size()) return fmt::format("{:>{}}", element_text(t, offset), width);
    const bool is_last = axis + 1 == t.shape.size();
    const std::string between =
        is_last ? " " : std::string(t.shape.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
    std::string out = "[";
    bool first = true;
    for (std::int64_t i : shown(t.shape[axis], whole, edge)) {
      if (!first) out += between;
      first = false;
      out += i < 0 ? "..." : text(axis + 1, offset + i * t.strides[axis]);
    }
    return out + "]";
  }
};

nlohmann::ordered_json element_json(const Tensor& t, std::int64_t offset) {
  if (t.dtype == DType::int1) return get(t, offset) != 0;
  if (t.dtype == DType::int64) return t.as<std::int64_t>()[offset];
  if (t.dtype == DType::uint64) return t.as<std::uint64_t>()[offset];
  if (is_integer(t.dtype)) return static_cast<std::int64_t>(get(t, offset));
  const double v = get(t, offset);
  // The float's own shortest decimal, not that of the double it widens to.
  if (t.dtype == DType::float32 && std::isfinite(v))
    return nlohmann::ordered_json::parse(fmt::format("{}", static_cast<float>(v)));
  return number_json(v);
}

nlohmann::ordered_json nested(const Tensor& t, std::size_t axis, std::int64_t offset) {
  if (axis == t.shape.size()) return element_json(t, offset);
  auto out = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < t.shape[axis]; ++i) out.push_back(nested(t, axis + 1, offset + i * t.strides[axis]));
  return out;
}

}  // namespace

std::string element_text(const Tensor& t, std::int64_t offset) {
  if (t.dtype == DType::int64) return std::to_string(t.as<std::int64_t>()[offset]);
  if (t.dtype == DType::uint64) return std::to_string(t.as<std::uint64_t>()[offset]);
  const double v = get(t, offset);
  if (t.dtype == DType::int1) return v != 0 ? "True" : "False";
  if (is_integer(t.dtype)) return fmt::format("{}", static_cast<std::int64_t>(v));
  if (std::isnan(v)) return "nan";  // the sign of a NaN tells nothing
  return fmt::format("{:.{}g}", v, digits_of(t.dtype));
}

std::string tensor_text(const Tensor& t, std::int64_t whole, std::int64_t edge) {
  Printer printer{t, whole, edge};
  if (t.shape.size() > 1) printer.measure(0, 0);
  return printer.text(0, 0);
}

std::string cell_text(const Tensor& t, std::int64_t offset) {
  std::vector<std::int64_t> at(t.shape.size());
  for (std::size_t axis = t.shape.size(); axis-- > 0;) {
    at[axis] = t.shape[axis] ? offset % t.shape[axis] : 0;
    offset = t.shape[axis] ? offset / t.shape[axis] : 0;
  }
  return at.empty() ? t.name : fmt::format("{}[{}]", t.name, fmt::join(at, ", "));
}

std::string type_text(const Tensor& t) { return fmt::format("{}[{}]", name_of(t.dtype), fmt::join(t.shape, ", ")); }

nlohmann::ordered_json tensor_json(const Tensor& t) { return nested(t, 0, 0); }

nlohmann::ordered_json number_json(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

}  // namespace tl::report
