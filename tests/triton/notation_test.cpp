// Messages write what they quote as the text at hand does: a Python kernel's in Python.
#include "tests/triton/run_body.h"

using namespace run_body;

namespace {

std::string fix_of(const std::string& body) {
  const Ran r = run(body);
  INFO(r.fault << r.error);
  return r.fix;
}

}  // namespace

TEST_CASE("notation: a fault of a Python text names options as Python does") {
  CHECK(fix_of("  tl.store(y_ptr + tl.arange(0, 16), 1.0)\n") ==
        "pass mask=offsets < 8, or what says so for the offsets of this op");
  const std::string undefined = "  i = tl.arange(0, C)\n  tl.store(y_ptr + i, tl.load(y_ptr + i, mask=i < 4))\n";
  CHECK(run(undefined).fault.find("a masked-off lane of a load without other") != std::string::npos);
  CHECK(fix_of(undefined).starts_with("pass mask=..., other=... to the load"));
  CHECK(fix_of("  p = tl.make_block_ptr(y_ptr, (8,), (1,), (4,), (8,), (0,))\n  tl.store(p, tl.zeros((8,), "
               "tl.float32))\n") == "pass boundary_check=(0,)");
}

TEST_CASE("notation: a fault of a Python text writes shapes, slices and constants as Python does") {
  CHECK(fix_of("  x = tl.arange(0, 8) + tl.arange(0, 4)\n") ==
        "was one of them reduced along the other axis? else x[:, None] and x[None, :] make two axes of theirs");
  CHECK(fix_of("  x = tl.dot(tl.arange(0, 8), tl.arange(0, 8))\n") == "give each two axes, as in x[:, None]");
  CHECK(fix_of("  x = tl.trans(tl.arange(0, 8))\n") == "give it two axes with x[:, None]");
  CHECK(fix_of("  x = n.to(tl.float32)[:, None]\n") ==
        "it joins a block of any shape as it is; tl.full((1,), x, x.dtype) makes a block of it");
}

TEST_CASE("notation: an if of many lanes stands where it is asked, and says nothing of C++") {
  const Ran r = run("  m = tl.arange(0, C) < 4\n  if m:\n    n = 1\n");
  CHECK(r.fault == "a.py:6:3: an if takes one value, and this mask has 8 lanes (its shape is (8,))");
  CHECK(run("  m = tl.arange(0, C) < 4\n  while m:\n    m = m & False\n").fault ==
        "a.py:6:3: a while takes one value, and this mask has 8 lanes (its shape is (8,))");
}
