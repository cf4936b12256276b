// tl.dot_scaled by tensor cores that take the scales themselves. Expected sums by hand, from the rule that MMA-Sim
// (arXiv 2511.10909) gives for Blackwell: fp8 32 products a step, cut off 25 bits below the largest; fp4 64 a step,
// sums of 16 cut off 35 bits below it.
#include <cmath>

#include "tests/cpu/run_kernel.h"

using namespace tl;
using namespace tl::testing;

namespace {

constexpr int m = 16, n = 8;

struct scaled_dot_kernel {
  void operator()(auto& tl, ptr auto out, ptr auto a, ptr auto a_scale, ptr auto b, ptr auto b_scale,
                  constexpr_ auto FORMAT, constexpr_ auto KA, constexpr_ auto PARTS) const {
    auto i = tl.arange(0, 16_c), j = tl.arange(0, 8_c), k = tl.arange(0, KA), part = tl.arange(0, PARTS);
    auto at = out + i(_, None) * 8 + j(None, _);
    auto x = tl.load(a + i(_, None) * KA + k(None, _)), y = tl.load(b + k(_, None) * 8 + j(None, _));
    auto sx = tl.load(a_scale + i(_, None) * PARTS + part(None, _)),
         sy = tl.load(b_scale + j(_, None) * PARTS + part(None, _));
    tl.store(at, tl.dot_scaled(x, sx, FORMAT, y, sy, FORMAT, tl.load(at)));
  }
};

struct Chip {
  TensorCoreSteps mma_sync;
};
const Chip blackwell{
    {.f16 = {16, 25, 23}, .bf16 = {16, 25, 23}, .tf32 = {8, 25, 23}, .fp8 = {32, 25, 23}, .fp4 = {64, 35, 23}}},
    hopper{{.f16 = {16, 25, 23}, .bf16 = {16, 25, 23}, .tf32 = {8, 25, 23}, .fp8 = {}}};

// Every element of a and of b is `x` (of e2m1: both numbers of a byte), every scale `scale`; the sum goes on from c.
double sum(const Chip& chip, const char* format, int k, DType scale_dtype, double x, double scale, double c) {
  const bool is_fp4 = std::string(format) == "e2m1";
  const int ka = is_fp4 ? k / 2 : k, parts = k / (scale_dtype == DType::uint8 ? 32 : 16);
  const auto all = [](const char* name, DType d, int rows, int columns, double v) {
    return tensor_of(name, d, {rows, columns}, std::vector<double>(static_cast<std::size_t>(rows * columns), v));
  };
  const DType d = is_fp4 ? DType::uint8 : DType::float8e4nv;
  const Tensor out = all("out", DType::float32, m, n, c);
  cpu::RunOptions options;
  options.dots = {rules::Matrix::mma_sync, {chip.mma_sync, {}}};
  const Launch launch = make_launch<scaled_dot_kernel>(
      "a test", {}, {.num_warps = 1}, arg(out), arg(all("a", d, m, ka, x)),
      arg(all("sa", scale_dtype, m, parts, scale)), arg(all("b", d, ka, n, x)),
      arg(all("sb", scale_dtype, n, parts, scale)), TextConstantArgument{format}, constant(ka), constant(parts));
  const cpu::RunResult r = cpu::run(launch, options);
  CHECK(r.faults.empty());
  for (int i = 1; i < m * n; ++i) CHECK((get(out, i) == get(out, 0) || std::isnan(get(out, i))));
  return get(out, 0);
}

double power(int e) { return std::ldexp(1.0, e); }
constexpr double one = 0x22, one_and_a_half = 0x33;  // two of e2m1 in a byte

}  // namespace

TEST_CASE("scaled dots: products of fp8 keep 25 bits below the largest term") {
  // 32 products of 2^-24 and 1: none is cut off. Of 2^-26 each is, though together they make 2^-21.
  CHECK(sum(blackwell, "e4m3", 32, DType::uint8, power(-2), 127 - 10, 1) == 1 + 32 * power(-24));
  CHECK(sum(blackwell, "e4m3", 32, DType::uint8, power(-2), 127 - 11, 1) == 1);
  CHECK(sum(blackwell, "e4m3", 64, DType::uint8, power(-2), 127 - 10, 0) == 64 * power(-24));
}

TEST_CASE("scaled dots: sums of 16 products of fp4 keep 35 bits below the largest term") {
  CHECK(sum(blackwell, "e2m1", 64, DType::uint8, one, 127 - 14, 1) == 1 + 64 * power(-28));
  CHECK(sum(blackwell, "e2m1", 64, DType::uint8, one, 127 - 17, 1) == 1);  // 64 of 2^-34 lie below fp32's last digit
  CHECK(sum(hopper, "e2m1", 64, DType::uint8, one, 127 - 14, 1) == 1);     // as bf16, each cut off at 2^-25
}

TEST_CASE("scaled dots: an fp8 scale multiplies by its fraction, too, and has no sign") {
  CHECK(sum(blackwell, "e2m1", 64, DType::float8e4nv, one_and_a_half, 1.75, 0.5) == 0.5 + 64 * 2.25 * 1.75 * 1.75);
  CHECK(sum(blackwell, "e2m1", 64, DType::float8e4nv, one, -1.5, 0) == 64 * 2.25);
  CHECK(sum(blackwell, "e2m1", 64, DType::float8e4nv, one, power(-9), 0) == 64 * power(-18));  // the least subnormal
}

TEST_CASE("scaled dots: a scale that is no number makes none") {
  CHECK(std::isnan(sum(blackwell, "e2m1", 64, DType::uint8, one, 255, 1)));
  CHECK(std::isnan(sum(blackwell, "e4m3", 32, DType::uint8, 1, 255, 1)));
}

TEST_CASE("fp8 on a chip whose mma.sync takes it adds 32 products and keeps 25 bits") {
  CHECK(sum(blackwell, "e4m3", 32, DType::uint8, 1, 127, power(20)) == power(20) + 32);
}
