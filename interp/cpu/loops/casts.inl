// From every dtype to every other: floats round to nearest even once, ints wrap, floats to ints saturate. Included by
// interp/cpu/loops.inl, within its namespace.

struct Half {
  using Bits = u16;
};
struct BFloat {
  using Bits = u16;
};
struct E4 {
  using Bits = u8;
};
struct E5 {
  using Bits = u8;
};
struct Bool {
  using Bits = u8;
};
template <class T>
struct StoredAs {
  using type = T;
};
template <>
struct StoredAs<Half> {
  using type = u16;
};
template <>
struct StoredAs<BFloat> {
  using type = u16;
};
template <>
struct StoredAs<E4> {
  using type = u8;
};
template <>
struct StoredAs<E5> {
  using type = u8;
};
template <>
struct StoredAs<Bool> {
  using type = u8;
};
template <class T>
using Stored = typename StoredAs<T>::type;
template <class T>
constexpr bool narrow = false;
template <>
constexpr bool narrow<Half> = true;
template <>
constexpr bool narrow<BFloat> = true;
template <>
constexpr bool narrow<E4> = true;
template <>
constexpr bool narrow<E5> = true;
template <class T>
constexpr DType dtype_of = DType::float16;
template <>
constexpr DType dtype_of<BFloat> = DType::bfloat16;
template <>
constexpr DType dtype_of<E4> = DType::float8e4nv;
template <>
constexpr DType dtype_of<E5> = DType::float8e5;

template <class T>
inline float to_float(Stored<T> v);
// The exponent is rebiased by an exact multiplication, which also makes subnormals right.
template <>
inline float to_float<Half>(u16 v) {
  const u32 magnitude = static_cast<u32>(v & 0x7fff) << 13;
  const u32 sign = static_cast<u32>(v & 0x8000) << 16;
  const u32 scaled = bits<u32>(bits<float>(magnitude) * 0x1p112f);
  const u32 special = magnitude | 0x7f800000u;  // infinity and NaN keep their mantissa
  return bits<float>((magnitude >= 0x0f800000u ? special : scaled) | sign);
}
template <>
inline float to_float<BFloat>(u16 v) {
  return bits<float>(static_cast<u32>(v) << 16);
}
template <>
inline float to_float<E5>(u8 v) {
  return to_float<Half>(static_cast<u16>(v << 8));
}
template <>
inline float to_float<E4>(u8 v) {
  const u32 magnitude = static_cast<u32>(v & 0x7f) << 20;
  const u32 sign = static_cast<u32>(v & 0x80) << 24;
  const u32 scaled = bits<u32>(bits<float>(magnitude) * 0x1p120f);
  return bits<float>(((v & 0x7f) == 0x7f ? 0x7fc00000u : scaled) | sign);
}

// Rounds to nearest even once: normal results by adding half an ulp of the target to the bits, subnormal ones by adding
// a power of two.
template <class T, int ExponentBits, int MantissaBits, u32 Overflow, u32 Infinity, u32 Nan>
inline Stored<T> round_from(float value) {
  constexpr int bias = (1 << (ExponentBits - 1)) - 1, drop = 23 - MantissaBits;
  const u32 all = bits<u32>(value), magnitude = all & 0x7fffffffu;
  const u32 sign = (all >> 31) << (ExponentBits + MantissaBits);
  const u32 rounded = magnitude + ((1u << (drop - 1)) - 1) + ((magnitude >> drop) & 1);
  const u32 normal = (rounded >> drop) - (static_cast<u32>(127 - bias) << MantissaBits);
  constexpr float magic = bits<float>(static_cast<u32>(127 - bias + drop + 1) << 23);
  const u32 tiny = bits<u32>(bits<float>(magnitude) + magic) - bits<u32>(magic);
  u32 result = magnitude < (static_cast<u32>(127 - bias + 1) << 23) ? tiny : normal;
  result = magnitude >= (static_cast<u32>(127 - bias + 1) << 23) && normal > Overflow ? Infinity : result;
  result |= sign;
  return static_cast<Stored<T>>(magnitude > 0x7f800000u ? Nan : result);
}
template <class T>
inline Stored<T> from_float(float v);
template <>
inline u16 from_float<Half>(float v) {
  return round_from<Half, 5, 10, 0x7bff, 0x7c00, 0x7fff>(v);
}
template <>
inline u8 from_float<E4>(float v) {
  return round_from<E4, 4, 3, 0x7e, 0x7e, 0x7f>(v);
}
template <>
inline u8 from_float<E5>(float v) {
  return round_from<E5, 5, 2, 0x7b, 0x7b, 0x7f>(v);
}
template <>
inline u16 from_float<BFloat>(float v) {
  const u32 all = bits<u32>(v);
  const u32 rounded = (all + 0x7fffu + ((all >> 16) & 1)) >> 16;
  return static_cast<u16>((all & 0x7fffffffu) > 0x7f800000u ? 0x7fff : rounded);
}

