#include "interp/cpu/scaled_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "interp/cpu/language.h"
#include "interp/rules/dot.h"

namespace tl::cpu {

namespace {

constexpr int none = -(1 << 20);  // the exponent of 0

// significand 2^exponent, a whole number: of 3.5 as fp8e4nv 14 and -2. `top` is the exponent that a step is aligned by:
// the number's own before its significand was made whole, here 1.
struct Part {
  std::int64_t significand = 0;
  int exponent = 0, top = none;
};
struct Number {
  Part part;
  bool is_finite = true;
  double value = 0;
};

// bits: of the fraction. least: the exponent of the dtype's subnormals.
Number number_of(double value, int bits, int least) {
  Number n{.value = value};
  if (!std::isfinite(value)) return n.is_finite = false, n;
  if (value == 0) return n;
  const int e = std::max(std::ilogb(value), least);
  n.part = {static_cast<std::int64_t>(std::ldexp(value, bits - e)), e - bits, e};
  return n;
}

Number element_of(std::string_view format, float x) {
  return format == "e2m1" ? number_of(x, 1, 0) : format == "e4m3" ? number_of(x, 3, -6) : number_of(x, 2, -14);
}

// The scales of a row of a or a column of b.
struct Side {
  std::vector<Number> elements, scales;  // [line][k], [line][k / values]
  std::int64_t k, parts = 0;

  const Number& element(std::int64_t line, std::int64_t l) const {
    return elements[static_cast<std::size_t>(line * k + l)];
  }
  Number scale(std::int64_t line, std::int64_t l) const {
    if (parts == 0) return number_of(1, 0, 0);
    return scales[static_cast<std::size_t>(line * parts + l / (k / parts))];
  }
};

Side side_of(const Where& w, const ScaledOperand& o, bool is_left) {
  const Ref widened = cast(w, *o.widened.data(), DType::float32);
  const auto* x = reinterpret_cast<const float*>(flat(*widened));
  const std::int64_t rows = widened->dims[0], columns = widened->dims[1], lines = is_left ? rows : columns;
  Side side{.k = is_left ? columns : rows};
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t l = 0; l < side.k; ++l)
      side.elements.push_back(element_of(o.format, x[is_left ? line * columns + l : l * columns + line]));
  if (!o.scale) return side;
  const Value& scale = *o.scale->data();
  side.parts = scale.dims[1];
  if (scale.dtype == DType::uint8) {
    const auto* s = reinterpret_cast<const std::uint8_t*>(flat(scale));
    for (std::int64_t i = 0; i < scale.count; ++i)
      side.scales.push_back(s[i] == 255 ? Number{.is_finite = false, .value = std::nan("")}
                                        : number_of(std::ldexp(1.0, s[i] - 127), 0, -127));
  } else {  // without a sign
    const Ref widened_scale = cast(w, scale, DType::float32);
    const auto* s = reinterpret_cast<const float*>(flat(*widened_scale));
    for (std::int64_t i = 0; i < scale.count; ++i) side.scales.push_back(number_of(std::fabs(s[i]), 3, -6));
  }
  return side;
}

float towards_zero(double x) {
  if (std::fabs(x) >= std::ldexp(1.0, 128)) return static_cast<float>(std::copysign(HUGE_VAL, x));
  const float nearest = static_cast<float>(x);
  return std::fabs(nearest) > std::fabs(x) ? std::nextafterf(nearest, 0) : nearest;
}

// Aligned to the largest exponent, cut off, added.
float sum_of(const std::vector<Part>& parts, int aligned_bits) {
  int top = none;
  for (const Part& p : parts) top = std::max(top, p.top);
  if (top == none) return 0;
  const int unit = top - aligned_bits;
  std::int64_t sum = 0;
  for (const Part& p : parts) {
    const int shift = p.exponent - unit;
    const std::int64_t size = std::abs(p.significand), cut = shift >= 0    ? size << shift
                                                             : shift > -64 ? size >> -shift
                                                                           : 0;
    sum += p.significand < 0 ? -cut : cut;
  }
  return towards_zero(std::ldexp(static_cast<double>(sum), unit));
}

Part times(const Part& x, const Part& y) {
  if (x.top == none || y.top == none) return {};
  return {x.significand * y.significand, x.exponent + y.exponent, x.top + y.top};
}

float canonical_nan() { return std::bit_cast<float>(0x7fffffffu); }

struct Product {
  const ScaledStep& plan;
  const Side &a, &b;
  std::vector<Part> parts = {};

