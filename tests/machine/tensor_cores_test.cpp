// How each chip's tensor cores add, against what chips gave: the outputs that Khattak and Mikaitis recorded
// (north-numerical-computing/MATLAB-tensor-core, model_validation/CHIP/FORMAT; 5,000 sums a format, fp32 results).
// TILESCOPE_TENSOR_CORE_OUTPUTS names the folder model_validation of a clone.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "interp/cpu/loops.h"
#include "interp/machine/device.h"

using namespace tl;

namespace {

std::vector<float> numbers(const std::string& path, int base) {
  std::ifstream file(path);
  std::vector<float> all;
  for (std::string word; file >> word;)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(word, nullptr, base))));
  return all;
}

struct Recorded {
  const char *chip, *device, *format;
  DType dtype;
  int least;  // exponent of the format's subnormals
};

// Not here: fp8 of a B200, an H100 and an H200, whose mma.sync turns it into fp16 and adds the accumulator by itself.
constexpr Recorded recorded[] = {
    {"V100", "v100", "fp16", DType::float16, -14},      {"A100", "a100_80", "fp16", DType::float16, -14},
    {"A100", "a100_80", "bf16", DType::bfloat16, -126}, {"A100", "a100_80", "tf32", DType::float32, -126},
    {"A2", "rtx3060", "fp16", DType::float16, -14},     {"A2", "rtx3060", "bf16", DType::bfloat16, -126},
    {"A2", "rtx3060", "tf32", DType::float32, -126},    {"Ada", "rtx4090", "fp16", DType::float16, -14},
    {"Ada", "rtx4090", "bf16", DType::bfloat16, -126},  {"Ada", "rtx4090", "E4M3", DType::float8e4nv, -6},
    {"Ada", "rtx4090", "E5M2", DType::float8e5, -14},   {"L40S", "l4", "fp16", DType::float16, -14},
    {"L40S", "l4", "E4M3", DType::float8e4nv, -6},      {"H100", "h100", "fp16", DType::float16, -14},
    {"H100", "h100", "bf16", DType::bfloat16, -126},    {"H200", "h200", "fp16", DType::float16, -14},
    {"H200", "h200", "tf32", DType::float32, -126},     {"B200", "b200", "fp16", DType::float16, -14},
    {"B200", "b200", "bf16", DType::bfloat16, -126},    {"B200", "b200", "tf32", DType::float32, -126}};

}  // namespace

TEST_CASE("tensor cores: 5,000 recorded sums of each chip and format, bit by bit") {
  const char* folder = std::getenv("TILESCOPE_TENSOR_CORE_OUTPUTS");
  if (!folder) {
    MESSAGE("skipped: TILESCOPE_TENSOR_CORE_OUTPUTS names no folder of recorded outputs");
    return;
  }
  for (const Recorded& r : recorded) {
    const std::string name = std::string(r.chip) + " " + r.format;
    CAPTURE(name);
    const std::string base = std::string(folder) + "/" + r.chip + "/" + r.format + "/";
    const auto of = [&](const std::string& file, int radix) { return numbers(base + file + ".txt", radix); };
    const std::string inputs = std::string("_") + r.chip + "_" + r.format, sums = std::string("_") + r.chip + "_fp32";
    const auto a = of("a" + inputs, 16), b = of("b" + inputs, 16), c = of("c" + sums, 2), d = of("d" + sums, 2);
    REQUIRE(!d.empty());
    REQUIRE(c.size() == d.size());
    const auto k = static_cast<std::int64_t>(a.size() / d.size());
    const cpu::ChipDot chip{machine::find_device(r.device).tensor_cores.mma_sync.of(r.dtype), 127 + r.least,
                            127 + r.least};
    int different = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      float sum = 0;
      cpu::loops().chip_dot(&sum, 1, &c[i], 1, &a[i * k], k, &b[i * k], 1, 1, 1, k, chip);
      different += std::bit_cast<std::uint32_t>(sum) != std::bit_cast<std::uint32_t>(d[i]);
    }
    CHECK(different == 0);
  }
}
