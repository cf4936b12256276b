// Runs the body of a kernel in Python, and keeps what it computed or why it did not.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "interp/cpu/run.h"
#include "interp/triton/launch.h"
#include "tests/triton/written.h"

namespace run_body {

using namespace tl;

// The body of a kernel that stores to y_ptr; its parameters are y_ptr, x (a float 0.5), n (an int 5), C (the constant
// 8).
struct Ran {
  std::vector<float> y;
  std::string fault, fix, error;
};
inline Ran run(const std::string& body, const std::string& helpers = "") {
  const std::string text = "import triton\nimport triton.language as tl\n" + helpers +
                           "@triton.jit\ndef kernel(y_ptr, x, n, C: tl.constexpr):\n" + body;
  Tensor y = make_tensor("y", DType::float32, {8});
  for (int i = 0; i < 8; ++i) y.as<float>()[i] = 0;
  cpu::RunOptions how;
  how.checks.undefined_lane = true;
  Ran r;
  std::optional<Launch> launch;
  try {
    const auto program = std::make_shared<triton::Program>("a.py", text);
    launch = triton::launch_of(program, program->kernel("kernel"), {}, {},
                               {TensorArgument{y}, FloatArgument{0.5f}, IntArgument{5}, ConstantArgument{8}});
    for (const Fault& f : cpu::run(*launch, how).faults) {
      r.fix = f.fix;
      r.fault = std::string(f.site.file) + ":" + std::to_string(f.site.line) + ":" + std::to_string(f.site.column) +
                ": " + f.headline + (f.detail.empty() ? "" : " (" + f.detail + ")");
    }
  } catch (const Error& e) {
    r.error = std::string(e.what()) + "\nfix: " + e.fix;
  }
  r.y.assign(y.as<float>(), y.as<float>() + 8);
  if (launch && (r.fault + r.error).empty()) written::expect(text, *launch, {y}, {std::vector<std::byte>(32)});
  return r;
}
// What `value` is, stored as a float.
inline float value_of(const std::string& value, const std::string& before = "", const std::string& helpers = "") {
  const Ran r = run(before + "  tl.store(y_ptr, " + value + ")\n", helpers);
  INFO(value << ": " << r.fault << r.error);
  CHECK((r.fault + r.error) == "");
  return r.y[0];
}
inline bool refuses(const std::string& body, const std::string& part, const std::string& helpers = "") {
  const Ran r = run(body, helpers);
  INFO(r.fault << r.error);
  return (r.fault + r.error).find(part) != std::string::npos;
}

}  // namespace run_body
