// Dots as tensor cores add them. Expected sums: tensor_cores/make.py, whole numbers in Python.
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "interp/cpu/loops.h"
#include "interp/lang/instruction_set.h"
#include "interp/lang/narrow.h"
#include "tests/cpu/run_kernel.h"

using namespace tl;
using namespace tl::testing;

namespace tl::cpu {
namespace {
struct {
  const Loops *baseline, *avx2, *avx512;
} built{TL_BASELINE(table), TL_AVX2(table), TL_AVX512(table)};
}  // namespace
}  // namespace tl::cpu

namespace {

using cpu::built;

constexpr int rows = 8, cols = 16;

struct Format {
  const char* name;
  DType dtype;
  unsigned exponent_bits, fraction_bits;
};
constexpr Format formats[] = {{"f16", DType::float16, 5, 10},      {"bf16", DType::bfloat16, 8, 7},
                              {"tf32", DType::float32, 8, 10},     {"f32", DType::float32, 8, 23},
                              {"f8e4nv", DType::float8e4nv, 4, 3}, {"f8e5", DType::float8e5, 5, 2}};
const Format& format_of(const std::string& name) {
  for (const Format& f : formats)
    if (name == f.name) return f;
  FAIL("no format " << name);
  return formats[0];
}

// As make.py has them.
std::uint64_t hashed(std::uint64_t number) {
  std::uint64_t z = number * 0x9E3779B97F4A7C15u + 0x1234567u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
double element(const Format& f, unsigned lowest, unsigned highest, bool ones, std::uint64_t number) {
  const std::uint64_t h = hashed(number);
  if (highest == 0 || (h >> 60 == 0 && !ones)) return 0;
  const auto exponent = static_cast<int>(lowest + (h >> 32) % (highest - lowest + 1));
  const auto bits = std::uint64_t{1} << f.fraction_bits;
  const std::uint64_t fraction = ones ? bits - 1 - h % 2 : (h >> 1) % bits;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const double x = std::ldexp(static_cast<double>(fraction + (exponent ? bits : 0)),
                              std::max(exponent, 1) - bias - static_cast<int>(f.fraction_bits));
  return !ones && h & 1 ? -x : x;
}

struct Case {
  std::string a, b;
  TensorCoreStep step;
  int k = 0;
  unsigned a_from = 0, a_to = 0, b_from = 0, b_to = 0, c_from = 0, c_to = 0;
  bool ones = false;
  std::uint64_t number = 0;
  std::vector<std::uint32_t> sums;

  double at(std::uint64_t which, int i, int j) const {
    const std::uint64_t at =
        number << 40 | which << 36 | static_cast<std::uint64_t>(i) << 16 | static_cast<unsigned>(j);
    return which == 0   ? element(format_of(a), a_from, a_to, ones, at)
           : which == 1 ? element(format_of(b), b_from, b_to, ones, at)
                        : element(format_of("f32"), c_from, c_to, ones, at);
  }
  std::vector<float> matrix(std::uint64_t which, int m, int n) const {
    std::vector<float> x;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) x.push_back(static_cast<float>(at(which, i, j)));
    return x;
  }
};

std::vector<Case> table() {
  std::ifstream in(TENSOR_CORE_SUMS);
  std::vector<Case> all;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Case c;
    words >> c.a >> c.b >> c.step.terms >> c.step.aligned_bits >> c.step.kept_bits >> c.k >> c.a_from >> c.a_to >>
        c.b_from >> c.b_to >> c.c_from >> c.c_to >> c.ones;
    c.number = all.size();
    for (std::string s; words >> s;) c.sums.push_back(static_cast<std::uint32_t>(std::stoul(s, nullptr, 16)));
    REQUIRE(c.sums.size() == rows * cols);
    all.push_back(std::move(c));
  }
  REQUIRE(all.size() > 10);
  return all;
}

// Of those whose bits are not the table's.
int different(const Case& c, const float* got, std::int64_t row) {
  int count = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) count += std::memcmp(&got[i * row + j], &c.sums[i * cols + j], 4) != 0;
  return count;
}

int least_exponent(const Format& f) { return 127 + 2 - (1 << (f.exponent_bits - 1)); }

struct product_kernel {
  void operator()(auto& tl, tl::ptr auto a, tl::ptr auto b, tl::ptr auto c, tl::constexpr_ auto M,
                  tl::constexpr_ auto N, tl::constexpr_ auto K) const {
    auto m = tl.arange(0, M), n = tl.arange(0, N), k = tl.arange(0, K);
    auto at = c + m(_, None) * N + n(None, _);
    tl.store(at,
             tl.dot(tl.load(a + m(_, None) * K + k(None, _)), tl.load(b + k(_, None) * N + n(None, _)), tl.load(at)));
  }
};

