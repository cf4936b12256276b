#include "kernels/problems/random.h"

#include <doctest/doctest.h>

#include <cmath>

using tl::DType;

TEST_CASE("random inputs: uniform in [-1, 1] in every dtype, reproducible, different by stream") {
  for (DType d : {DType::float32, DType::float16, DType::bfloat16, DType::float8e4nv, DType::float8e5}) {
    const tl::Tensor x = tl::make_tensor("x", d, {100000}), y = tl::make_tensor("y", d, {100000}),
                     z = tl::make_tensor("z", d, {100000});
    tl::problems::fill_uniform(x, 1, 0);
    tl::problems::fill_uniform(y, 1, 0);
    tl::problems::fill_uniform(z, 1, 1);
    double sum = 0, squares = 0, same = 0;
    for (int i = 0; i < 100000; ++i) {
      const double v = tl::get(x, i);
      REQUIRE(std::abs(v) <= 1);
      REQUIRE(v == tl::get(y, i));
      same += v == tl::get(z, i);
      sum += v;
      squares += v * v;
    }
    CHECK(std::abs(sum / 100000) < 0.01);  // the mean's deviation is 0.0018
    CHECK(std::abs(squares / 100000 - 1.0 / 3) < 0.01);
    CHECK(same < 5000);
  }
}

TEST_CASE("coarse random inputs: multiples of 1/128 in [-1, 1]") {
  const tl::Tensor x = tl::make_tensor("x", DType::float32, {1000});
  tl::problems::fill_uniform_coarse(x, 1, 0);
  for (int i = 0; i < 1000; ++i) {
    const double v = tl::get(x, i) * 128;
    REQUIRE(v == std::floor(v));
    REQUIRE(std::abs(v) <= 128);
  }
}
