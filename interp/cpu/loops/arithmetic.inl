// + - * / % and the like, comparisons; of ints, which wrap, and of floats. Included by interp/cpu/loops.inl, within its
// namespace.

template <class T>
constexpr bool real = false;
template <>
constexpr bool real<float> = true;
template <>
constexpr bool real<double> = true;
template <class T>
struct UnsignedOf {
  using type = T;
};
template <>
struct UnsignedOf<std::int32_t> {
  using type = u32;
};
template <>
struct UnsignedOf<i64> {
  using type = std::uint64_t;
};
template <>
struct UnsignedOf<i8> {
  using type = u8;
};
template <>
struct UnsignedOf<i16> {
  using type = u16;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;

// Integers wrap.
struct Add {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return a + b;
    else return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return a - b;
    else return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  }
};
struct Mul {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return a * b;
    else if constexpr (sizeof(T) < 4) return static_cast<T>(static_cast<u32>(a) * static_cast<u32>(b));
    else return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  }
};
// Toward zero. x / 0 is all ones and x % 0 is x, as the GPU's instruction sequence gives.
struct Div {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return a / b;
    else if (b == 0) return static_cast<T>(-1);
    else if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1))
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
    else return static_cast<T>(a / b);
  }
};
struct Mod {
  template <class T>
  static T f(T a, T b) {
    if constexpr (sizeof(T) == 4 && real<T>) return fmodf(a, b);
    else if constexpr (real<T>) return fmod(a, b);
    else if (b == 0) return a;
    else if (static_cast<T>(-1) < 0 && b == static_cast<T>(-1)) return 0;
    else return static_cast<T>(a % b);
  }
};
struct And {
  template <class T>
  static T f(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// A shift by the width or more gives what is left: 0, or the sign.
struct Shl {
  template <class T>
  static T f(T a, T b) {
    constexpr unsigned width = sizeof(T) * 8;
    return static_cast<Unsigned<T>>(b) >= width
               ? T{0}
               : static_cast<T>(static_cast<Unsigned<T>>(a) << (static_cast<unsigned>(b) & (width - 1)));
  }
};
struct Shr {
  template <class T>
  static T f(T a, T b) {
    constexpr unsigned width = sizeof(T) * 8;
    const unsigned by = static_cast<Unsigned<T>>(b) >= width ? width : static_cast<unsigned>(b);
    return by == width ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> by);
  }
};
template <class T>
inline bool negative(T v) {
  if constexpr (sizeof(T) == 4) return bits<std::int32_t>(v) < 0;
  else return bits<i64>(v) < 0;
}
// NaN is dropped, and +0 is above -0, as in fmaxf on a GPU.
struct Max {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return (a > b) | (b != b) | ((a == b) & !negative(a)) ? a : b;
    else return a > b ? a : b;
  }
};
struct Min {
  template <class T>
  static T f(T a, T b) {
    if constexpr (real<T>) return (a < b) | (b != b) | ((a == b) & negative(a)) ? a : b;
    else return a < b ? a : b;
  }
};
struct Umulhi {
  template <class T>
  static T f(T a, T b) {
    if constexpr (sizeof(T) == 8)
      return static_cast<T>(
          (static_cast<unsigned __int128>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b)) >> 64);
    else return static_cast<T>((static_cast<std::uint64_t>(static_cast<u32>(a)) * static_cast<u32>(b)) >> 32);
  }
};

#ifdef __AVX512F__
// f(i, lanes) for sixteen floats at a time, from i on; the last few by a mask, so that a lane's value does not depend
// on where it stands.
template <class F>
inline void in_sixteens(i64 n, F f) {
  i64 i = 0;
  for (; i + 16 <= n; i += 16) f(i, static_cast<__mmask16>(-1));
  if (i < n) f(i, static_cast<__mmask16>((1u << (n - i)) - 1));
}

