// The element types: names, sizes, kinds. Free of std, so that NVRTC compiles it too.
#pragma once

namespace tl {

enum class DType : unsigned char {
  int1,
  int32,
  int64,
  uint8,
  uint32,
  float16,
  bfloat16,
  float32,
  float64,
  float8e4nv,
  float8e5,
  int8,
  int16,
  uint16,
  uint64
};

inline constexpr int dtype_count = 15;

constexpr int size_in_bytes(DType d) {
  switch (d) {
    case DType::int1:
    case DType::int8:
    case DType::uint8:
    case DType::float8e4nv:
    case DType::float8e5: return 1;
    case DType::int16:
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16: return 2;
    case DType::int32:
    case DType::uint32:
    case DType::float32: return 4;
    case DType::int64:
    case DType::uint64:
    case DType::float64: return 8;
  }
  return 0;
}

constexpr bool is_float(DType d) { return d >= DType::float16 && d <= DType::float8e5; }
constexpr bool is_integer(DType d) { return !is_float(d); }  // int1, a bool, counts as one
constexpr bool is_signed(DType d) {
  return d == DType::int32 || d == DType::int64 || d == DType::int8 || d == DType::int16 || is_float(d);
}
constexpr bool is_fp8(DType d) { return d == DType::float8e4nv || d == DType::float8e5; }

// Triton's short names: what the program prints, and what `dtype=f16` is matched with.
constexpr const char* name_of(DType d) {
  switch (d) {
    case DType::int1: return "i1";
    case DType::int32: return "i32";
    case DType::int64: return "i64";
    case DType::uint8: return "u8";
    case DType::uint32: return "u32";
    case DType::float16: return "f16";
    case DType::bfloat16: return "bf16";
    case DType::float32: return "f32";
    case DType::float64: return "f64";
    case DType::float8e4nv: return "f8e4nv";
    case DType::float8e5: return "f8e5";
    case DType::int8: return "i8";
    case DType::int16: return "i16";
    case DType::uint16: return "u16";
    case DType::uint64: return "u64";
  }
  return "?";
}

// The language's own: tl.float32 is "float32".
constexpr const char* language_name_of(DType d) {
  constexpr const char* names[dtype_count] = {"int1",     "int32",    "int64",   "uint8",   "uint32",
                                              "float16",  "bfloat16", "float32", "float64", "float8e4nv",
                                              "float8e5", "int8",     "int16",   "uint16",  "uint64"};
  return names[static_cast<int>(d)];
}

}  // namespace tl
