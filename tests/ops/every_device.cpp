#include "tests/ops/every_device.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "interp/cpu/facts.h"
#include "interp/cpu/run.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"

namespace tl::test {

namespace {

// Without fused multiply-adds the executors agree to the bit, op by op.
constexpr bool fused_multiply_add = false;

Device gpu() {
  return {"cuda", [](const Launch& launch) {
            return cuda::run({&launch, 1}, cpu::facts_of, {.fused_multiply_add = fused_multiply_add}).faults;
          }};
}

Device compiler(const std::string& arch) {
  return {arch,
          [arch](const Launch& launch) {
            cuda::compile(launch, cpu::facts_of(launch),
                          {.arch = arch, .fused_multiply_add = fused_multiply_add, .prints = true});
            return std::vector<Fault>{};
          },
          true};
}

std::vector<Device> find_devices() {
  // The tests' kernels are not built into the program. On another machine than the build's TILESCOPE_SOURCES names
  // their folder.
  if (std::filesystem::is_directory(SOURCE_DIR)) sources::use_sources_from(SOURCE_DIR);
  std::vector<Device> found{{"cpu", [](const Launch& launch) { return cpu::run(launch).faults; }}};
  std::string why_not;
  const char* archs = std::getenv("TILESCOPE_OPS_ARCHS");
  if (archs ? !cuda::toolkit_available(&why_not) : !cuda::available(&why_not)) {
    MESSAGE(std::string(archs ? "skipped: " : "skipped on cuda: ") << why_not);
  } else if (archs) {
    std::istringstream names(archs);
    for (std::string arch; std::getline(names, arch, ',');) found.push_back(compiler(arch));
  } else {
    found.push_back(gpu());
  }
  return found;
}

}  // namespace

const std::vector<Device>& devices() {
  static const std::vector<Device> all = find_devices();
  return all;
}

void run(const Device& device, const Launch& launch) {
  const auto faults = device.run(launch);
  for (const Fault& f : device.compiles ? cpu::run(launch).faults : faults)
    FAIL_CHECK(device.name << ": " << f.headline << ": " << f.detail);
}

std::string refusal(const Device& device, const Launch& launch) {
  try {
    const auto faults = device.run(launch);
    return faults.empty() ? "" : faults[0].headline + " " + faults[0].detail + " " + faults[0].fix;
  } catch (const Error& e) {
    return std::string(e.what()) + " " + e.fix;
  }
}

}  // namespace tl::test
