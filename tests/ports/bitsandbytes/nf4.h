// NF4: values of a block, divided by its largest, as one of sixteen levels, two in a byte; and back.
// After quantize_nf4_blockwise_kernel and dequant_nf4_kernel in bitsandbytes/backends/triton/kernels_4bit.py of
// bitsandbytes-foundation/bitsandbytes at 1c9d959f25eb.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case quantize_nf4_kernel: n=1000 blocks=16 x=f32[n]:normal absmax=out:f32[blocks] out=out:u8[n/2] n_elements=n
// case quantize_nf4_kernel: BLOCK=64 SPLIT=4 grid=2 expect=quantize_nf4_loop
struct quantize_nf4_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto absmax_ptr, ptr auto out_ptr, int_ auto n_elements,
                  constexpr_ auto BLOCK, constexpr_ auto SPLIT) const {
    auto BLOCKS = SPLIT * 2_c;
    auto first = tl.program_id(0) * BLOCKS;
    auto offs = first * BLOCK + tl.arange(0, BLOCKS * BLOCK);
    auto x = tl.reshape(tl.load(x_ptr + offs, {.mask = offs < n_elements, .other = 0}), tl.shape(BLOCKS, BLOCK));
    auto absmax = tl.max(tl.abs(x), 1_c);
    tl.store(absmax_ptr + first + tl.arange(0, BLOCKS), absmax);
    auto v = tl.clamp(x / absmax(_, None), -1.0, 1.0);
    auto upper = tl.where(v > 0.3893125355243683,
                          tl.where(v > 0.6427869200706482, tl.where(v > 0.8614784181118011, 15, 14),
                                   tl.where(v > 0.5016634166240692, 13, 12)),
                          tl.where(v > 0.2035212516784668, tl.where(v > 0.2920137718319893, 11, 10),
                                   tl.where(v > 0.1202552504837513, 9, 8)));
    auto lower = tl.where(v > -0.33967943489551544,
                          tl.where(v > -0.13791173323988914, tl.where(v > -0.045525018125772476, 7, 6),
                                   tl.where(v > -0.23460740596055984, 5, 4)),
                          tl.where(v > -0.6106329262256622, tl.where(v > -0.4599952697753906, 3, 2),
                                   tl.where(v > -0.8480964004993439, 1, 0)));
    auto code = tl.where(v > 0.03979014977812767, upper, lower).to(tl.uint8);
    auto [left, right] = tl.split(tl.reshape(code, tl.shape(BLOCKS, BLOCK / 2_c, 2_c)));
    auto bytes = tl.ravel(left << 4 | (right & 0xF));
    auto out_offs = first * (BLOCK / 2_c) + tl.arange(0, SPLIT * BLOCK);
    tl.store(out_ptr + out_offs, bytes, {.mask = out_offs < n_elements - n_elements / 2});
  }
};

inline double nf4_level(int code) {
  const double levels[] = {-1,
                           -0.6961928009986877,
                           -0.5250730514526367,
                           -0.39491748809814453,
                           -0.28444138169288635,
                           -0.18477343022823334,
                           -0.09105003625154495,
                           0,
                           0.07958029955625534,
                           0.16093020141124725,
                           0.24611230194568634,
                           0.33791524171829224,
                           0.44070982933044434,
                           0.5626170039176941,
                           0.7229568362236023,
                           1};
  return levels[code];
}

// The nearest level.
void quantize_nf4_loop(auto& args) {
  auto x = args["x"], absmax = args["absmax"], out = args["out"];
  for (int b = 0; b < absmax.size(0); ++b) {
    absmax(b) = 0;
    for (int i = 64 * b; i < 64 * b + 64 && i < x.size(0); ++i) absmax(b) = fmax(absmax(b), fabs(x(i)));
    for (int i = 64 * b; i < 64 * b + 64 && i < x.size(0); ++i) {
      int code = 0;
      for (int c = 1; c < 16; ++c)
        if (fabs(x(i) / absmax(b) - nf4_level(c)) < fabs(x(i) / absmax(b) - nf4_level(code))) code = c;
      if (i % 2 == 0) out(i / 2) = 16 * code;
      else out(i / 2) += code;
    }
  }
}

auto nf4_value(auto& tl, auto code) {
  auto c3 = (code & 8) != 0;
  auto c2 = (code & 4) != 0;
  auto c1 = (code & 2) != 0;
  auto c0 = (code & 1) != 0;
  auto upper = tl.where(
      c2, tl.where(c1, tl.where(c0, 1.0, 0.7229568362236023), tl.where(c0, 0.5626170039176941, 0.44070982933044434)),
      tl.where(c1, tl.where(c0, 0.33791524171829224, 0.24611230194568634),
               tl.where(c0, 0.16093020141124725, 0.07958029955625534)));
  auto lower = tl.where(
      c2,
      tl.where(c1, tl.where(c0, 0.0, -0.09105003625154495), tl.where(c0, -0.18477343022823334, -0.28444138169288635)),
      tl.where(c1, tl.where(c0, -0.39491748809814453, -0.5250730514526367), tl.where(c0, -0.6961928009986877, -1.0)));
  return tl.where(c3, upper, lower);
}

// case dequantize_nf4_kernel: n=500 bytes=u8[n]:each(37*i%256) y=out:bf16[2*n] absmax=f32[16]:uniform(0.5,2) n_bytes=n
// case dequantize_nf4_kernel: n_values=2*n BLOCK=64 SPLIT=256 grid=2 expect=dequantize_nf4_loop
struct dequantize_nf4_kernel {
  void operator()(auto& tl, ptr auto bytes_ptr, ptr auto y_ptr, ptr auto absmax_ptr, int_ auto n_bytes,
                  int_ auto n_values, constexpr_ auto BLOCK, constexpr_ auto SPLIT) const {
    auto offs = tl.program_id(0) * SPLIT + tl.arange(0, SPLIT);
    auto mask = offs < n_bytes;
    auto bytes = tl.load(bytes_ptr + offs, {.mask = mask, .other = 0, .eviction_policy = "evict_first"});
    auto absmax =
        tl.load(absmax_ptr + offs / (BLOCK / 2_c), {.mask = mask, .other = 1.0, .eviction_policy = "evict_last"});
    auto y = tl.interleave(nf4_value(tl, bytes >> 4) * absmax, nf4_value(tl, bytes & 0xF) * absmax);
    auto out = tl.program_id(0) * (SPLIT * 2_c) + tl.arange(0, SPLIT * 2_c);
    tl.store(y_ptr + out, y, {.mask = out < n_values});
  }
};

void dequantize_nf4_loop(auto& args) {
  auto bytes = args["bytes"], y = args["y"], absmax = args["absmax"];
  for (int i = 0; i < bytes.size(0); ++i) {
    y(2 * i) = nf4_level(int(bytes(i)) / 16) * absmax(i / 32);
    y(2 * i + 1) = nf4_level(int(bytes(i)) % 16) * absmax(i / 32);
  }
}

}  // namespace tl::ports
