// The tensor-core path on the GPU: TMA, the ring, wgmma. Small integers as inputs, so that every product and sum is
// exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

// The kernels of tests/cuda/tensor beside the project's own.
void add_cases() {
  const char* moved = std::getenv("TILESCOPE_TENSOR_CASES");  // where the tests run on another machine than the build's
  sources::use_sources_from(moved ? moved : TILESCOPE_TENSOR_CASES);
}

Tensor integers(const std::string& name, DType dtype, std::int64_t rows, std::int64_t cols, int seed) {
  const Tensor t = make_tensor(name, dtype, {rows, cols});
  std::mt19937 random(seed);
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, static_cast<int>(random() % 7) - 3);
  return t;
}

// Every element of c against a b in integers; a is k x m where `a_is_km`, b is n x k where `b_is_nk`.
int wrong_products(const Tensor& a, const Tensor& b, const Tensor& c, bool a_is_km, bool b_is_nk) {
  const auto m = c.shape[0], n = c.shape[1], k = a.shape[a_is_km ? 0 : 1];
  std::vector<int> x(m * k), y(n * k);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l) x[i * k + l] = static_cast<int>(get(a, a_is_km ? l * m + i : i * k + l));
  for (int j = 0; j < n; ++j)
    for (int l = 0; l < k; ++l) y[j * k + l] = static_cast<int>(get(b, b_is_nk ? j * k + l : l * n + j));
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int l = 0; l < k; ++l) sum += x[i * k + l] * y[j * k + l];
      wrong += get(c, i * n + j) != sum;
    }
  return wrong;
}

struct Product {
  DType a = DType::float16, b = DType::float16, c = DType::float32;
  int m = 256, n = 256, k = 256, bm = 128, bn = 128, bk = 64, warps = 8, stages = 3;
  bool a_is_km = false, b_is_nk = false;
};

int wrong_in(const Product& p) {
  add_cases();
  const auto a = p.a_is_km ? integers("a", p.a, p.k, p.m, 1) : integers("a", p.a, p.m, p.k, 1);
  const auto b = p.b_is_nk ? integers("b", p.b, p.n, p.k, 2) : integers("b", p.b, p.k, p.n, 2);
  const auto c = make_tensor("c", p.c, {p.m, p.n});
  const std::vector<int> block_a = p.a_is_km ? std::vector{p.bk, p.bm} : std::vector{p.bm, p.bk};
  const std::vector<int> block_b = p.b_is_nk ? std::vector{p.bn, p.bk} : std::vector{p.bk, p.bn};
  Launch launch;
  launch.kernel = "tl::kernels::product_kernel";
  launch.source = "kernels/tensor_cases.h";
  launch.grid = {(p.m + p.bm - 1) / p.bm, (p.n + p.bn - 1) / p.bn};
  launch.options = {.num_warps = p.warps, .num_stages = p.stages};
  launch.arguments = {DescriptorArgument{a, block_a},
                      DescriptorArgument{b, block_b},
                      DescriptorArgument{c, {p.bm, p.bn}},
                      IntArgument{p.k},
                      ConstantArgument{p.bm},
                      ConstantArgument{p.bn},
                      ConstantArgument{p.bk},
                      ConstantArgument{p.a_is_km, true},
                      ConstantArgument{p.b_is_nk, true}};
  int wrong = 0;
  for (int repetition = 0; repetition < 2; ++repetition) {
    poison(c);
    const auto result = cuda::run(std::span(&launch, 1), test::has_dots);
    REQUIRE(result.faults.empty());
    wrong += wrong_products(a, b, c, p.a_is_km, p.b_is_nk);
  }
  return wrong;
}

int wrong_in_persistent(int m, int n, int k, int bm, int bn, int bk, bool b_is_nk, int programs,
                        DType out = DType::float16) {
  const auto a = integers("a", DType::float16, m, k, 3);
  const auto b = b_is_nk ? integers("b", DType::float16, n, k, 4) : integers("b", DType::float16, k, n, 4);
  const auto c = make_tensor("c", out, {m, n});
  Launch launch;
  launch.kernel = "tl::kernels::persistent_matmul_kernel";
  launch.source = "kernels/persistent_matmul.h";
  launch.grid = {programs};
  launch.options = {.num_warps = 8, .num_stages = 3};
  launch.arguments = {DescriptorArgument{a, {bm, bk}},
                      DescriptorArgument{b, b_is_nk ? std::vector{bn, bk} : std::vector{bk, bn}},
                      DescriptorArgument{c, {bm, bn / 2}},
                      IntArgument{m},
                      IntArgument{n},
                      IntArgument{k},
                      ConstantArgument{bm},
                      ConstantArgument{bn},
                      ConstantArgument{bk},
                      ConstantArgument{3},
                      ConstantArgument{b_is_nk, true}};
  int wrong = 0;
  for (int repetition = 0; repetition < 3; ++repetition) {
    poison(c);
    REQUIRE(cuda::run(std::span(&launch, 1), test::has_dots).faults.empty());
    wrong += wrong_products(a, b, c, false, b_is_nk);
  }
  return wrong;
}

