// The narrow floats in software: fp16, bf16, fp8e4nv, fp8e5. Rounds to nearest even, once, straight from the double.
#pragma once

#include <cstdint>

#include "interp/lang/dtype.h"

namespace tl {

// Bits of `value` in a 16- or 8-bit float dtype. fp16 and bf16 overflow to infinity; fp8e4nv saturates to 448, fp8e5 to
// 57344.
std::uint16_t encode_narrow(DType dtype, double value);
// Exact.
double decode_narrow(DType dtype, std::uint16_t bits);

// float to int as a GPU converts: toward zero, saturating, NaN to 0.
std::int32_t float_to_int32(double value);
std::int64_t float_to_int64(double value);
std::uint32_t float_to_uint32(double value);
std::uint8_t float_to_uint8(double value);
std::int8_t float_to_int8(double value);
std::int16_t float_to_int16(double value);
std::uint16_t float_to_uint16(double value);
std::uint64_t float_to_uint64(double value);

}  // namespace tl
