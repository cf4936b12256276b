// exp, log and their like, one lane or sixteen at a time; signs and bits. Included by interp/cpu/loops.inl, within its
// namespace.

// The nearest whole number, as an int and as a float: adding 1.5 * 2^23 leaves it in the low bits. Of a NaN, any int
// and a NaN.
constexpr float whole_magic = 12582912.0f;
struct Whole {
  std::int32_t number;
  float value;
};
inline Whole whole_of(float with_magic) {
  return {bits<std::int32_t>(with_magic) - bits<std::int32_t>(whole_magic), with_magic - whole_magic};
}
// v 2^n for n in [-152, 130], in two factors so that subnormals round once and overflow reaches infinity.
inline float scale_by_power(float v, std::int32_t n) {
  const u32 half = static_cast<u32>(n >> 1), rest = static_cast<u32>(n) - half;
  return v * bits<float>((half + 127) << 23) * bits<float>((rest + 127) << 23);
}

// a b + c: fused in the variants whose machines all can, which halves a polynomial; the bounds below hold either way.
inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
template <class V>
V all(float v);
template <>
inline float all(float v) {
  return v;
}
#ifdef __AVX512F__
inline __m512 multiply_add(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
template <>
inline __m512 all(float v) {
  return _mm512_set1_ps(v);
}
#endif

// c0 r^5 + c1 r^4 + .. + c5 by Estrin's scheme: what waits for what is half as long as by Horner's.
template <class V>
inline V polynomial(V r, V square, const float (&c)[6]) {
  const V high = multiply_add(all<V>(c[0]), r, all<V>(c[1])), middle = multiply_add(all<V>(c[2]), r, all<V>(c[3])),
          low = multiply_add(all<V>(c[4]), r, all<V>(c[5]));
  return multiply_add(multiply_add(high, square, middle), square, low);
}
// 2^r, r in [-1/2, 1/2], by Cephes' exp2f polynomial.
template <class V>
inline V exp2_near_0(V r) {
  constexpr float c[] = {1.535336188319500e-4f, 1.339887440266574e-3f, 9.618437357674640e-3f,
                         5.550332471162809e-2f, 2.402264791363012e-1f, 6.931472028550421e-1f};
  return multiply_add(polynomial(r, r * r, c), r, all<V>(1.0f));
}
// e^r of r = v - n ln 2, ln 2 in two parts, by Cephes' expf polynomial.
template <class V>
inline V exp_near_0(V v, V n) {
  constexpr float c[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                         4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  const V r = multiply_add(n, all<V>(2.12194440e-4f), multiply_add(n, all<V>(-0.693359375f), v)), square = r * r;
  return multiply_add(polynomial(r, square, c), square, r) + all<V>(1.0f);
}

// 2^x = 2^n 2^r: within 2 ulp. A NaN comes through the arithmetic.
inline float exp2_of(float x) {
  const bool vanishes = x < -151.0f;  // as a masked lane's -inf: kept away from subnormal products, which are slow
  float v = x > 130.0f ? 130.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(v + whole_magic);
  const float y = scale_by_power(exp2_near_0(v - n.value), n.number);
  return vanishes ? 0.0f : y;
}
// e^x = 2^n e^r: within 2 ulp.
inline float exp_of(float x) {
  const bool vanishes = x < -105.0f;
  float v = x > 90.0f ? 90.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(multiply_add(v, 1.44269504088896341f, whole_magic));
  const float y = scale_by_power(exp_near_0(v, n.value), n.number);
  return vanishes ? 0.0f : y;
}

#ifdef __AVX512F__
// The same two with AVX-512's scaling by a power of two, which overflows, and vanishes, as it should: sixteen lanes in
// half the instructions. Lanes that vanish are computed as 2^0 and zeroed, since subnormal products are slow.
inline __mmask16 above(__m512 x, float bound) {
  return _mm512_cmp_ps_mask(x, _mm512_set1_ps(bound), _CMP_NLT_UQ);
}  // so is a NaN
inline __m512 exp2_of(__m512 x) {
  const __mmask16 stays = above(x, -151.0f);
  if (!stays) return _mm512_setzero_ps();                                  // as a masked tail's -inf
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(130.0f), x);  // of a NaN, the second
  const __m512 n = v + whole_magic - whole_magic;
  return _mm512_maskz_scalef_ps(stays, exp2_near_0(v - n), n);
}
inline __m512 exp_of(__m512 x) {
  const __mmask16 stays = above(x, -105.0f);
  if (!stays) return _mm512_setzero_ps();
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(90.0f), x);
  const __m512 n = multiply_add(v, all<__m512>(1.44269504088896341f), all<__m512>(whole_magic)) - whole_magic;
  return _mm512_maskz_scalef_ps(stays, exp_near_0(v, n), n);
}
#endif