// The largest distance of attention's output from a reference in double, and of its M.
std::pair<double, double> attention_errors(int batch_heads, int seq, int head_dim, int bm, int bn, bool causal,
                                           int warps, DType dtype) {
  const auto rows = std::int64_t{batch_heads} * seq;
  std::mt19937 random(seq + head_dim);
  std::normal_distribution<double> normal;
  Tensor t[4];
  for (int i = 0; i < 4; ++i) {
    t[i] = make_tensor(std::string(1, "qkvo"[i]), dtype, {rows, head_dim});
    for (std::int64_t e = 0; e < t[i].storage_elems; ++e) set(t[i], e, normal(random));
  }
  const Tensor lse = make_tensor("m", DType::float32, {rows});
  poison(t[3]);
  poison(lse);
  const auto scale = static_cast<float>(1 / std::sqrt(head_dim));
  Launch launch;
  launch.kernel = "tl::kernels::attention_kernel";
  launch.source = "kernels/attention.h";
  launch.grid = {(seq + bm - 1) / bm * batch_heads};
  launch.options = {.num_warps = warps, .num_stages = 2};
  launch.arguments = {DescriptorArgument{t[0], {bm, head_dim}},
                      DescriptorArgument{t[1], {bn, head_dim}},
                      DescriptorArgument{t[2], {bn, head_dim}},
                      TensorArgument{lse},
                      DescriptorArgument{t[3], {bm, head_dim}},
                      TensorArgument{t[3]},
                      IntArgument{batch_heads},
                      IntArgument{seq},
                      FloatArgument{scale},
                      ConstantArgument{bm},
                      ConstantArgument{bn},
                      ConstantArgument{head_dim},
                      ConstantArgument{causal, true},
                      ConstantArgument{seq % bm == 0 && seq % bn == 0, true}};
  REQUIRE(cuda::run(std::span(&launch, 1), test::has_dots).faults.empty());

  std::vector<double> x[4];
  for (int i = 0; i < 4; ++i)
    for (std::int64_t e = 0; e < t[i].storage_elems; ++e) x[i].push_back(get(t[i], e));
  double worst = 0, worst_lse = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = row / seq * seq, end = causal ? row + 1 : first + seq;
    std::vector<double> p(end - first);
    double largest = -1e300, sum = 0;
    for (auto key = first; key < end; ++key) {
      double s = 0;
      for (int d = 0; d < head_dim; ++d) s += x[0][row * head_dim + d] * x[1][key * head_dim + d];
      largest = std::max(largest, p[key - first] = s * scale);
    }
    for (auto& e : p) sum += e = std::exp(e - largest);
    for (int d = 0; d < head_dim; ++d) {
      double o = 0;
      for (auto key = first; key < end; ++key) o += p[key - first] * x[2][key * head_dim + d];
      const double error = std::abs(o / sum - x[3][row * head_dim + d]);
      if (!(error <= worst)) worst = error;
    }
    const double error = std::abs((largest + std::log(sum)) / std::log(2.0) - get(lse, row));
    if (!(error <= worst_lse)) worst_lse = error;
  }
  return {worst, worst_lse};
}

}  // namespace

TEST_CASE("tensor cores: products are exact whichever way the operands are stored") {
  if (test::no_gpu()) return;
  for (const bool a_is_km : {false, true})
    for (const bool b_is_nk : {false, true}) CHECK(wrong_in({.a_is_km = a_is_km, .b_is_nk = b_is_nk}) == 0);
}

TEST_CASE("tensor cores: products are exact for every input dtype, K along the rows or not") {
  if (test::no_gpu()) return;
  for (const DType d : {DType::bfloat16, DType::float32, DType::float8e4nv, DType::float8e5})
    for (const bool b_is_nk : {false, true}) {
      CAPTURE(name_of(d));
      CHECK(wrong_in({.a = d, .b = d, .bn = 64, .a_is_km = b_is_nk, .b_is_nk = b_is_nk}) == 0);
    }
  CHECK(wrong_in({.a = DType::float8e4nv, .b = DType::float8e5, .b_is_nk = true}) == 0);
}

