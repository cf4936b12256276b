// Kernels written to an empty folder, and what the program says of them.
#pragma once

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace tl::test {

inline void write(const EmptyFolder& here, const std::string& name, const std::string& text) {
  std::ofstream(here.path / name) << text;
}

// z[i] = 2 x[i], its case told or not.
inline std::string twice(const std::string& head = "",
                         const std::string& body = "tl.store(z_ptr + offs, x + x, {.mask = mask});") {
  return head + R"(#pragma once
#include "interp/tl.h"
struct twice_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    )" + body +
         "\n  }\n};\n";
}
inline constexpr const char* iota_case = "// case: n=6 BLOCK=4 x=i32[n]:iota z=out:i32[n] grid=cdiv(n, BLOCK)\n";

}  // namespace tl::test
