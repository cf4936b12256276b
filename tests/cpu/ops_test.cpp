// Every op against tables and plain loops in double.
#include <bit>
#include <cmath>
#include <cstring>

#include "interp/lang/narrow.h"
#include "tests/cpu/lab.h"

using namespace tl;
using namespace tl::testing;

namespace {
constexpr DType narrow[] = {DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5};
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}
}  // namespace

TEST_CASE("arithmetic on ints wraps as on the GPU") {
  well([](auto& tl) {
    CHECK(lanes(block(tl, DType::int32, {2147483647, 5}) + 1) == Lanes{-2147483648.0, 6});
    CHECK(lanes(block(tl, DType::uint8, {255, 5}) + 1) == Lanes{0, 6});
    CHECK(lanes(block(tl, DType::uint32, {0, 5}) - 1) == Lanes{4294967295.0, 4});
    CHECK(lanes(block(tl, DType::int32, {65536, 3}) * 65536) == Lanes{0, 196608});
    CHECK(lanes(tl.arange(0, 4_c) * 2147483647) == Lanes{0, 2147483647.0, -2, 2147483645.0});
  });
}

TEST_CASE("division of ints truncates toward zero, and % takes the dividend's sign") {
  well([](auto& tl) {
    auto a = block(tl, DType::int32, {-7, 7, -7, 7}), b = block(tl, DType::int32, {2, 2, -2, -2});
    CHECK(lanes(a / b) == Lanes{-3, 3, 3, -3});
    CHECK(lanes(a % b) == Lanes{-1, 1, -1, 1});
    CHECK(lanes(block(tl, DType::int32, {-2147483648.0, 1}) / -1) == Lanes{-2147483648.0, -1});
    CHECK(lanes(block(tl, DType::int32, {-2147483648.0, 1}) % -1) == Lanes{0, 0});
  });
}

TEST_CASE("shifts by the width or more leave 0, or the sign") {
  well([](auto& tl) {
    auto by = block(tl, DType::int32, {1, 31, 32, 40});
    CHECK(lanes(block(tl, DType::int32, {3, 1, 1, 1}) << by) == Lanes{6, -2147483648.0, 0, 0});
    CHECK(lanes(block(tl, DType::int32, {-8, -8, -8, -8}) >> by) == Lanes{-4, -1, -1, -1});
    CHECK(lanes(block(tl, DType::uint8, {255, 255}) >> 4) == Lanes{15, 15});
  });
}

TEST_CASE("arithmetic on narrow floats is that of double, rounded once") {
  for (const DType t : narrow) {
    Lanes a, b;
    for (int i = 0; i < 64; ++i) {
      a.push_back(decode_narrow(t, encode_narrow(t, std::ldexp(i - 31.37, i % 7 - 3))));
      b.push_back(decode_narrow(t, encode_narrow(t, std::ldexp(17.3 - i, i % 5 - 2))));
    }
    well([&](auto& tl) {
      auto x = block(tl, t, a), y = block(tl, t, b);
      const Lanes sum = lanes(x + y), product = lanes(x * y), quotient = lanes(x / y), difference = lanes(x - y);
      CHECK(dtype_of(x / y) == t);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto rounded = [&](double v) { return decode_narrow(t, encode_narrow(t, v)); };
        CHECK(same(sum[i], rounded(a[i] + b[i])));
        CHECK(same(difference[i], rounded(a[i] - b[i])));
        CHECK(same(product[i], rounded(a[i] * b[i])));
        if (b[i] != 0) CHECK(same(quotient[i], rounded(a[i] / b[i])));
      }
    });
  }
}

