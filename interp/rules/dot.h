// The unit of a chip that multiplies two blocks.
#pragma once

#include "interp/lang/tensor_cores.h"
#include "interp/rules/config.h"

namespace tl::rules {

enum class DotUnit : unsigned char { multiply_add, mma_sync, wgmma };

// The inputs that wgmma has instructions for.
constexpr bool wgmma_takes(DType a, DType b) {
  return (a == b && (a == DType::float16 || a == DType::bfloat16 || a == DType::float32)) || (is_fp8(a) && is_fp8(b));
}

struct DotKind {
  DType a, b;
  bool is_ieee;     // f32 inputs are multiplied as they are
  bool is_batched;  // a matrix of a dot of three axes
};

// a[m, k] b[k, n]. Tiles that are too small for the tensor cores, and dtypes that they do not take, are multiplied by
// fused multiply-adds in the order of k. mma.sync has no fp8 everywhere: it is given them as fp16, which holds them.
constexpr DotUnit dot_unit(const Config& c, const DotKind& kind, int m, int n, int k) {
  if (!is_float(kind.a) || kind.a == DType::float64 || (kind.a == DType::float32 && kind.is_ieee) ||
      c.matrix == Matrix::multiply_add)
    return DotUnit::multiply_add;
  if (c.matrix == Matrix::wgmma && fits_wgmma(m, n, c.num_warps))
    return !kind.is_batched && wgmma_takes(kind.a, kind.b) && k * size_in_bytes(kind.a) >= 32 ? DotUnit::wgmma
                                                                                              : DotUnit::multiply_add;
  return MmaPlan(m, n, c.num_warps).rows >= 16 && n >= 8 && k >= 16 ? DotUnit::mma_sync : DotUnit::multiply_add;
}
constexpr DType dot_input(DotUnit unit, DType d) { return unit == DotUnit::mma_sync && is_fp8(d) ? DType::float16 : d; }

// What dots compute on the interpreter: the sums of the unit that CUDA takes on a chip, or plain sums in f32 if
// `matrix` is none.
struct DotArithmetic {
  Matrix matrix = Matrix::none;
  TensorCores cores = {};
};

}  // namespace tl::rules
