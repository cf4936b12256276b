// tl.dot of f32 by parts that tensor cores take, for both executors, as Triton computes it: each side is a large part
// and rests, and the products of the parts come near fp32's. The products of two small rests are below the sum's last
// bit and are left out.
//   tl.tf32x3   two parts of tf32, three products
//   tl.bf16x3   two parts of bf16, three products
//   tl.bf16x6   three parts of bf16, six products
#pragma once

namespace tl::split_dot {

// Rounded to 11 significant bits, ties away from zero.
auto tf32_part(auto& tl, auto x) {
  auto bits = (x.to(tl.int32, tl.bitcast) + 0x1000) & -0x2000;
  return tl.where(x == x, bits.to(tl.float32, tl.bitcast), x);
}
// The rest of an infinity is NaN, as is inf times a rest of 0: an infinity counts in the product of large parts alone.
auto without_nan(auto& tl, auto x) { return tl.where(x == x, x, 0.0); }

auto tf32x3(auto& tl, auto a, auto b) {
  auto a0 = tf32_part(tl, a);
  auto b0 = tf32_part(tl, b);
  auto small = tl.dot(a - a0, b0);
  small = tl.dot(a0, b - b0, small);
  return tl.dot(a0, b0, without_nan(tl, small));
}

auto bf16x3(auto& tl, auto a, auto b) {
  auto a0 = a.to(tl.bfloat16);
  auto b0 = b.to(tl.bfloat16);
  auto a1 = (a - a0.to(tl.float32)).to(tl.bfloat16);
  auto b1 = (b - b0.to(tl.float32)).to(tl.bfloat16);
  auto small = tl.dot(a1, b0);
  small = tl.dot(a0, b1, small);
  return tl.dot(a0, b0, without_nan(tl, small));
}

auto bf16x6(auto& tl, auto a, auto b) {
  auto a0 = a.to(tl.bfloat16);
  auto b0 = b.to(tl.bfloat16);
  auto a_rest = a - a0.to(tl.float32);
  auto b_rest = b - b0.to(tl.float32);
  auto a1 = a_rest.to(tl.bfloat16);
  auto b1 = b_rest.to(tl.bfloat16);
  auto a2 = (a_rest - a1.to(tl.float32)).to(tl.bfloat16);
  auto b2 = (b_rest - b1.to(tl.float32)).to(tl.bfloat16);
  auto small = tl.dot(a1, b1);
  small = tl.dot(a2, b0, small);
  small = tl.dot(a0, b2, small);
  small = tl.dot(a1, b0, small);
  small = tl.dot(a0, b1, small);
  return tl.dot(a0, b0, without_nan(tl, small));
}

}  // namespace tl::split_dot