Tensor tensor(const char* name, DType dtype, std::int64_t m, std::int64_t n, const std::vector<float>& values) {
  return tensor_of(name, dtype, {m, n}, {values.begin(), values.end()});
}

// a b + c of one program.
Tensor product(const rules::DotArithmetic& dots, int warps, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor sum = clone(c);
  cpu::RunOptions options;
  options.dots = dots;
  const Launch launch = make_launch<product_kernel>("a test", {}, {.num_warps = warps}, arg(a), arg(b), arg(sum),
                                                    constant(a.shape[0]), constant(b.shape[1]), constant(b.shape[0]));
  CHECK(cpu::run(launch, options).faults.empty());
  return sum;
}

TensorCoreSteps steps_of(const TensorCoreStep& s) { return {.f16 = s, .bf16 = s, .tf32 = s, .fp8 = s}; }
const float* floats(const Tensor& t) { return reinterpret_cast<const float*>(t.data()); }

}  // namespace

TEST_CASE("tensor cores: every instruction set's loops give the table's sums, bit by bit") {
  const cpu::Loops* variants[] = {built.baseline, has_avx2() ? built.avx2 : nullptr,
                                  has_avx512() ? built.avx512 : nullptr};
  for (const Case& c : table()) {
    CAPTURE(c.number);
    const cpu::ChipDot chip{c.step, least_exponent(format_of(c.a)), least_exponent(format_of(c.b))};
    const auto a = c.matrix(0, rows, c.k), b = c.matrix(1, c.k, cols), from = c.matrix(2, rows, cols);
    for (const cpu::Loops* loops : variants) {
      if (!loops) continue;
      std::vector<float> sum(rows * cols);
      loops->chip_dot(sum.data(), cols, from.data(), cols, a.data(), c.k, b.data(), cols, rows, cols, c.k, chip);
      CHECK(different(c, sum.data(), cols) == 0);
    }
  }
}

TEST_CASE("tensor cores: tl.dot gives the table's sums, by wgmma and by mma.sync") {
  for (const Case& c : table())
    for (const rules::Matrix matrix : {rules::Matrix::wgmma, rules::Matrix::mma_sync}) {
      const DType da = format_of(c.a).dtype, db = format_of(c.b).dtype;
      CAPTURE(c.number);
      const int m = matrix == rules::Matrix::wgmma ? 64 : 16;
      const TensorCores cores{matrix == rules::Matrix::mma_sync ? steps_of(c.step) : TensorCoreSteps{},
                              matrix == rules::Matrix::wgmma ? steps_of(c.step) : TensorCoreSteps{}};
      const Tensor sum = product({matrix, cores}, 4, tensor("a", da, m, c.k, c.matrix(0, m, c.k)),
                                 tensor("b", db, c.k, cols, c.matrix(1, c.k, cols)),
                                 tensor("c", DType::float32, m, cols, c.matrix(2, m, cols)));
      CHECK(different(c, floats(sum), cols) == 0);
    }
}

