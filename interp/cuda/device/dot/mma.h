// mma.sync and ldmatrix, one instruction a function: sm_80 and up. PTX ISA, "Matrix fragments for mma.m16n8k16",
// "ldmatrix".
#pragma once

#include "interp/cuda/device/memory/shared.h"

namespace tl::cuda {

// Four (or two) 8 x 8 matrices of 16-bit elements; lane l gives the address of row l % 8 of matrix l / 8.
template <bool Transposed>
__forceinline__ void load_matrices(unsigned (&r)[4], SharedAddress row) {
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}
__forceinline__ unsigned load_shared_word(SharedAddress at) {
  unsigned w;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(w) : "r"(at));
  return w;
}

template <class T>
struct MmaShape;  // k of one instruction
template <>
struct MmaShape<Float16> {
  static constexpr int k = 16;
};
template <>
struct MmaShape<BFloat16> {
  static constexpr int k = 16;
};
template <>
struct MmaShape<float> {
  static constexpr int k = 8;
};

// c[16 x 8] += a[16 x k] b[k x 8]; c0, c1: row lane / 4; c2, c3: 8 rows below.
template <class T>
__forceinline__ void mma(float& c0, float& c1, float& c2, float& c3, const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (same<T, Float16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else if constexpr (same<T, BFloat16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// To nearest, ties away, as the tensor cores' users do.
__forceinline__ unsigned to_tf32(unsigned bits) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(__uint_as_float(bits)));
  return r;
}

// The fragments of a 16 x k piece of A (or, with rows and columns exchanged, of 16 columns of B): [r, c] is row r,
// column c of the piece, matrices in the order (0, 0), (8, 0), (0, k/2), (8, k/2). RowsFirst: the tile is A, not B.
// Height 8: rows 8 and up repeat the first.
template <class Tile, bool RowsFirst, int Height = 16>
struct FragmentLoader {
  using T = typename Tile::element;
  static constexpr int half = MmaShape<T>::k / 2, lower = Height == 16 ? 8 : 0;
  static constexpr bool k_contiguous = RowsFirst ? !Tile::transposed : Tile::transposed;
  static constexpr int offset(int row, int k) { return RowsFirst ? Tile::offset(row, k) : Tile::offset(k, row); }
  SharedAddress lane;

  __forceinline__ FragmentLoader(const Tile& tile, int row) {
    const int l = threadIdx.x % 32, m = l / 8, r = l % 8;
    const SharedAddress base = shared_address(tile.memory);
    if constexpr (k_contiguous) lane = base + offset(row + (m & 1) * lower + r, (m >> 1) * half);
    else if constexpr (sizeof(T) == 2) lane = base + offset(row + (m & 1) * lower, (m >> 1) * 8 + r);
    else lane = base + offset(row + l / 4, l % 4);
  }
  // row, k: constants, multiples of 16 and of the instruction's k.
  __forceinline__ void load(unsigned (&f)[4], int row, int k) const {
    if constexpr (k_contiguous) {
      load_matrices<false>(f, joined(lane, offset(row, k)));
    } else if constexpr (sizeof(T) == 2) {
      load_matrices<true>(f, joined(lane, offset(row, k)));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        f[i] = load_shared_word(joined(lane, offset(row + (i & 1) * lower, k + (i >> 1) * 4)));
    }
    if constexpr (same<T, float>) {
#pragma unroll
      for (int i = 0; i < 4; ++i) f[i] = to_tf32(f[i]);
    }
  }
};

}  // namespace tl::cuda
