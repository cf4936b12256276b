// The matrix product of blocks, included once a variant: c = acc + a b in tiles of registers. Fused multiply-add is
// allowed here alone.
#include "interp/cpu/loops.h"

namespace tl::cpu::TL_LOOPS {
namespace {

using i64 = std::int64_t;

template <class T, int Lanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * Lanes), aligned(alignof(T)), may_alias));
};

// `Rows` rows by `Vectors` vectors of c stay in registers while k runs. One pointer walks along four rows of a, which
// addressing reaches by one, two and three times their distance.
template <class T, int Lanes, int Rows, int Vectors>
void tile(T* c, i64 c_row, const T* from, i64 from_row, const T* a, i64 a_row, const T* b, i64 b_row, i64 k) {
  using V = typename VectorOf<T, Lanes>::type;
  V acc[Rows][Vectors];
  if (from) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) acc[r][v] = *reinterpret_cast<const V*>(from + r * from_row + v * Lanes);
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) acc[r][v] = V{};
  }
  const T* four[(Rows + 3) / 4];
  for (int i = 0; i < (Rows + 3) / 4; ++i) four[i] = a + 4 * i * a_row;
  for (i64 l = 0; l < k; ++l, b += b_row) {
    V row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = *reinterpret_cast<const V*>(b + v * Lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const T x = four[r / 4][r % 4 * a_row];
      for (int v = 0; v < Vectors; ++v) acc[r][v] += x * row[v];
    }
    for (const T*& p : four) ++p;
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) *reinterpret_cast<V*>(c + r * c_row + v * Lanes) = acc[r][v];
}

template <class T, int Lanes, int Vectors>
void columns(T* c, i64 c_row, const T* from, i64 from_row, const T* a, i64 a_row, const T* b, i64 b_row, i64 m, i64 k) {
  const auto row = [&](i64 i) { return from ? from + i * from_row : nullptr; };
  i64 i = 0;
  if constexpr (Vectors == 1 && TL_DOT_BYTES == 64)  // one register wide, and 32 registers: twice the rows
    for (; i + 16 <= m; i += 16)
      tile<T, Lanes, 16, Vectors>(c + i * c_row, c_row, row(i), from_row, a + i * a_row, a_row, b, b_row, k);
  for (; i + TL_DOT_ROWS <= m; i += TL_DOT_ROWS)
    tile<T, Lanes, TL_DOT_ROWS, Vectors>(c + i * c_row, c_row, row(i), from_row, a + i * a_row, a_row, b, b_row, k);
  for (; i + 4 <= m; i += 4)
    tile<T, Lanes, 4, Vectors>(c + i * c_row, c_row, row(i), from_row, a + i * a_row, a_row, b, b_row, k);
  for (; i < m; ++i)
    tile<T, Lanes, 1, Vectors>(c + i * c_row, c_row, row(i), from_row, a + i * a_row, a_row, b, b_row, k);
}

// Where the machine can, fused, as the tiles are: the compiler's choice is to multiply several at once, then to add.
template <class T>
T multiply_add(T x, T y, T sum) {
#ifdef __FMA__
  if constexpr (sizeof(T) == 4) return __builtin_fmaf(x, y, sum);
  else return __builtin_fma(x, y, sum);
#else
  return x * y + sum;
#endif
}

template <class T>
void dot(void* c_, i64 c_row, const void* acc, i64 acc_row, const void* a_, i64 a_row, const void* b_, i64 b_row, i64 m,
         i64 n, i64 k) {
  constexpr int lanes = TL_DOT_BYTES / static_cast<int>(sizeof(T));
  T* c = static_cast<T*>(c_);
  const T *from = static_cast<const T*>(acc), *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  const auto column = [&](i64 j) { return from ? from + j : nullptr; };
  i64 j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes)
    columns<T, lanes, 2>(c + j, c_row, column(j), acc_row, a, a_row, b + j, b_row, m, k);
  for (; j + lanes <= n; j += lanes)
    columns<T, lanes, 1>(c + j, c_row, column(j), acc_row, a, a_row, b + j, b_row, m, k);
  for (; j < n; ++j)
    for (i64 i = 0; i < m; ++i) {
      T sum = from ? from[i * acc_row + j] : T{0};
      for (i64 l = 0; l < k; ++l) sum = multiply_add(a[i * a_row + l], b[l * b_row + j], sum);
      c[i * c_row + j] = sum;
    }
}

}  // namespace

DotLoop find_dot(DType);
DotLoop find_dot(DType d) { return d == DType::float32 ? dot<float> : d == DType::float64 ? dot<double> : nullptr; }

}  // namespace tl::cpu::TL_LOOPS
