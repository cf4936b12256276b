// Expected values: IEEE 754 binary16, the bfloat16 definition, and the OCP fp8 tables (E4M3, E5M2).
#include "interp/lang/narrow.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using tl::DType;

TEST_CASE("narrow floats: every bit pattern decodes and encodes to itself") {
  for (DType d : {DType::float16, DType::bfloat16})
    for (int bits = 0; bits < 65536; ++bits) {
      const double v = tl::decode_narrow(d, static_cast<std::uint16_t>(bits));
      if (!std::isnan(v)) REQUIRE(tl::encode_narrow(d, v) == bits);
    }
  for (int bits = 0; bits < 256; ++bits) {
    const double e4 = tl::decode_narrow(DType::float8e4nv, static_cast<std::uint16_t>(bits));
    if (!std::isnan(e4)) REQUIRE(tl::encode_narrow(DType::float8e4nv, e4) == bits);
    const double e5 = tl::decode_narrow(DType::float8e5, static_cast<std::uint16_t>(bits));
    if (std::isfinite(e5)) REQUIRE(tl::encode_narrow(DType::float8e5, e5) == bits);
  }
}

TEST_CASE("narrow floats: landmarks of the published tables") {
  CHECK(tl::decode_narrow(DType::float16, 0x7bff) == 65504);
  CHECK(tl::decode_narrow(DType::float16, 0x0001) == std::ldexp(1, -24));
  CHECK(tl::decode_narrow(DType::bfloat16, 0x3f80) == 1);
  CHECK(tl::decode_narrow(DType::float8e4nv, 0x7e) == 448);
  CHECK(tl::decode_narrow(DType::float8e4nv, 0x01) == std::ldexp(1, -9));
  CHECK(std::isnan(tl::decode_narrow(DType::float8e4nv, 0x7f)));
  CHECK(tl::decode_narrow(DType::float8e5, 0x7b) == 57344);
  CHECK(std::isinf(tl::decode_narrow(DType::float8e5, 0x7c)));
}

TEST_CASE("narrow floats: ties round to even, and the value is rounded once") {
  CHECK(tl::encode_narrow(DType::float16, 2049) == 0x6800);          // 2048
  CHECK(tl::encode_narrow(DType::float16, 2051) == 0x6802);          // 2052
  CHECK(tl::encode_narrow(DType::float16, 2049.0000001) == 0x6801);  // by way of float it would tie
  CHECK(tl::encode_narrow(DType::float16, 65519.99) == 0x7bff);
  CHECK(tl::encode_narrow(DType::float16, 65520) == 0x7c00);
  CHECK(tl::encode_narrow(DType::float8e4nv, 1e9) == 0x7e);
  CHECK(tl::encode_narrow(DType::float8e5, -std::numeric_limits<double>::infinity()) == 0xfb);
}

TEST_CASE("float to int: toward zero, saturating, NaN to 0") {
  CHECK(tl::float_to_int32(-1.9) == -1);
  CHECK(tl::float_to_int32(3e9) == 2147483647);
  CHECK(tl::float_to_uint8(-3) == 0);
  CHECK(tl::float_to_uint8(254.99) == 254);
  CHECK(tl::float_to_int32(std::nan("")) == 0);
}
