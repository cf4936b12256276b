// tl.dot with tl.tf32x3, for both executors, as Triton computes it: each side is what tf32 holds of it and a rest, and
// three products on the tensor cores come near fp32's. The rests' own product is below the sum's last bit.
#pragma once

namespace tl::tf32x3 {

// Rounded to 11 significant bits, ties away from zero.
auto tf32_part(auto& tl, auto x) {
  auto bits = (x.to(tl.int32, tl.bitcast) + 0x1000) & -0x2000;
  return tl.where(x == x, bits.to(tl.float32, tl.bitcast), x);
}
auto without_nan(auto& tl, auto x) { return tl.where(x == x, x, 0.0); }

// a b, of infinities too: inf times a rest of 0 is NaN, and counts in the product of the large parts only.
auto product(auto& tl, auto a, auto b) {
  auto a_large = tf32_part(tl, a);
  auto b_large = tf32_part(tl, b);
  auto small = tl.dot(a - a_large, b_large);
  small = tl.dot(a_large, b - b_large, small);
  auto finite = without_nan(tl, small);
  return tl.dot(a_large, b_large, finite);
}

}  // namespace tl::tf32x3
