// tl.dot_scaled by widening, for both executors: what a block of narrow floats and its scales are as bf16, which holds
// their values, or as fp16 where one side's format is fp16. A scale is a power of two (a byte, e8m0), for 32 values
// along k, or an fp8e4nv for 16 of them (nvfp4).
#pragma once

namespace tl::scaled {

// Four bits, a sign, two of the exponent, one of the fraction: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
auto widened_e2m1(auto& tl, auto bytes) {
  auto v = bytes.to(tl.int32);
  auto size = v & 7;
  auto bits = tl.where(size < 2, size * 0x3F00, (((size >> 1) + 126) << 7) | ((size & 1) << 6)) | ((v & 8) << 12);
  return bits.to(tl.uint16).to(tl.bfloat16, tl.bitcast);
}

// For a byte 2^(s - 127), rounded; 255 is NaN.
auto widened_scale(auto& tl, auto scale, auto type) {
  return tl.static_if(
      scale.dtype == tl.uint8,
      [&](auto& tl) {
        auto s = scale.to(tl.int32);
        auto bits = tl.where(s == 0, 0x400000, tl.where(s == 255, 0x7FC00000, s << 23));
        return bits.to(tl.float32, tl.bitcast).to(type);
      },
      [&](auto&) { return scale.to(type); });
}

// Two of e2m1 share a byte, neighbours along k, the first in its lower half.
auto unpacked_a(auto& tl, auto x) {
  auto both = tl.join(widened_e2m1(tl, x & 15), widened_e2m1(tl, x >> 4));
  return tl.reshape(both, tl.shape(x.shape[0_c], x.shape[1_c] * 2_c));
}
auto unpacked_b(auto& tl, auto x) {
  auto both = tl.join(widened_e2m1(tl, x & 15), widened_e2m1(tl, x >> 4));
  return tl.reshape(tl.permute(both, tl.axes(0_c, 2_c, 1_c)), tl.shape(x.shape[0_c] * 2_c, x.shape[1_c]));
}

// An operand of fp8, as such or as bytes, of bf16 or of fp16.
auto widened(auto& tl, auto x, auto format, auto type) {
  auto floats = tl.static_if(
      x.dtype == tl.uint8,
      [&](auto& tl) {
        return tl.static_if(
            format == "e4m3"_c, [&](auto&) { return x.to(tl.float8e4nv, tl.bitcast); },
            [&](auto&) { return x.to(tl.float8e5, tl.bitcast); });
      },
      [&](auto&) { return x; });
  return floats.to(type);
}
auto widened_a(auto& tl, auto x, auto format, auto type) {
  return tl.static_if(
      format == "e2m1"_c, [&](auto& tl) { return unpacked_a(tl, x).to(type); },
      [&](auto& tl) { return widened(tl, x, format, type); });
}
auto widened_b(auto& tl, auto x, auto format, auto type) {
  return tl.static_if(
      format == "e2m1"_c, [&](auto& tl) { return unpacked_b(tl, x).to(type); },
      [&](auto& tl) { return widened(tl, x, format, type); });
}

// x[m, k] by scale[m, k / 32]; x[k, n] by scale[n, k / 32]; 16 for fp8e4nv.
auto scaled_a(auto& tl, auto x, auto scale) {
  auto m = x.shape[0_c];
  auto k = x.shape[1_c];
  auto parts = scale.shape[1_c];
  auto each = tl.reshape(x, tl.shape(m, parts, k / parts)) * widened_scale(tl, scale, x.dtype)(_, _, None);
  return tl.reshape(each, tl.shape(m, k));
}
auto scaled_b(auto& tl, auto x, auto scale) {
  auto k = x.shape[0_c];
  auto n = x.shape[1_c];
  auto parts = scale.shape[1_c];
  auto each = tl.reshape(x, tl.shape(parts, k / parts, n)) * tl.trans(widened_scale(tl, scale, x.dtype))(_, None, _);
  return tl.reshape(each, tl.shape(k, n));
}

}  // namespace tl::scaled