TEST_CASE("tensor cores: fp8 goes through mma.sync as fp16, and small tiles through multiply-adds") {
  const TensorCores cores{{.f16 = {16, 25, 23}, .bf16 = {16, 25, 23}, .tf32 = {8, 25, 23}, .fp8 = {}},
                          steps_of({32, 13, 13})};
  const auto of = [&](DType d, int m, int n, int k, rules::Matrix matrix, int warps) {
    return values_of(product({matrix, cores}, warps, random_tensor("a", d, {m, k}, 1), random_tensor("b", d, {k, n}, 2),
                             random_tensor("c", DType::float32, {m, n}, 3)));
  };
  const auto as_fp16 = [&](const Tensor& t) {
    Tensor to = make_tensor(t.name, DType::float16, t.shape);
    for (std::int64_t i = 0; i < t.elems(); ++i) set(to, i, get(t, i));
    return to;
  };
  const Tensor a = random_tensor("a", DType::float8e4nv, {16, 64}, 1),
               b = random_tensor("b", DType::float8e5, {64, 16}, 2),
               c = random_tensor("c", DType::float32, {16, 16}, 3);
  const rules::DotArithmetic mma_sync{rules::Matrix::mma_sync, cores};
  CHECK(values_of(product(mma_sync, 1, a, b, c)) == values_of(product(mma_sync, 1, as_fp16(a), as_fp16(b), c)));
  // Too few rows, columns or k for the instruction: plain sums, of f32 as it is.
  for (const auto& [m, n, k] : {std::tuple(8, 16, 16), {16, 4, 16}, {16, 16, 8}})
    for (const DType d : {DType::float16, DType::float32}) {
      const auto plain = of(d, m, n, k, rules::Matrix::mma_sync, 4);
      const Tensor x = random_tensor("a", d, {m, k}, 1), y = random_tensor("b", d, {k, n}, 2),
                   z = random_tensor("c", DType::float32, {m, n}, 3);
      int wrong = 0;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          float sum = static_cast<float>(get(z, i * n + j));
          for (int l = 0; l < k; ++l)
            sum = std::fma(static_cast<float>(get(x, i * k + l)), static_cast<float>(get(y, l * n + j)), sum);
          wrong += plain[i * n + j] != sum;
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE("tensor cores: wgmma cuts f32 off to tf32, mma.sync is given it rounded") {
  const TensorCores cores{steps_of({8, 25, 23}), steps_of({8, 25, 23})};
  const auto first = [&](rules::Matrix matrix, int m) {
    std::vector<float> a(m * 16), b(16 * 16);
    a[0] = 1 + 0x1.8p-11f;
    b[0] = 1;
    return get(
        product({matrix, cores}, 4, tensor("a", DType::float32, m, 16, a), tensor("b", DType::float32, 16, 16, b),
                tensor("c", DType::float32, m, 16, std::vector<float>(m * 16))),
        0);
  };
  CHECK(first(rules::Matrix::wgmma, 64) == 1);
  CHECK(first(rules::Matrix::mma_sync, 16) == 1 + 0x1p-10);
}

TEST_CASE("tensor cores: a sum is cut off, or rounded to the nearest where the chip does") {
  const auto sum = [&](bool nearest, float small, float large) {
    const rules::DotArithmetic dots{rules::Matrix::mma_sync, {steps_of({16, 28, 23, nearest}), {}}};
    std::vector<float> a(16 * 16), b(16 * 16);
    a[0] = small;
    b[0] = 1;
    return get(product(dots, 1, tensor("a", DType::float16, 16, 16, a), tensor("b", DType::float16, 16, 16, b),
                       tensor("c", DType::float32, 16, 16, std::vector<float>(16 * 16, large))),
               0);
  };
  CHECK(sum(false, 0x1.8p-10f, 16384) == 16384);  // whose last bit is 2^-9
  CHECK(sum(true, 0x1p-10f, 16384) == 16384);     // a tie, to even
  CHECK(sum(true, 0x1.8p-10f, 16384) == 16384 + 0x1p-9);
  CHECK(sum(true, 0x1.8p-9f, 16384) == 16384 + 0x1p-8);  // a tie, to even
  CHECK(sum(false, -0x1.8p-10f, -16384) == -16384);
  CHECK(sum(true, -0x1.8p-10f, -16384) == -16384 - 0x1p-9);
  CHECK(sum(true, 0x1p-10f, 0x1.fffffep13f) == 16384);  // carries into the next exponent
}

TEST_CASE("tensor cores: infinities and NaN") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const rules::DotArithmetic dots{rules::Matrix::mma_sync, {steps_of({16, 25, 23}), {}}};
  const auto of = [&](std::vector<std::pair<float, float>> products, float acc) {
    std::vector<float> a(16 * 16), b(16 * 16), c(16 * 16, acc);
    for (std::size_t k = 0; k < products.size(); ++k) {
      a[k] = products[k].first;
      b[k * 16] = products[k].second;
    }
    return get(product(dots, 1, tensor("a", DType::float16, 16, 16, a), tensor("b", DType::float16, 16, 16, b),
                       tensor("c", DType::float32, 16, 16, c)),
               0);
  };
  CHECK(of({{inf, 2}, {-60000, 60000}}, 0) == inf);
  CHECK(of({{inf, -2}, {-inf, 1}}, 1) == -inf);
  CHECK(of({{1, 1}}, -inf) == -inf);
  CHECK(std::isnan(of({{inf, 0}}, 0)));
  CHECK(std::isnan(of({{inf, 1}, {inf, -1}}, 0)));
  CHECK(std::isnan(of({{inf, 1}}, -inf)));
  CHECK(std::isnan(of({{1, nan}}, inf)));
  CHECK(std::isnan(of({{1, 1}}, nan)));
  CHECK(of({{1, 1}, {1, -1}}, 0) == 0);
  CHECK_FALSE(std::signbit(of({{-1, 0}}, -0.0f)));  // a sum of zeros is +0
}
