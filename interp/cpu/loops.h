// The inner loops over elements, compiled once for every machine and again for AVX2 and AVX-512; the best one for the
// machine runs. Strides count elements. Outputs are contiguous.
#pragma once

#include <cstdint>

#include "interp/lang/dtype.h"
#include "interp/lang/tensor_cores.h"
#include "interp/trace/event.h"

namespace tl::cpu {

using BinaryLoop = void (*)(void* out, const void* a, std::int64_t a_stride, const void* b, std::int64_t b_stride,
                            std::int64_t n);
using UnaryLoop = void (*)(void* out, const void* in, std::int64_t stride, std::int64_t n);
// out[i] = mask[i] ? a[i] : b[i]
using SelectLoop = void (*)(void* out, const unsigned char* mask, std::int64_t mask_stride, const void* a,
                            std::int64_t a_stride, const void* b, std::int64_t b_stride, std::int64_t n);
// out[i] = *element
using FillLoop = void (*)(void* out, const void* element, std::int64_t n);
using FmaLoop = void (*)(void* out, const void* a, std::int64_t a_stride, const void* b, std::int64_t b_stride,
                         const void* c, std::int64_t c_stride, std::int64_t n);
// One contiguous run to one element, computed in the output's dtype.
using ReduceLoop = void (*)(void* out, const void* in, std::int64_t n);

// `inner` neighbours at once: out[j] = sum over i of in[i * inner + j], i in the order that sums.h tells.
using OrderedSumLoop = void (*)(void* out, const void* in, std::int64_t inner, const std::int32_t* at, int registers,
                                int lanes, int warps);

// c[m, n] = acc[m, n] + a[m, k] b[k, n], all row-major with these row strides; acc null: zeros.
using DotLoop = void (*)(void* c, std::int64_t c_row, const void* acc, std::int64_t acc_row, const void* a,
                         std::int64_t a_row, const void* b, std::int64_t b_row, std::int64_t m, std::int64_t n,
                         std::int64_t k);

// The same of f32 that hold narrow floats, as a tensor core adds them.
struct ChipDot {
  TensorCoreStep step;   // no terms: plain sums
  int least_a, least_b;  // exponents of the narrow dtypes' subnormals, of which that of 1 is 127
};
using ChipDotLoop = void (*)(float* c, std::int64_t c_row, const float* acc, std::int64_t acc_row, const float* a,
                             std::int64_t a_row, const float* b, std::int64_t b_row, std::int64_t m, std::int64_t n,
                             std::int64_t k, const ChipDot& chip);
using RoundLoop = void (*)(float* out, const float* in, std::int64_t n);

struct Loops {
  // Null where the op has no loop for that dtype. Arithmetic is on bool (as uint8), int32, int64, uint8, uint32,
  // float32 and float64.
  BinaryLoop (*binary)(trace::Op, DType);
  UnaryLoop (*unary)(trace::Op, DType);
  UnaryLoop (*cast)(DType from, DType to);
  SelectLoop (*select)(int bytes);
  FillLoop (*fill)(int bytes);
  FmaLoop (*fma)(DType);
  ReduceLoop (*reduce)(trace::Op, DType);  // sum, max, min
  OrderedSumLoop (*ordered_sum)(DType);    // float32, float64
  DotLoop (*dot)(DType);                   // float32, float64
  ChipDotLoop chip_dot;
  RoundLoop round_to_tf32, cut_to_tf32;
  void (*philox)(std::uint32_t* out, std::uint64_t seed, const std::uint32_t* low, const std::uint32_t* high,
                 std::int64_t n);  // high may be null
  void (*philox_pair)(std::uint32_t* out0, std::uint32_t* out1, std::uint64_t seed, const std::uint32_t* low,
                      const std::uint32_t* high, std::int64_t n);
  void (*uniform)(float* out, const std::uint32_t* words, std::int64_t n);
  // Rows of a tile, `to_row` and `from_row` bytes apart: out of a tensor, and into one.
  void (*fetch)(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t bytes,
                std::int64_t rows);
  void (*put)(void* to, std::int64_t to_row, const void* from, std::int64_t from_row, std::int64_t bytes,
              std::int64_t rows);
  void (*transpose32)(std::uint32_t* out, const std::uint32_t* in, std::int64_t in_stride, std::int64_t rows,
                      std::int64_t cols);
};

const Loops& loops();

namespace baseline {
extern const Loops table;
}
namespace avx2 {
extern const Loops table;
}
namespace avx512 {
extern const Loops table;
}

}  // namespace tl::cpu
