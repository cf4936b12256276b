// Choice, fused multiply-add, and sum, max and min of a run. Included by interp/cpu/loops.inl, within its namespace.

template <class T>
void select_loop(void* out_, const u8* m, i64 sm, const void* a_, i64 sa, const void* b_, i64 sb, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  if (sm == 1 && sa == 1 && sb == 1) {
    for (i64 i = 0; i < n; ++i) {
      const T x = a[i], y = b[i];
      out[i] = m[i] ? x : y;
    }
  } else if (sm == 1 && sa == 1 && sb == 0) {
    const T y = *b;
    for (i64 i = 0; i < n; ++i) {
      const T x = a[i];
      out[i] = m[i] ? x : y;
    }
  } else {
    for (i64 i = 0; i < n; ++i) out[i] = m[i * sm] ? a[i * sa] : b[i * sb];
  }
}
SelectLoop find_select(int bytes) {
  return bytes == 1   ? select_loop<u8>
         : bytes == 2 ? select_loop<u16>
         : bytes == 4 ? select_loop<u32>
                      : select_loop<std::uint64_t>;
}

template <class T>
void fma_loop(void* out_, const void* a_, i64 sa, const void* b_, i64 sb, const void* c_, i64 sc, i64 n) {
  T* __restrict out = static_cast<T*>(out_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_), *c = static_cast<const T*>(c_);
  for (i64 i = 0; i < n; ++i) {
    if constexpr (sizeof(T) == 4) out[i] = __builtin_fmaf(a[i * sa], b[i * sb], c[i * sc]);
    else out[i] = __builtin_fma(a[i * sa], b[i * sb], c[i * sc]);
  }
}
FmaLoop find_fma(DType d) {
  return d == DType::float32 ? fma_loop<float> : d == DType::float64 ? fma_loop<double> : nullptr;
}

// The largest or smallest by one comparison a lane, which drops NaN. False where it says too little: of zeros the sign,
// of no numbers at all anything.
struct Larger {
  template <class T>
  static T f(T a, T b) {
    return a > b ? a : b;
  }
};
struct Smaller {
  template <class T>
  static T f(T a, T b) {
    return a < b ? a : b;
  }
};
#ifdef __AVX512F__
inline __m512 best_of(Larger, __m512 a, __m512 b) { return _mm512_max_ps(a, b); }
inline __m512 best_of(Smaller, __m512 a, __m512 b) { return _mm512_min_ps(a, b); }
template <class F>
inline bool reduce_quickly(float worst, float& best, const float* in, i64 n) {
  __m512 part[4];
  for (__m512& p : part) p = _mm512_set1_ps(worst);
  i64 i = 0;
  for (; i + 64 <= n; i += 64)
    for (int j = 0; j < 4; ++j) part[j] = best_of(F(), _mm512_loadu_ps(in + i + 16 * j), part[j]);
  for (; i < n; i += 16) {
    const __mmask16 there = n - i >= 16 ? static_cast<__mmask16>(-1) : static_cast<__mmask16>((1u << (n - i)) - 1);
    part[0] = best_of(F(), _mm512_mask_loadu_ps(part[0], there, in + i), part[0]);
  }
  float lanes[16];
  _mm512_storeu_ps(lanes, best_of(F(), best_of(F(), part[0], part[1]), best_of(F(), part[2], part[3])));
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lanes[j] = F::f(lanes[j + half], lanes[j]);
  best = lanes[0];
  return best != 0 && best != worst;
}
#endif
template <class F, class T>
inline bool reduce_quickly(T worst, T& best, const T* in, i64 n) {
  constexpr int lanes = 32;
  T part[lanes];
  for (int j = 0; j < lanes; ++j) part[j] = worst;
  i64 i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) part[j] = F::f(in[i + j], part[j]);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) part[j] = F::f(part[j + half], part[j]);
  best = part[0];
  for (; i < n; ++i) best = F::f(in[i], best);
  return best != 0 && best != worst;
}