  float at(std::int64_t i, std::int64_t j, float c) {
    for (std::int64_t first = 0; first < a.k; first += plan.step.terms)
      c = after(i, j, c, first, std::min(first + plan.step.terms, a.k));
    return c;
  }

  float after(std::int64_t i, std::int64_t j, float c, std::int64_t first, std::int64_t end) {
    if (const double odd = not_finite(i, j, c, first, end); odd != 0)
      return std::isnan(odd) ? canonical_nan() : static_cast<float>(odd);
    parts.assign(1, number_of(c, 23, -126).part);
    if (plan.is_fp4)
      for (std::int64_t l = first; l < end; l += 16) add_group(i, j, l);
    else
      for (std::int64_t l = first; l < end; ++l)
        parts.push_back(
            times(times(a.element(i, l).part, b.element(j, l).part), times(a.scale(i, l).part, b.scale(j, l).part)));
    return sum_of(parts, plan.step.aligned_bits);
  }

  // 16 products of e2m1, whole numbers of quarters, times the significands of their scales.
  void add_group(std::int64_t i, std::int64_t j, std::int64_t first) {
    std::int64_t quarters = 0;
    for (std::int64_t l = first; l < first + 16; ++l)
      quarters += static_cast<std::int64_t>(4 * a.element(i, l).value * b.element(j, l).value);
    const Part scale = times(a.scale(i, first).part, b.scale(j, first).part);
    if (scale.top != none) parts.push_back({quarters * scale.significand, scale.exponent - 2, scale.top});
  }

  // The sum where one of its terms is an infinity or no number; 0: all are finite.
  double not_finite(std::int64_t i, std::int64_t j, float c, std::int64_t first, std::int64_t end) const {
    bool is_finite = std::isfinite(c);
    double sum = c;
    for (std::int64_t l = first; l < end; ++l) {
      const Number terms[] = {a.element(i, l), b.element(j, l), a.scale(i, l), b.scale(j, l)};
      double product = 1;
      for (const Number& t : terms) {
        is_finite = is_finite && t.is_finite;
        product *= t.value;
      }
      sum += product;
    }
    return is_finite ? 0 : sum;
  }
};

}  // namespace

std::optional<ScaledStep> scaled_step(const State& s, const ScaledOperand& a, const ScaledOperand& b) {
  const rules::DotArithmetic& dots = s.launch.options.dots;
  const TensorCoreSteps& steps = dots.cores.mma_sync;
  const auto is_narrow = [](const ScaledOperand& o) { return o.format != "bf16" && o.format != "fp16"; };
  if (dots.matrix == rules::Matrix::none || steps.fp4.terms == 0 || !is_narrow(a) || !is_narrow(b)) return {};
  const auto size = [](const ScaledOperand& o, int axis) { return static_cast<int>(o.widened.data()->dims[axis]); };
  const rules::Config config{.num_warps = s.launch.launch.options.num_warps, .matrix = dots.matrix};
  const rules::DotKind kind{DType::float8e4nv, DType::float8e4nv, false, false};
  if (rules::dot_unit(config, kind, size(a, 0), size(b, 1), size(a, 1)) != rules::DotUnit::mma_sync) return {};
  const bool is_fp4 = a.format == "e2m1" && b.format == "e2m1";
  const auto is_byte = [](const ScaledOperand& o) { return !o.scale || o.scale->data()->dtype == DType::uint8; };
  if (!is_fp4 && !(is_byte(a) && is_byte(b))) return {};
  return ScaledStep{is_fp4 ? steps.fp4 : steps.fp8, is_fp4};
}

Block scaled_product(const Where& w, const ScaledStep& plan, const ScaledOperand& a, const ScaledOperand& b,
                     const Block& acc, const Block& like) {
  const Value& shape = *like.data();
  const Side left = side_of(w, a, true), right = side_of(w, b, false);
  const Ref sums = cast(w, *acc.data(), DType::float32);
  const auto* c = reinterpret_cast<const float*>(flat(*sums));
  Ref made = make_dense(w.state, DType::float32, 2, shape.dims);
  auto* out = reinterpret_cast<float*>(made->buffer->bytes());
  Product product{plan, left, right};
  for (std::int64_t i = 0; i < shape.dims[0]; ++i)
    for (std::int64_t j = 0; j < shape.dims[1]; ++j)
      out[i * shape.dims[1] + j] = product.at(i, j, c[i * shape.dims[1] + j]);
  if (shape.undefined) made->undefined = Ref::share(shape.undefined).release();
  return Block(made.release());
}

}  // namespace tl::cpu
