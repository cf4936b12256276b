// The CPU peers against the double references: a peer that is wrong would make every ratio worthless.
#include "kernels/peers/peers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "interp/lang/tensor.h"
#include "kernels/problems/random.h"
#include "kernels/reference/attention.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/philox.h"
#include "kernels/reference/rows.h"

using namespace tl;

namespace {

Tensor random(DType d, std::vector<std::int64_t> shape, std::uint64_t stream) {
  const Tensor t = make_tensor("t", d, std::move(shape));
  problems::fill_uniform(t, 1, stream);
  return t;
}
std::vector<float> widened(const Tensor& t) {
  std::vector<float> v;
  for (std::int64_t i = 0; i < t.elems(); ++i) v.push_back(static_cast<float>(get(t, i)));
  return v;
}

}  // namespace

TEST_CASE("peers: matmul in f32, f16 and bf16, B as k x n and as n x k" * doctest::skip(!peers::has_eigen)) {
  constexpr int m = 7, n = 5, k = 19;
  for (DType d : {DType::float32, DType::float16, DType::bfloat16})
    for (bool nk : {false, true}) {
      const Tensor a = random(d, {m, k}, 0),
                   b = random(d, nk ? std::vector<std::int64_t>{n, k} : std::vector<std::int64_t>{k, n}, 1);
      const Tensor c = make_tensor("c", d, {m, n});
      peers::matmul(d, a.data(), b.data(), nk, c.data(), m, n, k, 2);
      const std::vector<float> wide_a = widened(a), wide_b = widened(b);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          std::vector<float> column;
          for (int l = 0; l < k; ++l) column.push_back(nk ? wide_b[j * k + l] : wide_b[l * n + j]);
          const double expected = reference::dot(&wide_a[i * k], column.data(), k);
          REQUIRE(std::abs(get(c, i * n + j) - expected) <=
                  (d == DType::float32 ? 1e-5 : 0.03));  // bf16: half an ulp of 8 is 0.016
        }
    }
}

TEST_CASE("peers: softmax, fused and in five passes" * doctest::skip(!peers::has_eigen)) {
  const Tensor x = random(DType::float32, {3, 41}, 0), y = clone(x), z = clone(x), scratch = clone(x);
  peers::softmax(x.as<float>(), y.as<float>(), 3, 41, 2);
  peers::unfused_softmax(x.as<float>(), scratch.as<float>(), z.as<float>(), 3, 41, 2);
  for (int i = 0; i < 3; ++i) {
    const reference::Softmax s = reference::softmax(x.as<float>() + i * 41, 41);
    for (int j = 0; j < 41; ++j) {
      REQUIRE(get(y, i * 41 + j) == doctest::Approx(s.y[j]).epsilon(1e-5));
      REQUIRE(get(z, i * 41 + j) == doctest::Approx(s.y[j]).epsilon(1e-5));
    }
  }
}

TEST_CASE("peers: layernorm" * doctest::skip(!peers::has_eigen)) {
  const Tensor x = random(DType::float32, {3, 41}, 0), w = random(DType::float32, {41}, 1),
               b = random(DType::float32, {41}, 2), y = clone(x);
  peers::layernorm(DType::float32, x.data(), w.data(), b.data(), y.data(), 3, 41, 1e-5f, 2);
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> row =
        reference::layernorm(x.as<float>() + i * 41, w.as<float>(), b.as<float>(), 41, 1e-5);
    for (int j = 0; j < 41; ++j) REQUIRE(std::abs(get(y, i * 41 + j) - row[j]) < 1e-5);
  }
}

TEST_CASE("peers: attention, full and causal, over more than one strip" * doctest::skip(!peers::has_eigen)) {
  constexpr int heads = 2, seq = 100, dim = 16;
  const Tensor q = random(DType::float32, {heads, seq, dim}, 0), k = random(DType::float32, {heads, seq, dim}, 1),
               v = random(DType::float32, {heads, seq, dim}, 2), o = clone(q);
  for (bool causal : {false, true}) {
    peers::attention(DType::float32, q.data(), k.data(), v.data(), o.data(), heads, seq, dim, 0.25f, causal, 2);
    for (int row = 0; row < heads * seq; ++row) {
      const int head = row / seq;
      const reference::Attention a =
          reference::attention(q.as<float>() + row * dim, k.as<float>() + head * seq * dim,
                               v.as<float>() + head * seq * dim, causal ? row % seq + 1 : seq, dim, 0.25);
      for (int d = 0; d < dim; ++d) REQUIRE(std::abs(get(o, row * dim + d) - a.o[d]) < 1e-5);
    }
  }
}

TEST_CASE("peers: dropout keeps what the reference's random numbers keep") {
  const Tensor x = random(DType::float32, {999}, 0), keep = make_tensor("keep", DType::uint8, {999}), y = clone(x),
               z = clone(x);
  peers::dropout(x.as<float>(), keep.as<std::uint8_t>(), y.as<float>(), 999, 0.25f, 123, 2);
  peers::dropout(x.as<float>(), nullptr, z.as<float>(), 999, 0.25f, 123, 2);
  for (int i = 0; i < 999; ++i) {
    const bool kept = reference::rand(123, i) > 0.25f;
    REQUIRE(get(keep, i) == kept);
    REQUIRE(get(y, i) == (kept ? x.as<float>()[i] / 0.75f : 0));
    REQUIRE(get(z, i) == get(y, i));
  }
}

TEST_CASE("peers: copy, add, sum, transpose, grey") {
  const Tensor x = random(DType::float32, {35, 67}, 0), y = clone(x), z = make_tensor("z", DType::float32, {67, 35});
  peers::add(x.as<float>(), x.as<float>(), y.as<float>(), 35 * 67, 2);
  CHECK(get(y, 100) == 2 * get(x, 100));
  peers::transpose(x.as<float>(), z.as<float>(), 35, 67, 2);
  for (int i = 0; i < 35; ++i)
    for (int j = 0; j < 67; ++j) REQUIRE(get(z, j * 35 + i) == get(x, i * 67 + j));
  const std::vector<float> ones(1000, 1.0f);
  CHECK(peers::sum(ones.data(), 1000, 2) == 1000);
  const std::vector<std::int32_t> numbers{1, 2, 3};
  std::vector<std::int32_t> copied(3);
  peers::copy(numbers.data(), copied.data(), 3, 2);
  CHECK(copied == numbers);
  const std::vector<std::uint8_t> white{255, 255, 255};
  std::uint8_t grey = 0;
  peers::grey(white.data(), &grey, 1, 1);
  CHECK(grey == 254);  // the weights add up to 0.9999
}
