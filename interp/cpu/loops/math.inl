// exp, log and their like, one lane or sixteen at a time; signs and bits. Included by interp/cpu/loops.inl, within its namespace.

// The nearest whole number, as an int and as a float: adding 1.5 * 2^23 leaves it in the low bits. Of a NaN, any int and a NaN.
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

// 2^x = 2^n 2^r, r in [-1/2, 1/2]; Cephes' exp2f polynomial: within 2 ulp. A NaN comes through the arithmetic.
inline float exp2_of(float x) {
  const bool vanishes = x < -151.0f;  // as a masked lane's -inf: kept away from subnormal products, which are slow
  float v = x > 130.0f ? 130.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(v + whole_magic);
  const float r = v - n.value;
  float p = 1.535336188319500e-4f;
  p = multiply_add(p, r, 1.339887440266574e-3f);
  p = multiply_add(p, r, 9.618437357674640e-3f);
  p = multiply_add(p, r, 5.550332471162809e-2f);
  p = multiply_add(p, r, 2.402264791363012e-1f);
  p = multiply_add(p, r, 6.931472028550421e-1f);
  const float y = scale_by_power(multiply_add(p, r, 1.0f), n.number);
  return vanishes ? 0.0f : y;
}
// e^x = 2^n e^r, r = x - n ln 2 in two parts; Cephes' expf polynomial: within 2 ulp.
inline float exp_of(float x) {
  const bool vanishes = x < -105.0f;
  float v = x > 90.0f ? 90.0f : x;
  v = vanishes ? 0.0f : v;
  const Whole n = whole_of(multiply_add(v, 1.44269504088896341f, whole_magic));
  const float r = multiply_add(n.value, 2.12194440e-4f, multiply_add(n.value, -0.693359375f, v));
  float p = 1.9875691500e-4f;
  p = multiply_add(p, r, 1.3981999507e-3f);
  p = multiply_add(p, r, 8.3334519073e-3f);
  p = multiply_add(p, r, 4.1665795894e-2f);
  p = multiply_add(p, r, 1.6666665459e-1f);
  p = multiply_add(p, r, 5.0000001201e-1f);
  const float y = scale_by_power(multiply_add(p, r * r, r) + 1.0f, n.number);
  return vanishes ? 0.0f : y;
}

#ifdef __AVX512F__
// The same two with AVX-512's scaling by a power of two, which overflows, and vanishes, as it should: sixteen lanes in half the instructions.
// Lanes that vanish are computed as 2^0 and zeroed, since subnormal products are slow.
inline __m512 polynomial(__m512 r, const float* coefficients, int n) {
  __m512 p = _mm512_set1_ps(coefficients[0]);
  for (int i = 1; i < n; ++i) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(coefficients[i]));
  return p;
}
inline __m512 whole_of(__m512 x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
inline __m512 exp2_of(__m512 x) {
  static constexpr float c[] = {1.535336188319500e-4f, 1.339887440266574e-3f, 9.618437357674640e-3f, 5.550332471162809e-2f, 2.402264791363012e-1f, 6.931472028550421e-1f, 1.0f};
  const __mmask16 stays = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-151.0f), _CMP_NLT_UQ);
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(130.0f), x);  // of a NaN, the second
  const __m512 n = whole_of(v);
  return _mm512_maskz_scalef_ps(stays, polynomial(_mm512_sub_ps(v, n), c, 7), n);
}
inline __m512 exp_of(__m512 x) {
  static constexpr float c[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  const __mmask16 stays = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-105.0f), _CMP_NLT_UQ);
  const __m512 v = _mm512_maskz_min_ps(stays, _mm512_set1_ps(90.0f), x);
  const __m512 n = whole_of(_mm512_mul_ps(v, _mm512_set1_ps(1.44269504088896341f)));
  const __m512 r = _mm512_fmadd_ps(n, _mm512_set1_ps(2.12194440e-4f), _mm512_fmadd_ps(n, _mm512_set1_ps(-0.693359375f), v));
  const __m512 y = _mm512_add_ps(_mm512_fmadd_ps(polynomial(r, c, 6), _mm512_mul_ps(r, r), r), _mm512_set1_ps(1.0f));
  return _mm512_maskz_scalef_ps(stays, y, n);
}
// All sixteen as a masked tail's -inf, of which both make 0.
inline bool all_vanish(__m512 x) { return _mm512_cmp_ps_mask(x, _mm512_set1_ps(-151.0f), _CMP_NLT_UQ) == 0; }
#endif

struct Neg { template <class T> static T f(T a) { if constexpr (real<T>) return -a; else return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a)); } };
struct Not { template <class T> static T f(T a) { return static_cast<T>(~a); } };
struct LogicalNot { static u8 f(u8 a) { return a ^ 1; } };
struct Abs { template <class T> static T f(T a) { if constexpr (sizeof(T) == 4 && real<T>) return __builtin_fabsf(a); else if constexpr (real<T>) return __builtin_fabs(a); else return a < 0 ? Neg::f(a) : a; } };
struct Exp {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp_of(a); }
#endif
  static float f(float a) { return exp_of(a); } static double f(double a) { return exp(a); } };
struct Exp2 {
#ifdef __AVX512F__
  static __m512 f(__m512 a) { return exp2_of(a); }
#endif
  static float f(float a) { return exp2_of(a); } static double f(double a) { return exp2(a); } };
struct Log { static float f(float a) { return logf(a); } static double f(double a) { return log(a); } };
struct Log2 { static float f(float a) { return log2f(a); } static double f(double a) { return log2(a); } };
struct Sqrt { static float f(float a) { return __builtin_sqrtf(a); } static double f(double a) { return __builtin_sqrt(a); } };
struct Rsqrt { static float f(float a) { return 1.0f / __builtin_sqrtf(a); } static double f(double a) { return 1.0 / __builtin_sqrt(a); } };
struct Sin { static float f(float a) { return sinf(a); } static double f(double a) { return sin(a); } };
struct Cos { static float f(float a) { return cosf(a); } static double f(double a) { return cos(a); } };
struct Sigmoid { static float f(float a) { return 1.0f / (1.0f + exp_of(-a)); } static double f(double a) { return 1.0 / (1.0 + exp(-a)); } };
struct Erf { static float f(float a) { return erff(a); } static double f(double a) { return erf(a); } };
struct Floor { static float f(float a) { return __builtin_floorf(a); } static double f(double a) { return __builtin_floor(a); } };
struct Ceil { static float f(float a) { return __builtin_ceilf(a); } static double f(double a) { return __builtin_ceil(a); } };

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
  const auto put = [&](i64 i, __mmask16 there, __m512 x) { _mm512_mask_storeu_ps(out + i, there, all_vanish(x) ? _mm512_setzero_ps() : F::f(x)); };
  if (stride == 1) return in_sixteens(n, [&](i64 i, __mmask16 there) { put(i, there, _mm512_maskz_loadu_ps(there, in + i)); });
  const __m512i steps = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi32(static_cast<int>(stride)));
  in_sixteens(n, [&](i64 i, __mmask16 there) { put(i, there, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, steps, in + i * stride, 4)); });
}
template <> void unary_loop<Exp, float>(void* out, const void* in, i64 stride, i64 n) { by_sixteen<Exp>(out, in, stride, n); }
template <> void unary_loop<Exp2, float>(void* out, const void* in, i64 stride, i64 n) { by_sixteen<Exp2>(out, in, stride, n); }
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
    case DType::uint32: return unary_of<u32>(op);
    case DType::float32: return unary_of<float>(op);
    case DType::float64: return unary_of<double>(op);
    default: return nullptr;
  }
}