// a[i] / y of one y, without the slow instruction: q = a / y within one ulp by the reciprocal in two parts, r + rest,
// then q += (a - q y) r. The residue is exact and r rounded to nearest, so that q rounds as a division does (Markstein,
// 1990) while nothing leaves the normal numbers. False where something might: the output is void then.
inline bool divide_by_one(float* out, const float* a, float y, i64 n) {
  if (!(y >= 0x1p-24f && y <= 0x1p24f)) return false;  // nor a negative one, by which a zero changes its sign
  const float reciprocal = 1.0f / y;
  const __m512 divisor = _mm512_set1_ps(y), r = _mm512_set1_ps(reciprocal),
               rest = _mm512_set1_ps(__builtin_fmaf(-y, reciprocal, 1.0f) * reciprocal);
  const __m512i smallest = _mm512_set1_epi32(27 << 23), span = _mm512_set1_epi32(160 << 23);  // 2^-100 to 2^60
  __m512i farthest = _mm512_setzero_si512();
  in_sixteens(n, [&](i64 i, __mmask16 there) {
    const __m512 x = _mm512_maskz_loadu_ps(there, a + i);
    const __m512i all = _mm512_castps_si512(x), magnitude = _mm512_and_si512(all, _mm512_set1_epi32(0x7fffffff));
    // +0 goes through as well, and is frequent: a masked lane's exp(-inf).
    const __mmask16 nonzero = _mm512_test_epi32_mask(all, all);
    if (!nonzero) {
      _mm512_mask_storeu_ps(out + i, there, _mm512_mul_ps(x, r));
      return;
    }
    farthest = _mm512_max_epu32(farthest, _mm512_maskz_sub_epi32(nonzero, magnitude, smallest));
    const __m512 q = _mm512_fmadd_ps(x, r, _mm512_mul_ps(x, rest));
    _mm512_mask_storeu_ps(out + i, there, _mm512_fmadd_ps(_mm512_fnmadd_ps(q, divisor, x), r, q));
  });
  return _mm512_cmpgt_epu32_mask(farthest, span) == 0;
}
#endif

template <class F, class T>
void binary_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], b[i]);
  } else if (sa == 1 && sb == 0) {
    const T y = *b;
#ifdef __AVX512F__
    if constexpr (__is_same(F, Div) && __is_same(T, float))
      if (out != a && divide_by_one(out, a, y, n)) return;
#endif
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], y);
  } else if (sa == 0 && sb == 1) {
    const T x = *a;
    for (i64 i = 0; i < n; ++i) out[i] = F::f(x, b[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i * sa], b[i * sb]);
  }
}

struct Lt {
  template <class T>
  static u8 f(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static u8 f(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static u8 f(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static u8 f(T a, T b) {
    return a >= b;
  }
};
struct Eq {
  template <class T>
  static u8 f(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static u8 f(T a, T b) {
    return a != b;
  }
};

template <class F, class T>
void compare_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  u8* __restrict out = static_cast<u8*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], b[i]);
  } else if (sa == 1 && sb == 0) {
    const T y = *b;
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i], y);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(a[i * sa], b[i * sb]);
  }
}

template <class T>
BinaryLoop binary_of(Op op) {
  switch (op) {
    case Op::add: return binary_loop<Add, T>;
    case Op::sub: return binary_loop<Sub, T>;
    case Op::mul: return binary_loop<Mul, T>;
    case Op::div: return binary_loop<Div, T>;
    case Op::mod: return binary_loop<Mod, T>;
    case Op::maximum: return binary_loop<Max, T>;
    case Op::minimum: return binary_loop<Min, T>;
    case Op::lt: return compare_loop<Lt, T>;
    case Op::le: return compare_loop<Le, T>;
    case Op::gt: return compare_loop<Gt, T>;
    case Op::ge: return compare_loop<Ge, T>;
    case Op::eq: return compare_loop<Eq, T>;
    case Op::ne: return compare_loop<Ne, T>;
    default: break;
  }
  if constexpr (!real<T>) {
    switch (op) {
      case Op::bit_and: return binary_loop<And, T>;
      case Op::bit_or: return binary_loop<Or, T>;
      case Op::bit_xor: return binary_loop<Xor, T>;
      case Op::shl: return binary_loop<Shl, T>;
      case Op::shr: return binary_loop<Shr, T>;
      case Op::umulhi: return binary_loop<Umulhi, T>;
      default: break;
    }
  }
  return nullptr;
}

BinaryLoop find_binary(Op op, DType d) {
  switch (d) {
    case DType::int1:  // one bit: it wraps
      switch (op) {
        case Op::add:
        case Op::sub:
        case Op::bit_xor: return binary_loop<Xor, u8>;
        case Op::mul:
        case Op::bit_and:
        case Op::minimum: return binary_loop<And, u8>;
        case Op::bit_or:
        case Op::maximum: return binary_loop<Or, u8>;
        case Op::shl:
        case Op::shr:
        case Op::umulhi:
        case Op::div:
        case Op::mod: return nullptr;
        default: return binary_of<u8>(op);
      }
    case DType::uint8: return binary_of<u8>(op);
    case DType::int32: return binary_of<std::int32_t>(op);
    case DType::int64: return binary_of<i64>(op);
    case DType::int8: return binary_of<i8>(op);
    case DType::int16: return binary_of<i16>(op);
    case DType::uint16: return binary_of<u16>(op);
    case DType::uint64: return binary_of<u64>(op);
    case DType::uint32: return binary_of<u32>(op);
    case DType::float32: return binary_of<float>(op);
    case DType::float64: return binary_of<double>(op);
    default: return nullptr;
  }
}