TEST_CASE("tensor cores: products are exact for tiles of many shapes and warps") {
  if (test::no_gpu()) return;
  CHECK(wrong_in({.bm = 64, .bn = 64, .warps = 4}) == 0);
  CHECK(wrong_in({.bm = 64, .bn = 128, .warps = 8}) == 0);
  CHECK(wrong_in({.bm = 64, .bn = 16, .bk = 32, .warps = 4, .stages = 5}) == 0);
  CHECK(wrong_in({.bm = 128, .bn = 256, .bk = 32, .b_is_nk = true}) == 0);
  CHECK(wrong_in({.bm = 256, .bn = 128, .bk = 32}) == 0);
  CHECK(wrong_in({.bm = 128, .bn = 128, .bk = 128, .stages = 2}) == 0);
  CHECK(wrong_in({.bm = 256, .bn = 128, .bk = 32, .warps = 16}) == 0);
  CHECK(wrong_in({.bm = 32, .bn = 64, .bk = 32, .warps = 4}) == 0);  // too small for wgmma
  CHECK(wrong_in({.bm = 64, .bn = 8, .bk = 32, .warps = 8, .b_is_nk = true}) == 0);
}

TEST_CASE("tensor cores: tiles over the tensors' edges read zeros and are clipped") {
  if (test::no_gpu()) return;
  CHECK(wrong_in({.m = 200, .n = 328, .k = 72}) == 0);
  CHECK(wrong_in({.m = 1, .n = 8, .k = 8}) == 0);
  CHECK(wrong_in({.m = 136, .n = 40, .k = 1000, .a_is_km = true, .b_is_nk = true}) == 0);
}

TEST_CASE("tensor cores: a tensor that TMA cannot take gives the same products") {
  if (test::no_gpu()) return;
  CHECK(wrong_in({.m = 65, .n = 71, .k = 67}) == 0);
  CHECK(wrong_in({.m = 65, .n = 71, .k = 67, .b_is_nk = true}) == 0);
}

TEST_CASE("tensor cores: outputs of every dtype are stored whole") {
  if (test::no_gpu()) return;
  for (const DType d : {DType::float16, DType::bfloat16, DType::float32})
    CHECK(wrong_in({.c = d, .m = 136, .n = 72, .k = 16}) == 0);
  CHECK(wrong_in({.c = DType::float8e4nv, .m = 128, .n = 64, .k = 1}) ==
        0);  // up to 9 in size: exact in three bits of mantissa
}

TEST_CASE("tensor cores: persistent programs agree however many tiles each takes") {
  if (test::no_gpu()) return;
  for (const bool b_is_nk : {false, true})
    for (const int programs : {1, 5, 132})
      CHECK(wrong_in_persistent(520, 776, 264, 128, 256, 64, b_is_nk, programs) == 0);
  CHECK(wrong_in_persistent(96, 1000, 128, 64, 128, 64, true, 7) == 0);
  CHECK(wrong_in_persistent(67, 131, 77, 64, 128, 64, false, 7, DType::float32) == 0);
}

TEST_CASE("tensor cores: a loaded tile is a block like any other") {
  if (test::no_gpu()) return;
  add_cases();
  const auto x = integers("x", DType::float16, 200, 64, 5);
  const auto y = make_tensor("y", DType::float32, {200, 64});
  poison(y);
  Launch launch;
  launch.kernel = "tl::kernels::tile_kernel", launch.source = "kernels/tensor_cases.h", launch.grid = {2};
  launch.arguments = {DescriptorArgument{x, {32, 64}}, DescriptorArgument{y, {32, 64}}, IntArgument{200},
                      ConstantArgument{32}, ConstantArgument{64}};
  REQUIRE(cuda::run(std::span(&launch, 1), test::has_dots).faults.empty());
  int wrong = 0;
  for (int i = 0; i < 200 * 64; ++i) wrong += get(y, i) != 2 * get(x, i) + 1;
  CHECK(wrong == 0);
}

