// Expected values: Philox's published known answers, small cases by hand, identities.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/attention.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/philox.h"
#include "kernels/reference/rows.h"
#include "kernels/reference/swizzle.h"

using namespace tl;

TEST_CASE("reference philox: the known answers of Random123 and Triton") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(reference::philox(0, {0, 0, 0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(reference::philox(0, {1, 0, 0, 0}) == Words{0xf8e4cca4, 0x5cb200db, 0xb1a574eb, 0x097eff67});
  CHECK(reference::philox(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("reference rand: the first word as a float in [0, 1)") {
  CHECK(reference::rand(0, 0) == static_cast<float>(0x6627e8d5) * 4.6566127342e-10f);
  CHECK(reference::rand(0, 1) ==
        static_cast<float>(0xffffffff - 0xf8e4cca4) * 4.6566127342e-10f);  // a negative word: -x - 1
}

TEST_CASE("reference swizzle: the lecture's 5 x 4 blocks in groups of 3") {
  const std::vector<std::int64_t> order = reference::grouped_order(5, 4, 3);
  std::vector<std::int64_t> z(20);
  for (std::size_t t = 0; t < order.size(); ++t) z[static_cast<std::size_t>(order[t])] = static_cast<std::int64_t>(t);
  CHECK(z == std::vector<std::int64_t>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 12, 14, 16, 18, 13, 15, 17, 19});
}

TEST_CASE("reference dot: 1 + 4 + 9 + ... + 49 = 140") {
  const float a[] = {1, 2, 3, 4, 5, 6, 7};
  CHECK(reference::dot(a, a, 7) == 140);
  CHECK(reference::dot(a, a, 0) == 0);
}

TEST_CASE("reference softmax: ln 1, ln 2, ln 5 gives eighths") {
  const float x[] = {0, std::log(2.0f), std::log(5.0f)};
  const reference::Softmax s = reference::softmax(x, 3);
  CHECK(s.y[0] == doctest::Approx(0.125));
  CHECK(s.y[1] == doctest::Approx(0.25));
  CHECK(s.y[2] == doctest::Approx(0.625));
}

TEST_CASE("reference layernorm: -1, 0, 1 has variance 2/3") {
  const float x[] = {4, 5, 6}, w[] = {1, 1, 2}, b[] = {0, 0, 1};
  const std::vector<double> y = reference::layernorm(x, w, b, 3, 0);
  CHECK(y[0] == doctest::Approx(-std::sqrt(1.5)));
  CHECK(y[1] == doctest::Approx(0));
  CHECK(y[2] == doctest::Approx(1 + 2 * std::sqrt(1.5)));
}

TEST_CASE("reference attention: equal scores average v; weights 1 : 3 follow the scores") {
  const float q[] = {1, 0}, k[] = {0, 7, 0, -2}, v[] = {2, 4, 6, 8};
  const reference::Attention equal = reference::attention(q, k, v, 2, 2, 1);
  CHECK(equal.o == std::vector<double>{4, 6});
  CHECK(equal.log2_sum == doctest::Approx(1));
  const float k3[] = {0, 0, std::log(3.0f), 0};
  const reference::Attention skewed = reference::attention(q, k3, v, 2, 2, 1);
  CHECK(skewed.o[0] == doctest::Approx(5));
  CHECK(skewed.log2_sum == doctest::Approx(2));
}

TEST_CASE("reference attention, backward: the slopes of the sum of do o, by differences of the forward pass") {
  constexpr std::int64_t seq = 3, dim = 2;
  std::vector<float> q = {0.3f, -0.7f, 1, 0.2f, -0.4f, 0.9f}, k = {0.5f, 0.1f, -1, 0.6f, 0.8f, -0.3f},
                     v = {1, -0.5f, 0.25f, 0.75f, -1, 0.5f}, o(6), m(3);
  const std::vector<float> d_o = {1, 0.5f, -0.25f, 2, -1, 0.75f};
  const double scale = 0.7;
  for (const bool causal : {true, false}) {
    CAPTURE(causal);
    const auto forward = [&](std::int64_t i) {
      return reference::attention(&q[i * dim], k.data(), v.data(), causal ? i + 1 : seq, dim, scale);
    };
    const auto sum = [&] {
      double total = 0;
      for (std::int64_t i = 0; i < seq; ++i)
        for (std::int64_t d = 0; d < dim; ++d) total += static_cast<double>(d_o[i * dim + d]) * forward(i).o[d];
      return total;
    };
    for (std::int64_t i = 0; i < seq; ++i) {
      m[i] = static_cast<float>(forward(i).log2_sum);
      for (std::int64_t d = 0; d < dim; ++d) o[i * dim + d] = static_cast<float>(forward(i).o[d]);
    }
    const auto slope = [&](float& x) {
      const float at = x, step = 1.0f / 256;
      x = at + step;
      const double above = sum();
      x = at - step;
      const double below = sum();
      x = at;
      return (above - below) / (2 * static_cast<double>(step));
    };
    for (std::int64_t row = 0; row < seq; ++row) {
      const reference::AttentionBackward b = reference::attention_backward(
          {q.data(), k.data(), v.data(), o.data(), d_o.data(), m.data(), seq, dim, scale, causal}, row);
      for (std::int64_t d = 0; d < dim; ++d) {
        CHECK(b.dq[d] == doctest::Approx(slope(q[row * dim + d])).epsilon(1e-4));
        CHECK(b.dk[d] == doctest::Approx(slope(k[row * dim + d])).epsilon(1e-4));
        CHECK(b.dv[d] == doctest::Approx(slope(v[row * dim + d])).epsilon(1e-4));
      }
    }
  }
}
