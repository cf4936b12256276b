#include "interp/lang/narrow.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tl {

namespace {

struct Format {
  int exponent_bits, mantissa_bits;
  bool has_infinity;  // fp8e4nv has none: its all-ones exponent holds numbers, its all-ones pattern NaN
  bool saturates;
  double largest;
};

Format format_of(DType d) {
  switch (d) {
    case DType::float16: return {5, 10, true, false, 65504};
    case DType::bfloat16: return {8, 7, true, false, 0x1.fep127};
    case DType::float8e4nv: return {4, 3, false, true, 448};
    default: return {5, 2, true, true, 57344};
  }
}

template <class Int>
Int saturate(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<Int>::min())) return std::numeric_limits<Int>::min();
  if (value >= static_cast<double>(std::numeric_limits<Int>::max())) return std::numeric_limits<Int>::max();
  return static_cast<Int>(value);
}

}  // namespace

std::uint16_t encode_narrow(DType dtype, double value) {
  const Format f = format_of(dtype);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const std::uint16_t sign =
      static_cast<std::uint16_t>(std::signbit(value) ? 1 << (f.exponent_bits + f.mantissa_bits) : 0);
  const std::uint16_t exponent_ones = static_cast<std::uint16_t>(((1 << f.exponent_bits) - 1) << f.mantissa_bits);
  const std::uint16_t mantissa_ones = static_cast<std::uint16_t>((1 << f.mantissa_bits) - 1);
  // The GPU's canonical NaNs: 0x7fff for the 16-bit dtypes, 0x7f for fp8.
  if (std::isnan(value)) return static_cast<std::uint16_t>(exponent_ones | mantissa_ones);
  const double magnitude = std::fabs(value);
  const std::uint16_t infinity = exponent_ones;

  int exponent = magnitude == 0 ? 1 - bias : std::ilogb(magnitude);
  if (exponent < 1 - bias) exponent = 1 - bias;  // subnormals share the smallest exponent
  double units = std::isinf(magnitude) ? magnitude : std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  const double rounded = std::ldexp(units, exponent - f.mantissa_bits);
  if (rounded > f.largest) {
    if (!f.saturates) return static_cast<std::uint16_t>(sign | infinity);
    return static_cast<std::uint16_t>(sign | encode_narrow(dtype, f.largest));
  }
  if (units >= std::ldexp(1.0, f.mantissa_bits + 1)) {
    units /= 2;
    ++exponent;
  }
  const int n = static_cast<int>(units);
  const bool normal = n >= (1 << f.mantissa_bits);
  const int field = normal ? exponent + bias : 0;
  return static_cast<std::uint16_t>(sign | field << f.mantissa_bits | (n & mantissa_ones));
}

double decode_narrow(DType dtype, std::uint16_t bits) {
  const Format f = format_of(dtype);
  const int bias = (1 << (f.exponent_bits - 1)) - 1, ones = (1 << f.exponent_bits) - 1;
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1), field = bits >> f.mantissa_bits & ones;
  const double sign = bits >> (f.mantissa_bits + f.exponent_bits) & 1 ? -1.0 : 1.0;
  if (f.has_infinity && field == ones)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (!f.has_infinity && field == ones && mantissa == (1 << f.mantissa_bits) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  const int exponent = (field == 0 ? 1 : field) - bias - f.mantissa_bits;
  const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);  // 2^exponent
  return sign * unit * (mantissa + (field == 0 ? 0 : 1 << f.mantissa_bits));
}

std::int32_t float_to_int32(double value) { return saturate<std::int32_t>(value); }
std::int64_t float_to_int64(double value) { return saturate<std::int64_t>(value); }
std::uint32_t float_to_uint32(double value) { return saturate<std::uint32_t>(value); }
std::uint8_t float_to_uint8(double value) { return saturate<std::uint8_t>(value); }
std::int8_t float_to_int8(double value) { return saturate<std::int8_t>(value); }
std::int16_t float_to_int16(double value) { return saturate<std::int16_t>(value); }
std::uint16_t float_to_uint16(double value) { return saturate<std::uint16_t>(value); }
std::uint64_t float_to_uint64(double value) { return saturate<std::uint64_t>(value); }

}  // namespace tl