struct Neg {
  template <class T>
  static T f(T a) {
    if constexpr (real<T>) return -a;
    else return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  }
};
struct Not {
  template <class T>
  static T f(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  static u8 f(u8 a) { return a ^ 1; }
};
struct Abs {
  template <class T>
  static T f(T a) {
    if constexpr (sizeof(T) == 4 && real<T>) return __builtin_fabsf(a);
    else if constexpr (real<T>) return __builtin_fabs(a);
    else return a < 0 ? Neg::f(a) : a;
  }
};
struct Exp {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp_of(a); }
#endif
  static float f(float a) { return exp_of(a); }
  static double f(double a) { return exp(a); }
};
struct Exp2 {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp2_of(a); }
#endif
  static float f(float a) { return exp2_of(a); }
  static double f(double a) { return exp2(a); }
};
struct Log {
  static float f(float a) { return logf(a); }
  static double f(double a) { return log(a); }
};
struct Log2 {
  static float f(float a) { return log2f(a); }
  static double f(double a) { return log2(a); }
};
struct Sqrt {
  static float f(float a) { return __builtin_sqrtf(a); }
  static double f(double a) { return __builtin_sqrt(a); }
};
struct Rsqrt {
  static float f(float a) { return 1.0f / __builtin_sqrtf(a); }
  static double f(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Sin {
  static float f(float a) { return sinf(a); }
  static double f(double a) { return sin(a); }
};
struct Cos {
  static float f(float a) { return cosf(a); }
  static double f(double a) { return cos(a); }
};
struct Sigmoid {
  static float f(float a) { return 1.0f / (1.0f + exp_of(-a)); }
  static double f(double a) { return 1.0 / (1.0 + exp(-a)); }
};
struct Erf {
  static float f(float a) { return erff(a); }
  static double f(double a) { return erf(a); }
};
struct Floor {
  static float f(float a) { return __builtin_floorf(a); }
  static double f(double a) { return __builtin_floor(a); }
};
struct Ceil {
  static float f(float a) { return __builtin_ceilf(a); }
  static double f(double a) { return __builtin_ceil(a); }
};

template <class F, class T>
void unary_loop(void* out_, const void* in_, i64 stride, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T* in = static_cast<const T*>(in_);
  if (stride == 1) {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(in[i]);
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = F::f(in[i * stride]);
  }
}

#ifdef __AVX512F__
template <class F>
void by_sixteen(void* out_, const void* in_, i64 stride, i64 n) {
  float* out = static_cast<float*>(out_);
  const float* in = static_cast<const float*>(in_);
  const auto put = [&](i64 i, __mmask16 there, __m512 x) { _mm512_mask_storeu_ps(out + i, there, F::f(x)); };
  if (stride == 1)
    return in_sixteens(n, [&](i64 i, __mmask16 there) { put(i, there, _mm512_maskz_loadu_ps(there, in + i)); });
  const __m512i steps = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                           _mm512_set1_epi32(static_cast<int>(stride)));
  in_sixteens(n, [&](i64 i, __mmask16 there) {
    put(i, there, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, steps, in + i * stride, 4));
  });
}
template <>
void unary_loop<Exp, float>(void* out, const void* in, i64 stride, i64 n) {
  by_sixteen<Exp>(out, in, stride, n);
}
template <>
void unary_loop<Exp2, float>(void* out, const void* in, i64 stride, i64 n) {
  by_sixteen<Exp2>(out, in, stride, n);
}
#endif

template <class T>
UnaryLoop unary_of(Op op) {
  if (op == Op::neg) return unary_loop<Neg, T>;
  if (op == Op::abs) return unary_loop<Abs, T>;
  if constexpr (real<T>) {
    switch (op) {
      case Op::exp: return unary_loop<Exp, T>;
      case Op::exp2: return unary_loop<Exp2, T>;
      case Op::log: return unary_loop<Log, T>;
      case Op::log2: return unary_loop<Log2, T>;
      case Op::sqrt: return unary_loop<Sqrt, T>;
      case Op::rsqrt: return unary_loop<Rsqrt, T>;
      case Op::sin: return unary_loop<Sin, T>;
      case Op::cos: return unary_loop<Cos, T>;
      case Op::sigmoid: return unary_loop<Sigmoid, T>;
      case Op::erf: return unary_loop<Erf, T>;
      case Op::floor: return unary_loop<Floor, T>;
      case Op::ceil: return unary_loop<Ceil, T>;
      default: return nullptr;
    }
  } else {
    return op == Op::bit_not ? unary_loop<Not, T> : nullptr;
  }
}

UnaryLoop find_unary(Op op, DType d) {
  switch (d) {
    case DType::int1: return op == Op::bit_not || op == Op::logical_not ? unary_loop<LogicalNot, u8> : nullptr;
    case DType::uint8: return unary_of<u8>(op);
    case DType::int32: return unary_of<std::int32_t>(op);
    case DType::int64: return unary_of<i64>(op);
    case DType::int8: return unary_of<i8>(op);
    case DType::int16: return unary_of<i16>(op);
    case DType::uint16: return unary_of<u16>(op);
    case DType::uint64: return unary_of<u64>(op);
    case DType::uint32: return unary_of<u32>(op);
    case DType::float32: return unary_of<float>(op);
    case DType::float64: return unary_of<double>(op);
    default: return nullptr;
  }
}
