// Rows to mxfp4: for 32 values along them a power of two, and each value in two, one and one bits of sign, exponent and
// fraction, rounded to nearest even by arithmetic on the bits of fp32; two in a byte.
// After _dynamic_mxfp4_quant_kernel in aiter/ops/triton/_triton_kernels/quant/quant.py of ROCm/aiter at e4048607a535.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// A block of BM x BN floats: the bytes of its values, and the biased exponents of its scales.
auto to_mxfp4(auto& tl, auto x, constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto GROUP) {
  auto groups = tl.reshape(x, tl.shape(BM, BN / GROUP, GROUP));
  auto largest = tl.max(tl.abs(groups), 2_c, tl.keep_dims).to(tl.int32, tl.bitcast);
  auto power = ((largest + 0x200000).to(tl.uint32, tl.bitcast) & 0xFF800000u).to(tl.float32, tl.bitcast);
  auto exponent = tl.clamp(tl.floor(tl.log2(power)) - 2, -127, 127);
  auto bits = (groups * tl.exp2(-exponent)).to(tl.uint32, tl.bitcast);
  auto sign = bits & 0x80000000u;
  bits = bits ^ sign;
  auto value = bits.to(tl.float32, tl.bitcast);
  auto is_large = value >= 6;
  auto is_small = !is_large & (value < 1);

  // A sum with 2^22, where fp32 counts in halves, rounds what is below 1.
  auto magic = tl.full(tl.shape(), 0x4A800000, tl.int32).to(tl.float32, tl.bitcast);
  auto small = (value + magic).to(tl.uint32, tl.bitcast) - 0x4A800000;
  auto is_odd = (bits >> 22) & 1;
  auto normal = (bits + 0xC11FFFFFu + is_odd) >> 22;  // bias 127 becomes 1; half a unit less one, and one where odd
  auto code = tl.full(bits.shape, 7, tl.uint8);
  code = tl.where(is_large | is_small, code, normal.to(tl.uint8));
  code = tl.where(is_small, small.to(tl.uint8), code);
  code = code | (sign >> 28).to(tl.uint8);
  auto [even, odd] = tl.split(tl.reshape(code, tl.shape(BM, BN / 2_c, 2_c)));
  return tl.tuple(even | (odd << 4), tl.reshape((exponent + 127).to(tl.uint8), tl.shape(BM, BN / GROUP)));
}

// case: rows=10 cols=192 x=bf16[rows,cols]:normal fp4=out:u8[rows,cols/2] scales=out:u8[rows,cols/32] m=rows n=cols
// case: BM=8 BN=64 GROUP=32 ITERATIONS=2 grid=(cdiv(rows,BM),cdiv(cols,BN*ITERATIONS)) expect=mxfp4_quant_loop
struct mxfp4_quant_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto fp4_ptr, ptr auto scales_ptr, int_ auto m, int_ auto n,
                  constexpr_ auto BM, constexpr_ auto BN, constexpr_ auto GROUP, constexpr_ auto ITERATIONS) const {
    auto first = tl.program_id(1) * ITERATIONS;
    auto stride = tl.cast(n, tl.int64);
    auto rows = tl.program_id(0) * BM + tl.arange(0, BM);
    for (auto i : tl.range(first, tl.minimum(first + ITERATIONS, tl.cdiv(n, BN)), {.num_stages = 2})) {
      auto cols = i * BN + tl.arange(0, BN);
      auto mask = (rows < m)(_, None) & (cols < n)(None, _);
      auto x =
          tl.load(x_ptr + rows(_, None) * stride + cols(None, _), {.mask = mask, .other = 0, .cache_modifier = ".cg"});
      auto [fp4, scales] = to_mxfp4(tl, x.to(tl.float32), BM, BN, GROUP);
      auto bytes = i * (BN / 2_c) + tl.arange(0, BN / 2_c);
      tl.store(fp4_ptr + rows(_, None) * (stride / 2) + bytes(None, _), fp4,
               {.mask = (rows < m)(_, None) & (bytes < n / 2)(None, _)});
      auto groups = i * (BN / GROUP) + tl.arange(0, BN / GROUP);
      tl.store(scales_ptr + rows(_, None) * tl.cdiv(n, GROUP) + groups(None, _), scales,
               {.mask = (rows < m)(_, None) & (groups < tl.cdiv(n, GROUP))(None, _)});
    }
  }
};

// The nearest of e2m1's eight magnitudes; a tie goes to the even code.
void mxfp4_quant_loop(auto& args) {
  const double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  auto x = args["x"], fp4 = args["fp4"], scales = args["scales"];
  for (int i = 0; i < x.size(0); ++i)
    for (int g = 0; g < scales.size(1); ++g) {
      double largest = 0;
      for (int j = 32 * g; j < 32 * g + 32; ++j) largest = fmax(largest, fabs(x(i, j)));
      int exponent = 0;  // the power of two below 8/7 of it, which the kernel finds by adding a quarter of a unit
      while (exp2(exponent) * 1.75 > largest) --exponent;
      while (exp2(exponent + 1) * 0.875 <= largest) ++exponent;
      exponent -= 2;
      scales(i, g) = exponent + 127;
      for (int j = 32 * g; j < 32 * g + 32; ++j) {
        const double value = fabs(x(i, j)) / exp2(exponent);
        int code = 0;
        for (int c = 1; c < 8; ++c) {
          const double middle = (magnitudes[c - 1] + magnitudes[c]) / 2;
          if (value > middle || (value == middle && c % 2 == 0)) code = c;
        }
        if (x(i, j) < 0) code += 8;
        if (j % 2 == 0) fp4(i, j / 2) = code;
        else fp4(i, j / 2) += 16 * code;
      }
    }
}

}  // namespace tl::ports