// Toward zero, saturating, NaN to 0.
template <class To, class From>
inline To saturate(From v) {
  constexpr bool is_signed = static_cast<To>(-1) < 0;
  constexpr int digits = static_cast<int>(sizeof(To)) * 8 - is_signed;
  constexpr From beyond = digits == 64 ? static_cast<From>(0x1p64) : static_cast<From>(u64{1} << (digits & 63));
  constexpr To largest = static_cast<To>(digits == 64 ? ~u64{0} : (u64{1} << (digits & 63)) - 1);
  constexpr To smallest = is_signed ? static_cast<To>(-static_cast<i64>(largest) - 1) : To{0};
  if (!(v > (is_signed ? -beyond : From{-1}))) return v == v ? smallest : To{0};
  if (v >= beyond) return largest;
  return static_cast<To>(v);
}

template <class To, class From>
inline Stored<To> convert(Stored<From> v) {
  if constexpr (narrow<From>) {
    return convert<To, float>(to_float<From>(v));
  } else if constexpr (__is_same(From, Bool)) {
    return convert<To, u8>(v);
  } else if constexpr (__is_same(To, Bool)) {
    return v != 0;
  } else if constexpr (narrow<To>) {
    if constexpr (__is_same(From, float)) return from_float<To>(v);
    else if constexpr (sizeof(From) <= 2) return from_float<To>(v);                            // small ints
    else return static_cast<Stored<To>>(encode_narrow(dtype_of<To>, static_cast<double>(v)));  // rounds once
  } else if constexpr (real<From> && !real<To>) {
    return saturate<To, From>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
void cast_loop(void* out_, const void* in_, i64 stride, i64 n) {
  Stored<To>* __restrict out = static_cast<Stored<To>*>(out_);
  const Stored<From>* in = static_cast<const Stored<From>*>(in_);
  if (stride == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = convert<To, From>(in[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = convert<To, From>(in[i * stride]);
  }
}

template <class From>
UnaryLoop cast_of(DType to) {
  switch (to) {
    case DType::int1: return cast_loop<From, Bool>;
    case DType::int32: return cast_loop<From, std::int32_t>;
    case DType::int64: return cast_loop<From, i64>;
    case DType::uint8: return cast_loop<From, u8>;
    case DType::int8: return cast_loop<From, i8>;
    case DType::int16: return cast_loop<From, i16>;
    case DType::uint16: return cast_loop<From, u16>;
    case DType::uint64: return cast_loop<From, u64>;
    case DType::uint32: return cast_loop<From, u32>;
    case DType::float16: return cast_loop<From, Half>;
    case DType::bfloat16: return cast_loop<From, BFloat>;
    case DType::float32: return cast_loop<From, float>;
    case DType::float64: return cast_loop<From, double>;
    case DType::float8e4nv: return cast_loop<From, E4>;
    case DType::float8e5: return cast_loop<From, E5>;
  }
  return nullptr;
}

UnaryLoop find_cast(DType from, DType to) {
  switch (from) {
    case DType::int1: return cast_of<Bool>(to);
    case DType::int32: return cast_of<std::int32_t>(to);
    case DType::int64: return cast_of<i64>(to);
    case DType::uint8: return cast_of<u8>(to);
    case DType::int8: return cast_of<i8>(to);
    case DType::int16: return cast_of<i16>(to);
    case DType::uint16: return cast_of<u16>(to);
    case DType::uint64: return cast_of<u64>(to);
    case DType::uint32: return cast_of<u32>(to);
    case DType::float16: return cast_of<Half>(to);
    case DType::bfloat16: return cast_of<BFloat>(to);
    case DType::float32: return cast_of<float>(to);
    case DType::float64: return cast_of<double>(to);
    case DType::float8e4nv: return cast_of<E4>(to);
    case DType::float8e5: return cast_of<E5>(to);
  }
  return nullptr;
}

// Ten mantissa bits, to nearest with ties away from zero, as cvt.rna.tf32 does; infinities and NaNs stay.
void cut_to_tf32(float* out, const float* in, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = bits<float>(bits<u32>(in[i]) & 0xffffe000u);
}
void round_to_tf32(float* out, const float* in, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    const u32 v = bits<u32>(in[i]);
    const u32 rounded = (v + 0x1000u) & 0xffffe000u;
    out[i] = bits<float>((v & 0x7f800000u) == 0x7f800000u ? v : rounded);
  }
}