TEST_CASE("tensor cores: loops of different stages follow each other, a scalar from memory deciding their length") {
  if (test::no_gpu()) return;
  add_cases();
  for (const int n : {0, 1, 2, 3, 7}) {
    const auto x = integers("x", DType::float16, 7 * 64, 32, 6), w = integers("w", DType::float32, 7 * 64, 32, 7);
    const auto y = make_tensor("y", DType::float32, {64, 32});
    const auto count = make_tensor("n", DType::int32, {1});
    set(count, 0, n);
    poison(y);
    Launch launch;
    launch.kernel = "tl::kernels::ring_kernel";
    launch.source = "kernels/tensor_cases.h";
    launch.arguments = {DescriptorArgument{x, {64, 32}},
                        DescriptorArgument{w, {64, 32}},
                        TensorArgument{count},
                        DescriptorArgument{y, {64, 32}},
                        ConstantArgument{64},
                        ConstantArgument{32}};
    REQUIRE(cuda::run(std::span(&launch, 1), test::has_dots).faults.empty());
    int wrong = 0;
    for (int e = 0; e < 64 * 32; ++e) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += get(x, i * 2048 + e) * (i + get(w, i * 2048 + e)) + get(w, i * 2048 + e);
      wrong += get(y, e) != sum;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("tensor cores: a stage may hold tiles of descriptors and of masked pointers") {
  if (test::no_gpu()) return;
  add_cases();
  const int rows = 200;
  const auto x = integers("x", DType::float16, rows, 32, 8), p = integers("p", DType::float32, rows, 32, 9);
  const auto y = make_tensor("y", DType::float32, {64, 32});
  poison(y);
  Launch launch;
  launch.kernel = "tl::kernels::mixed_kernel";
  launch.source = "kernels/tensor_cases.h";
  launch.arguments = {DescriptorArgument{x, {64, 32}},
                      TensorArgument{p},
                      DescriptorArgument{y, {64, 32}},
                      IntArgument{rows},
                      ConstantArgument{64},
                      ConstantArgument{32}};
  REQUIRE(cuda::run(std::span(&launch, 1), test::has_dots).faults.empty());
  int wrong = 0;
  for (int e = 0; e < 64 * 32; ++e) {
    double sum = 0;
    for (int i = e; i < rows * 32; i += 64 * 32) sum += get(x, i) + get(p, i);
    wrong += get(y, e) != sum;
  }
  CHECK(wrong == 0);
}

TEST_CASE("tensor cores: a branch on a block's value runs in one role, and a note names its line") {
  if (test::no_toolkit()) return;
  add_cases();
  Launch launch;
  launch.kernel = "tl::kernels::branching_kernel";
  launch.source = "kernels/tensor_cases.h";
  const Tensor x = make_tensor("x", DType::float16, {64, 32}), y = make_tensor("y", DType::float32, {64, 32});
  launch.arguments = {DescriptorArgument{x, {64, 32}}, DescriptorArgument{y, {64, 32}}, ConstantArgument{64},
                      ConstantArgument{32}};
  const auto compiled = cuda::compile(launch, test::with_dots);
  CHECK_FALSE(compiled->resources.has_roles);
  REQUIRE(compiled->notes.size() == 1);
  CHECK(compiled->notes[0].find("tensor_cases.h:") != std::string::npos);
  CHECK(compiled->notes[0].find("looks at a block's value, which the warps that load ahead do not have") !=
        std::string::npos);
}

TEST_CASE("tensor cores: a loop's num_stages goes before the launch's, and is cut to what there is") {
  if (test::no_toolkit()) return;
  add_cases();
  Launch launch;
  launch.kernel = "tl::kernels::own_stages_kernel";
  launch.source = "kernels/tensor_cases.h";
  launch.options = {.num_warps = 4, .num_stages = 3};
  const Tensor a = make_tensor("a", DType::float16, {64, 256}), b = make_tensor("b", DType::float16, {256, 64}),
               y = make_tensor("y", DType::float32, {64, 64});
  constexpr int stage_bytes = 2 * 64 * 64 * 2;
  std::optional<int> others;  // what else it takes of shared memory
  for (const auto& own_and_taken : {std::pair(0, 3), {2, 2}, {5, 5}, {100, 8}}) {
    const int own = own_and_taken.first, stages = own_and_taken.second;
    CAPTURE(own);
    launch.arguments = {TensorArgument{a}, TensorArgument{b},    TensorArgument{y},
                        IntArgument{256},  ConstantArgument{64}, ConstantArgument{own}};
    const auto compiled = cuda::compile(launch, test::with_dots);
    CHECK(compiled->resources.num_stages == stages);
    const int rest = compiled->resources.dynamic_shared_bytes - stages * stage_bytes;
    CHECK(rest == others.value_or(rest));
    others = rest;
    CHECK(compiled->notes.size() == (own == 100));
  }
}

TEST_CASE("tensor cores: attention, causal and full, agrees with a softmax in double within fp16's rounding") {
  if (test::no_gpu()) return;
  for (const bool causal : {false, true})
    for (const int head_dim : {64, 128}) {
      const auto [o, lse] = attention_errors(2, 512, head_dim, 128, 128, causal, 8, DType::float16);
      CHECK(o < 2e-3);
      CHECK(lse < 1e-3);
    }
  CHECK(attention_errors(3, 256, 64, 64, 64, true, 4, DType::float16).first < 2e-3);
  CHECK(attention_errors(1, 256, 32, 128, 64, true, 8, DType::float16).first < 2e-3);
  CHECK(attention_errors(1, 384, 128, 128, 64, false, 8, DType::bfloat16).first < 1.6e-2);
  for (const int seq : {1, 63, 129, 333})  // tails that reach into the next head
    for (const bool causal : {true, false})
      CHECK(attention_errors(3, seq, 64, 64, 32, causal, 4, DType::float16).first < 2e-3);
}