TEST_CASE("casts from every narrow float to float32 are exact, and back") {
  for (const DType t : narrow) {
    const int bits = size_in_bytes(t) * 8;
    well([&](auto& tl) {
      cpu::Ref r = cpu::make_dense(tl.state(), t, 1, std::array<std::int64_t, 1>{std::int64_t{1} << bits}.data());
      for (std::uint32_t i = 0; i < 1u << bits; ++i)
        if (bits == 16) reinterpret_cast<std::uint16_t*>(r->buffer->bytes())[i] = static_cast<std::uint16_t>(i);
        else reinterpret_cast<std::uint8_t*>(r->buffer->bytes())[i] = static_cast<std::uint8_t>(i);
      const Block all(r.release());
      auto wide = all.to(tl.float32);
      const Lanes out = lanes(wide), back = lanes(wide.to(all.dtype));
      int wrong = 0;
      for (std::uint32_t i = 0; i < 1u << bits; ++i) {
        const double expected = decode_narrow(t, static_cast<std::uint16_t>(i));
        wrong += !same(out[i], expected) && !std::isnan(expected);
        wrong += std::isnan(expected) != std::isnan(out[i]);
        wrong += !same(back[i], decode_narrow(t, encode_narrow(t, expected)));
      }
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("casts from float32 to narrow floats round to nearest even at every boundary") {
  for (const DType t : narrow) {
    // Halfway between neighbours, and one float to each side of it.
    Lanes v;
    const int bits = size_in_bytes(t) * 8;
    for (std::uint32_t i = 0; i + 1 < 1u << (bits - 1); i += bits == 16 ? 37 : 1) {
      const double a = decode_narrow(t, static_cast<std::uint16_t>(i)),
                   b = decode_narrow(t, static_cast<std::uint16_t>(i + 1));
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      const float middle = static_cast<float>((a + b) / 2);
      for (const float f : {middle, std::nextafterf(middle, 0), std::nextafterf(middle, 1e38f)})
        v.insert(v.end(), {f, -f});
    }
    for (const double f :
         {1e30, 448.0, 464.0, 465.0, 57344.0, 61440.0, 65504.0, 65519.0, 65520.0, infinity, 1e-30, 0.0, not_a_number})
      v.insert(v.end(), {f, -f});
    while (v.size() & (v.size() - 1)) v.push_back(0);
    for (double& f : v) f = static_cast<float>(f);
    well([&](auto& tl) {
      const Lanes out = lanes(block(tl, DType::float32, v).to(cpu::ElementType{t}));
      int wrong = 0;
      for (std::size_t i = 0; i < v.size(); ++i) wrong += !same(out[i], decode_narrow(t, encode_narrow(t, v[i])));
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("floats to ints truncate, saturate, and turn NaN into 0") {
  well([](auto& tl) {
    auto x = block(tl, DType::float32, {-1.9, 1.9, 3e9, -3e9, not_a_number, infinity, 255.9, 256});
    CHECK(lanes(x.to(tl.int32)) == Lanes{-1, 1, 2147483647, -2147483648.0, 0, 2147483647, 255, 256});
    CHECK(lanes(x.to(tl.uint8)) == Lanes{0, 1, 255, 0, 0, 255, 255, 255});
    CHECK(lanes(x.to(tl.uint32)) == Lanes{0, 1, 3e9, 0, 0, 4294967295.0, 255, 256});
    CHECK(lanes(x.to(tl.int1)) == Lanes{1, 1, 1, 1, 1, 1, 1, 1});
  });
}

TEST_CASE("promotion: what two dtypes meet in") {
  well([](auto& tl) {
    auto u8 = block(tl, DType::uint8, {1, 2}), i32 = block(tl, DType::int32, {1, 2}),
         f16 = block(tl, DType::float16, {1, 2});
    auto bf16 = block(tl, DType::bfloat16, {1, 2}), f64 = block(tl, DType::float64, {1, 2}),
         i1 = block(tl, DType::int1, {1, 0});
    CHECK(dtype_of(0.5 * u8) == DType::float32);
    CHECK(dtype_of(u8 + i32) == DType::int32);
    CHECK(dtype_of(i32 + f16) == DType::float16);
    CHECK(dtype_of(bf16 + i32) == DType::float32);
    CHECK(dtype_of(f16 + bf16) == DType::float16);
    CHECK(dtype_of(f16 + 0.5) == DType::float16);
    CHECK(dtype_of(f64 + 0.5) == DType::float64);
    CHECK(dtype_of(i1 + 1) == DType::int32);
    CHECK(dtype_of(tl.program_id(0) * 2_c) == DType::int32);
    CHECK(dtype_of(tl.sum(u8, 0)) == DType::uint32);
    CHECK(dtype_of(tl.max(bf16, 0)) == DType::float32);
  });
}

TEST_CASE("maximum, minimum, max and min drop NaN; argmax takes the first of equals") {
  well([](auto& tl) {
    auto a = block(tl, DType::float32, {not_a_number, 1, not_a_number, -0.0}),
         b = block(tl, DType::float32, {2, not_a_number, not_a_number, 0.0});
    const Lanes most = lanes(tl.maximum(a, b)), least = lanes(tl.minimum(a, b));
    CHECK(most[0] == 2);
    CHECK(most[1] == 1);
    CHECK(std::isnan(most[2]));
    CHECK(!std::signbit(most[3]));
    CHECK(std::signbit(least[3]));
    CHECK(lanes(tl.max(block(tl, DType::float32, {1, not_a_number, 7, 7}), 0)) == Lanes{7});
    CHECK(lanes(tl.argmax(block(tl, DType::float32, {1, not_a_number, 7, 7}), 0)) == Lanes{2});
    CHECK(lanes(tl.argmin(block(tl, DType::int32, {4, 1, 1, 3}), 0)) == Lanes{1});
  });
}

TEST_CASE("a block over one number rounds every lane as a division does") {
  std::vector<float> v = {0.0f, -0.0f, 1e-45f, -3e-39f, 3e38f, HUGE_VALF, std::nanf(""), 16777215.0f};
  for (std::uint32_t i = 1; v.size() < 4096; ++i) v.push_back(std::bit_cast<float>(i * 2654435761u));
  std::vector<float> plain;  // no lane of these is special
  for (const float f : v) plain.push_back(1.0f + std::fabs(std::fmod(f, 1000.0f)) * (std::isfinite(f) ? 1.0f : 0.0f));
  for (float& f : plain) f = std::isfinite(f) ? f : 0.0f;
  well([&](auto& tl) {
    for (const std::vector<float>& x : {v, plain})
      for (const float y : {3.0f, -0.1f, 781.0f, 16777215.0f, 1e-30f, 1e30f, HUGE_VALF, 0.0f}) {
        const Lanes got = lanes(block(tl, DType::float32, Lanes(x.begin(), x.end())) / y);
        int wrong = 0;
        for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(got[i], x[i] / y);
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("the largest of floats, at every length and place") {
  well([](auto& tl) {
    for (const std::int64_t n : {32, 64, 256}) {
      for (std::int64_t at = 0; at < n; at += 7) {
        Lanes v(static_cast<std::size_t>(n), -3);
        v[static_cast<std::size_t>(at)] = 2.5;
        v[static_cast<std::size_t>((at + 11) % n)] = not_a_number;
        CHECK(lanes(tl.max(block(tl, DType::float32, v), 0)) == Lanes{2.5});
        for (double& lane : v) lane = -lane;
        CHECK(lanes(tl.min(block(tl, DType::float32, v), 0)) == Lanes{-2.5});
      }
    }
  });
}

TEST_CASE("exp, exp2, log and their like stay within 3 ulp of double") {
  Lanes v;
  for (int i = 0; i < 4096; ++i) v.push_back(static_cast<float>((i - 2048) / 24.0));
  well([&](auto& tl) {
    auto x = block(tl, DType::float32, v);
    auto positive = tl.abs(x) + 1e-3;
    const auto check = [](const Lanes& got, const Lanes& in, auto f) {
      double worst = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double expected = f(in[i]);
        const double ulp =
            std::max(std::fabs(static_cast<double>(std::nextafterf(static_cast<float>(expected), 3e38f)) -
                               static_cast<float>(expected)),
                     0x1p-149);
        if (std::isfinite(static_cast<float>(expected))) worst = std::max(worst, std::fabs(got[i] - expected) / ulp);
      }
      CHECK(worst <= 3);
    };
    check(lanes(tl.exp(x)), v, [](double d) { return std::exp(d); });
    check(lanes(tl.exp2(x)), v, [](double d) { return std::exp2(d); });
    check(lanes(tl.sigmoid(x)), v, [](double d) { return 1 / (1 + std::exp(-d)); });
    check(lanes(tl.sin(x)), v, [](double d) { return std::sin(d); });
    check(lanes(tl.erf(x)), v, [](double d) { return std::erf(d); });
    check(lanes(tl.log2(positive)), lanes(positive), [](double d) { return std::log2(d); });
    check(lanes(tl.rsqrt(positive)), lanes(positive), [](double d) { return 1 / std::sqrt(d); });
  });
}

TEST_CASE("exp and exp2: infinities, NaN, overflow and subnormal results") {
  well([](auto& tl) {
    const Lanes e = lanes(tl.exp2(block(tl, DType::float32, {infinity, -infinity, 128, -149, -151, 0, 3, -126})));
    CHECK(e == Lanes{infinity, 0, infinity, 0x1p-149, 0, 1, 8, 0x1p-126});
    const Lanes f = lanes(tl.exp(block(tl, DType::float32, {infinity, -infinity, 89, not_a_number})));
    CHECK(f[0] == infinity);
    CHECK(f[1] == 0);
    CHECK(f[2] == infinity);
    CHECK(std::isnan(f[3]));
  });
}

TEST_CASE("sum, max, cumsum: along every axis, as plain loops do") {
  Lanes v;
  for (int i = 0; i < 4 * 8 * 16; ++i) v.push_back((i * 37) % 101 - 50);
  well([&](auto& tl) {
    auto x = block(tl, DType::float32, {4, 8, 16}, v);
    const Lanes sum0 = lanes(tl.sum(x, 0_c)), sum1 = lanes(tl.sum(x, 1_c)), max2 = lanes(tl.max(x, 2_c)),
                run1 = lanes(tl.cumsum(x, 1_c));
    const auto at = [&](int i, int j, int k) { return v[static_cast<std::size_t>((i * 8 + j) * 16 + k)]; };
    double expected = 0;
    for (int i = 0; i < 4; ++i) expected += at(i, 3, 5);
    CHECK(sum0[3 * 16 + 5] == expected);
    expected = 0;
    for (int j = 0; j < 8; ++j) {
      expected += at(2, j, 5);
      CHECK(run1[static_cast<std::size_t>((2 * 8 + j) * 16 + 5)] == expected);
    }
    CHECK(sum1[2 * 16 + 5] == expected);
    expected = -1e9;
    for (int k = 0; k < 16; ++k) expected = std::max(expected, at(1, 7, k));
    CHECK(max2[1 * 8 + 7] == expected);
  });
}

TEST_CASE("reduce: a combine function on blocks, and one that branches on its arguments") {
  well([](auto& tl) {
    auto x = block(tl, DType::int32, {2, 4}, {3, 1, 4, 1, 5, 9, 2, 6});
    CHECK(lanes(tl.reduce(x, 1_c, [](auto a, auto b) { return a ^ b; })) == Lanes{3 ^ 1 ^ 4 ^ 1, 5 ^ 9 ^ 2 ^ 6});
    CHECK(lanes(tl.reduce(x, 1_c, [](auto a, auto b) { return a > b ? a : b; })) == Lanes{4, 9});
    CHECK(lanes(tl.reduce(x, 0_c, [&](auto a, auto b) { return tl.minimum(a, b); })) == Lanes{3, 1, 2, 1});
  });
}

TEST_CASE("reshape, permute, trans, split and join come back to where they began") {
  Lanes v;
  for (int i = 0; i < 32; ++i) v.push_back(i);
  well([&](auto& tl) {
    for (const DType t : {DType::float32, DType::int32, DType::uint8, DType::float16}) {
      auto x = block(tl, t, {4, 8}, v);
      CHECK(lanes(tl.trans(tl.trans(x))) == v);
      CHECK(lanes(tl.reshape(tl.trans(x), tl.shape(32_c)))[1] == 8);
      auto [left, right] = tl.split(tl.permute(tl.reshape(x, tl.shape(4_c, 2_c, 8_c / 2_c)), tl.axes(0_c, 2_c, 1_c)));
      CHECK(lanes(left) == Lanes{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27});
      auto joined = tl.reshape(tl.permute(tl.join(left, right), tl.axes(0_c, 2_c, 1_c)), tl.shape(4_c, 8_c));
      CHECK(lanes(joined) == v);
    }
    auto i = tl.reshape(tl.arange(0, 32_c), tl.shape(4_c, 8_c));
    CHECK(lanes(tl.trans(i)(None, _, _)) == lanes(tl.trans(block(tl, DType::int32, {4, 8}, v))));
  });
}

TEST_CASE("masks stay right where they are no box") {
  well([](auto& tl) {
    auto i = tl.arange(0, 4_c)(_, None), j = tl.arange(0, 4_c)(None, _);
    CHECK(lanes(i >= j) == Lanes{1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1});
    CHECK(lanes((i == 1) | (j == 2)) == Lanes{0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0});
    CHECK(lanes(~((i > 1) & (j < 3))) == Lanes{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(lanes(!(tl.arange(0, 4_c) < 2)) == Lanes{0, 0, 1, 1});
    CHECK(lanes((2 - tl.arange(0, 4_c)) <= 0) == Lanes{0, 0, 1, 1});
    CHECK(lanes(tl.arange(0, 4_c) * 2 != 4) == Lanes{1, 1, 0, 1});
    CHECK(lanes(5 - tl.arange(0, 4_c) * 3 > -2) == Lanes{1, 1, 1, 0});
  });
}

TEST_CASE("dot: f32 inputs round to tf32 with ties away from zero, unless tl.ieee") {
  well([](auto& tl) {
    const double tie = 1 + 0x1p-11, below = 1 + 0x1p-11 - 0x1p-23;
    auto a = block(tl, DType::float32, {2, 2}, {tie, 0, below, 0}),
         one = block(tl, DType::float32, {2, 2}, {1, 0, 0, 0});
    CHECK(lanes(tl.dot(a, one)) == Lanes{1 + 0x1p-10, 0, 1, 0});
    auto acc = tl.zeros(tl.shape(2_c, 2_c), tl.float32);
    CHECK(lanes(tl.dot(a, one, acc, tl.ieee)) == Lanes{tie, 0, below, 0});
    CHECK(lanes(tl.dot(a, one, acc + 1, tl.ieee)) == Lanes{tie + 1, 1, static_cast<float>(below + 1), 1});
  });
}

TEST_CASE("dot: every input dtype, transposed sides, small and odd tiles") {
  for (const DType t :
       {DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5, DType::float32, DType::float64})
    for (const int m : {1, 2, 16, 64})
      for (const int n : {1, 8, 32, 64})
        for (const int k : {1, 16, 32}) {
          const Tensor a = random_tensor("a", t, {m, k}, 1), b = random_tensor("b", t, {n, k}, 2);
          well([&](auto& tl) {
            const auto d =
                tl.dot(block(tl, t, {m, k}, values_of(a)), tl.trans(block(tl, t, {n, k}, values_of(b))),
                       tl.zeros(tl.shape(Constant(m), Constant(n)), cpu::ElementType{dot_dtype(t)}), tl.ieee);
            const Lanes got = lanes(d);
            double worst = 0;
            for (int i = 0; i < m; ++i)
              for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int l = 0; l < k; ++l) sum += get(a, i * k + l) * get(b, j * k + l);
                worst = std::max(worst, std::fabs(got[static_cast<std::size_t>(i * n + j)] - sum));
              }
            CHECK(worst < 1e-5);
          });
        }
}

TEST_CASE("random: Philox word for word, at int32 and int64 offsets, whatever the block") {
  well([](auto& tl) {
    CHECK(lanes(tl.randint(0, tl.arange(0, 2_c))) == Lanes{0x6627e8d5u, 0xf8e4cca4u});
    CHECK(lanes(tl.randint(0, tl.arange(0, 2_c).to(tl.int64))) == Lanes{0x6627e8d5u, 0xf8e4cca4u});
    auto small = tl.rand(42, 64 + tl.arange(0, 16_c)), large = tl.rand(42, tl.arange(0, 128_c));
    const Lanes a = lanes(small), b = lanes(large);
    for (std::size_t i = 0; i < 16; ++i) CHECK(a[i] == b[64 + i]);
    double sum = 0, squares = 0;
    for (const double v : lanes(tl.randn(7, tl.arange(0, 65536_c)))) {
      sum += v;
      squares += v * v;
    }
    CHECK(std::fabs(sum / 65536) < 0.02);
    CHECK(squares / 65536 == doctest::Approx(1).epsilon(0.02));
  });
}

TEST_CASE("where, clamp, fma, cdiv and umulhi") {
  well([](auto& tl) {
    auto x = tl.arange(0, 4_c);
    CHECK(lanes(tl.where(x < 2, x, -1)) == Lanes{0, 1, -1, -1});
    CHECK(lanes(tl.where(x(_, None) >= x(None, _), 1.5, 0.0))[1] == 0);
    CHECK(lanes(tl.clamp(x, 1, 2)) == Lanes{1, 1, 2, 2});
    CHECK(lanes(tl.cdiv(x, 2)) == Lanes{0, 1, 1, 2});
    CHECK(tl.cdiv(7_c, 2_c).value == 4);
    CHECK(lanes(tl.umulhi(block(tl, DType::uint32, {4294967295.0, 2}), block(tl, DType::uint32, {4294967295.0, 3}))) ==
          Lanes{4294967294.0, 0});
    // The product's last bit survives until the one rounding.
    auto a = block(tl, DType::float32, {1 + 0x1p-12, 2});
    CHECK(lanes(tl.fma(a, a, -1.0))[0] == 0x1p-11 + 0x1p-24);
  });
}

TEST_CASE("constants: constant with constant is a constant, with an int an int") {
  static_assert(constexpr_<decltype(4_c - 1_c)>);
  static_assert(std::is_same_v<decltype(true ? 4_c : 1_c), int>);
  static_assert((0x40_c).value == 64 && (1'024_c).value == 1024 && (0b101_c).value == 5 && (017_c).value == 15);
  static_assert(std::is_same_v<decltype(4_c * 2), int>);
  static_assert((7_c / 2_c).value == 3 && (7_c % 4_c).value == 3 && (1_c << 4_c).value == 16 && (3_c < 4_c).value == 1);
  well([](auto& tl) {
    int sum = 0;
    tl.static_for(3_c, [&](auto i) { sum += static_cast<int>(i); });
    CHECK(sum == 3);
    CHECK(tl.static_if(4_c > 3_c, [] { return 1; }, [] { return 2; }) == 1);
    auto x = tl.zeros(tl.shape(4_c, 2_c), tl.float32);
    CHECK(x.shape[1_c].value == 2);
  });
}
