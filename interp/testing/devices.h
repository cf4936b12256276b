// For tests of your own kernels: the devices that a launch runs on, and tensors for it.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interp/cpu/facts.h"
#include "interp/cpu/launch.h"
#include "interp/cpu/run.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/sources/sources.h"
#include "interp/tl.h"

namespace tl::testing {

struct Device {
  std::string name;
  std::function<std::vector<Fault>(const Launch&)> run;  // throws Error when the kernel does not compile
};

// With every check on but that of NaNs, which may be meant.
inline Device interpreter() {
  return {"interpreter", [](const Launch& launch) {
            cpu::RunOptions options;
            options.checks.uninitialized = options.checks.race = options.checks.undefined_lane = true;
            return cpu::run(launch, options).faults;
          }};
}

// None without a GPU; the reason is printed. A launch names its kernel's file relative to the test's folder.
inline std::optional<Device> gpu(const char* test = __builtin_FILE()) {
  std::string why_not;
  if (!cuda::available(&why_not)) {
    MESSAGE("skipped: " << why_not);
    return std::nullopt;
  }
  sources::also_read_from(std::filesystem::absolute(test).parent_path());
  return Device{"gpu", [](const Launch& launch) { return cuda::run({&launch, 1}, cpu::facts_of).faults; }};
}

// Fails the test on a fault.
inline void run(const Device& device, const Launch& launch) {
  try {
    for (const Fault& f : device.run(launch))
      FAIL_CHECK(device.name << ": " << f.headline << ": " << f.detail << "\n  fix: " << f.fix);
  } catch (const Error& e) {
    FAIL(device.name << ": " << e.what() << "\n  fix: " << e.fix);
  }
}

// A tensor of f(0), f(1), ...
template <class F>
Tensor tensor_of(const std::string& name, DType dtype, std::vector<std::int64_t> shape, F f) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  for (std::int64_t i = 0; i < t.storage_elems; ++i) set(t, i, static_cast<double>(f(i)));
  return t;
}

// An output, poisoned, so that an element that the kernel does not write is found.
inline Tensor poisoned(const std::string& name, DType dtype, std::vector<std::int64_t> shape) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  poison(t);
  return t;
}

}  // namespace tl::testing
