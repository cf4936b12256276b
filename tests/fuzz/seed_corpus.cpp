// Writes the fuzzers' first inputs: a good trace, and conditions and expressions as people type them.
#include <filesystem>
#include <fstream>

#include "interp/trace/file.h"
#include "tests/debug/fake_run.h"

int main(int, char** argv) {
  namespace fs = std::filesystem;
  const fs::path root = argv[1];
  for (const char* name : {"trace", "pid_condition", "expression", "triton"}) fs::create_directories(root / name);
  tl::trace::save(fake::wrong_copy(), (root / "trace" / "copy").string());
  tl::trace::save({}, (root / "trace" / "empty").string());
  int n = 0;
  for (const char* text : {"", "=0", ",>1", ">1,=0", " != 2 , <= 3 ,, "})
    std::ofstream(root / "pid_condition" / std::to_string(n++)) << text;
  for (const char* text : {"x[1, 0:2] + 3 * -x[0]", "any(x > 3) && !all(x)",
                           "for (auto i : tl.range(0, n)) { auto [a, b] = f(tl, [&](auto x) { return x + 1; }); }"})
    std::ofstream(root / "expression" / std::to_string(n++)) << text;
  for (const char* text :
       {"@triton.jit\ndef f(x_ptr, *a, n: tl.constexpr = 4, **k) -> int:\n  for i in tl.range(0, n):\n    x, y = a[i, "
        "None:], "
        "f'{i:>{n}} {x!r}'\n  else:\n    return (x if not n < 3 <= 0x1F else lambda z=1: {z: [1.5e-3, *a]})\n",
        "import triton.language as tl\nfrom .a import (b as c,)\nwhile x := y(z for z in w if z):\n\tx **= "
        "-1\n\ttry:\n\t  "
        "del x\n\texcept E as e: raise e\n"})
    std::ofstream(root / "triton" / std::to_string(n++)) << text;
}
