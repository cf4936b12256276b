// How many elements agree to the bit, and what is said of the others; and what a launch's arithmetic is.
#include "interp/run/bits.h"

#include <doctest/doctest.h>

#include <limits>

#include "interp/lang/error.h"
#include "interp/run/execute.h"
#include "interp/run/known_arithmetic.h"

using namespace tl;
using namespace tl::run;

namespace {

Tensor tensor(const std::vector<float>& values) {
  const Tensor t = make_tensor("y", DType::float32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) t.as<float>()[i] = values[i];
  return t;
}

std::vector<Launch> launches_of(const char* kernel, std::vector<std::string> settings = {}) {
  return make_case({kernel, std::move(settings)}).instance.launches;
}

cpu::RunOptions options_of(const char* kernel, std::vector<std::string> settings, const char* arith = "chip") {
  cpu::RunOptions options;
  Arithmetic(arith).apply(options, launches_of(kernel, std::move(settings)).front());
  return options;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("bits: all equal, NaNs too, and the sign of zero counts") {
  const auto equality = [](const std::vector<float>& a, const std::vector<float>& b) {
    return bit_equality({tensor(a)}, {tensor(b)}, launches_of("copy"), Arithmetic(), "sm_90a");
  };
  CHECK(bit_equality_text(equality({1, not_a_number, -0.0f}, {1, -not_a_number, -0.0f})) == "bit-equal: all 3");
  const BitEquality other = equality({1, 2, 0, not_a_number}, {1, 2.5, -0.0f, not_a_number});
  CHECK(other.equal == 2);
  CHECK(other.most == 0.5);
  CHECK(
      bit_equality_text(other).starts_with("bit-equal: 2 of 4 (50.00 %), the others differ by at most 0.5; what may"));
}

TEST_CASE("bits: what may set executors apart is named, by the kernel's text, the chip and --arith") {
  const auto why = [](const char* kernel, const char* arith, const char* arch) {
    std::string all;
    for (const std::string& w :
         bit_equality({tensor({1})}, {tensor({2})}, launches_of(kernel), Arithmetic(arith), arch).why)
      all += w + "\n";
    return all;
  };
  CHECK(why("softmax", "chip", "sm_90a").starts_with("tl.exp: within stated ulps"));
  CHECK(why("sum", "chip", "sm_90a").starts_with("tl.atomic_add: programs add in no fixed order"));
  CHECK(why("copy", "fp32", "sm_90a").starts_with("--arith fp32 adds plainly"));
  CHECK(why("copy", "chip", "sm_80").starts_with("the GPU is sm_80, the chip that the interpreter follows sm_90a"));
  CHECK(why("layernorm", "chip", "sm_90a") == "CUDA rounds a * b + c once where it can\n");
}

TEST_CASE("arithmetic: by the chip, the warps and what is known of the kernel") {
  using rules::Matrix;
  CHECK(options_of("matmul", {"dtype=f16", "warps=4"}).dots.matrix == Matrix::wgmma);
  CHECK(options_of("matmul", {"dtype=f16", "warps=2"}).dots.matrix == Matrix::mma_sync);
  CHECK(options_of("matmul", {"dtype=f16", "warps=4"}, "a100_80").dots.matrix == Matrix::mma_sync);
  CHECK(options_of("matmul", {"dtype=f16", "warps=4"}, "v100").dots.cores.mma_sync.f16.terms == 4);
  CHECK(options_of("matmul", {}, "fp32").dots.matrix == Matrix::none);
  CHECK_FALSE(options_of("layernorm", {}, "fp32").sums);
  CHECK(options_of("layernorm", {}).sums->size() == 2);
  CHECK_FALSE(options_of("copy", {}).sums);
  CHECK_THROWS_WITH_AS(Arithmetic("h20"), "--arith: there is no device \"h20\"", Error);
}

TEST_CASE("arithmetic: fp8 keeps 13 bits of a sum, promoted sums come nearer, and both agree with their references") {
  const auto error = [](std::vector<std::string> settings, const char* arith = "chip") {
    const Case c = make_case({"promoted_matmul", std::move(settings)});
    c.instance.reset();
    const Execution e = run_on_cpu(c.instance, {}, Arithmetic(arith));
    REQUIRE(e.ok());
    const auto verdict = problems::check(c.instance, c.instance.outputs, 0, e.tf32);
    CHECK(verdict.ok);
    return verdict.max_abs_error;
  };
  const double kept = error({"k=4096", "m=128", "n=128", "out=f32", "promoted=false"}),
               promoted = error({"k=4096", "m=128", "n=128", "out=f32"}),
               plain = error({"k=4096", "m=128", "n=128", "out=f32"}, "fp32");
  CHECK(promoted < kept / 4);
  CHECK(plain < promoted / 4);
}

TEST_CASE("arithmetic: a kernel whose text is nowhere adds in a GPU's order all the same: its runs tell it") {
  Launch launch = launches_of("layernorm").front();
  launch.source = "nowhere/layernorm.h";
  cpu::RunOptions options;
  Arithmetic().apply(options, launch);
  CHECK(options.sums);
  launch = launches_of("persistent_matmul", {"dtype=f8e5"}).front();
  launch.source = "nowhere/matmul.h";
  Arithmetic().apply(options, launch);
  CHECK(options.dots.matrix == rules::Matrix::wgmma);
}

TEST_CASE("arithmetic: what is known of a launch serves those that are alike, and no others") {
  KnownArithmetic known;
  for (const char* cols : {"cols=100", "cols=1000", "cols=4000", "cols=100"})
    for (const char* warps : {"warps=4", "warps=8"}) {
      const auto sums_by = [&](const auto& apply) {
        const Case c = make_case({"layernorm", {cols, "rows=3", warps}});
        const Launch& launch = c.instance.launches.front();
        cpu::RunOptions options;
        apply(options, launch);
        REQUIRE(options.sums);
        REQUIRE(cpu::run(launch, options).faults.empty());
        const Tensor& y = c.instance.outputs[0];
        return std::vector(y.data(), y.data() + y.storage_bytes());
      };
      CHECK(sums_by([&](auto& o, const Launch& l) { known.apply(o, l); }) ==
            sums_by([](auto& o, const Launch& l) { Arithmetic().apply(o, l); }));
    }
}
