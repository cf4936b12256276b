#include "interp/lang/printed.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "interp/lang/narrow.h"

namespace tl {

namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The fewest digits that give the number back, with an exponent below 1e-4 and from 1e16 on.
template <class T>
std::string text_of_real(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const T size = std::abs(value);
  const bool is_plain = size == 0 || (size >= T(1e-4) && size < T(1e16));
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                 is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(digits, end.ptr);
}

std::string hexadecimal(const std::byte* element, int bytes) {
  std::string out = "0x";
  for (int i = bytes; i-- > 0;)
    for (const int shift : {4, 0}) out += "0123456789abcdef"[std::to_integer<int>(element[i]) >> shift & 15];
  return out;
}

void append(std::string& out, DType t, const std::byte* elements, int rank, const std::int64_t* dims, Digits digits) {
  if (rank == 0) {
    out += text_of_element(t, elements, digits);
    return;
  }
  constexpr std::int64_t ends = 3, longest = 16;
  std::int64_t below = size_in_bytes(t);
  for (int i = 1; i < rank; ++i) below *= dims[i];
  out += '[';
  for (std::int64_t i = 0; i < dims[0]; ++i) {
    if (i) out += ' ';
    if (dims[0] > longest && i == ends) {
      out += "... ";
      i = dims[0] - ends;
    }
    append(out, t, elements + i * below, rank - 1, dims + 1, digits);
  }
  out += ']';
}

}  // namespace

std::string text_of_element(DType t, const std::byte* p, Digits digits) {
  if (digits == Digits::hexadecimal && !is_float(t)) return hexadecimal(p, size_in_bytes(t));
  switch (t) {
    case DType::int1: return read<std::uint8_t>(p) ? "True" : "False";
    case DType::int8: return std::to_string(read<std::int8_t>(p));
    case DType::uint8: return std::to_string(read<std::uint8_t>(p));
    case DType::int16: return std::to_string(read<std::int16_t>(p));
    case DType::uint16: return std::to_string(read<std::uint16_t>(p));
    case DType::int32: return std::to_string(read<std::int32_t>(p));
    case DType::uint32: return std::to_string(read<std::uint32_t>(p));
    case DType::int64: return std::to_string(read<std::int64_t>(p));
    case DType::uint64: return std::to_string(read<std::uint64_t>(p));
    case DType::float32: return text_of_real(read<float>(p));
    case DType::float64: return text_of_real(read<double>(p));
    case DType::float16:
    case DType::bfloat16: return text_of_real(static_cast<float>(decode_narrow(t, read<std::uint16_t>(p))));
    case DType::float8e4nv:
    case DType::float8e5: return text_of_real(static_cast<float>(decode_narrow(t, read<std::uint8_t>(p))));
  }
  return "";
}

std::string text_of_block(DType t, const std::byte* elements, int rank, const std::int64_t* dims, Digits digits) {
  std::string out;
  append(out, t, elements, rank, dims, digits);
  return out;
}

}  // namespace tl