// As many partial results, folded in halves: vectorizes without reassociating, and errs less than one running sum. n >=
// lanes.
template <class F, int lanes, class T>
inline T reduce_in_parts(const T* in, i64 n) {
  T part[lanes];
  for (int j = 0; j < lanes; ++j) part[j] = in[j];
  i64 i = lanes;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) part[j] = F::f(part[j], in[i + j]);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) part[j] = F::f(part[j], part[j + half]);
  for (; i < n; ++i) part[0] = F::f(part[0], in[i]);
  return part[0];
}
template <class F, class T>
inline T reduce_run(const T* in, i64 n) {
  if (n >= 64) return reduce_in_parts<F, 64>(in, n);
  if (n >= 32) return reduce_in_parts<F, 32>(in, n);
  return reduce_in_parts<F, 1>(in, n);
}

template <class F, class T>
void reduce_loop(void* out_, const void* in_, i64 n) {
  const T* in = static_cast<const T*>(in_);
  T* out = static_cast<T*>(out_);
  if constexpr (real<T> && (__is_same(F, Max) || __is_same(F, Min))) {
    constexpr bool largest = __is_same(F, Max);
    constexpr T infinity = static_cast<T>(__builtin_inff());
    if (n >= 32 &&
        (largest ? reduce_quickly<Larger>(-infinity, *out, in, n) : reduce_quickly<Smaller>(infinity, *out, in, n)))
      return;
  }
  *out = reduce_run<F>(in, n);
}
template <class T>
ReduceLoop reduce_of(Op op) {
  return op == Op::sum ? reduce_loop<Add, T> : op == Op::max ? reduce_loop<Max, T> : reduce_loop<Min, T>;
}
ReduceLoop find_reduce(Op op, DType d) {
  switch (d) {
    case DType::int32: return reduce_of<std::int32_t>(op);
    case DType::int64: return reduce_of<i64>(op);
    case DType::uint32: return reduce_of<u32>(op);
    case DType::uint64: return reduce_of<u64>(op);
    case DType::float32: return reduce_of<float>(op);
    case DType::float64: return reduce_of<double>(op);
    default: return nullptr;
  }
}

// J neighbours of the sums that the threads of a program compute: each thread's registers in up to four running sums,
// then its lanes in pairs, then the warps one after the other.
template <class T, int J>
inline void ordered_sums(T* out, const T* in, i64 inner, const std::int32_t* at, int registers, int lanes, int warps) {
  T part[4][32][J];
  const int chains = registers < 4 ? registers : 4;
  for (int w = 0; w < warps; ++w, at += registers * lanes) {
    for (int r = 0; r < registers; ++r)
      for (int l = 0; l < lanes; ++l) {
        const T* from = in + at[r * lanes + l] * inner;
        T* to = part[r % chains][l];
        if (r < chains)
          for (int j = 0; j < J; ++j) to[j] = from[j];
        else
          for (int j = 0; j < J; ++j) to[j] += from[j];
      }
    for (int c = 1; c < chains; ++c)
      for (int l = 0; l < lanes; ++l)
        for (int j = 0; j < J; ++j) part[0][l][j] += part[c][l][j];
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l)
        for (int j = 0; j < J; ++j) part[0][l][j] = part[0][2 * l][j] + part[0][2 * l + 1][j];
    for (int j = 0; j < J; ++j) out[j] = w ? out[j] + part[0][0][j] : part[0][0][j];
  }
}
template <class T>
void ordered_sum(void* out_, const void* in_, i64 inner, const std::int32_t* at, int registers, int lanes, int warps) {
  T* out = static_cast<T*>(out_);
  const T* in = static_cast<const T*>(in_);
  i64 j = 0;
  for (; j + 16 <= inner; j += 16) ordered_sums<T, 16>(out + j, in + j, inner, at, registers, lanes, warps);
  for (; j < inner; ++j) ordered_sums<T, 1>(out + j, in + j, inner, at, registers, lanes, warps);
}
OrderedSumLoop find_ordered_sum(DType d) {
  return d == DType::float32 ? ordered_sum<float> : d == DType::float64 ? ordered_sum<double> : nullptr;
}
