// The learner's line behind an error: what stands in comments and between quotes opens and calls nothing.
#include "interp/cuda/host/error_location.h"

#include <doctest/doctest.h>

using namespace tl;

namespace {

cuda::ErrorLocation place_in(const std::string& text, int line) {
  return cuda::learners_location(
      {"instantiation of \"auto tl::cuda::Context<Cfg>::arange(A, B) const [with A=int]\" at line 4 of interp/ops.h",
       "instantiation of \"auto tl::cuda::Context<Cfg>::arange(A, B) const [with A=int]\" at line 9 of interp/ops.h",
       "instantiation of \"lambda [](auto)->auto\" at line " + std::to_string(line) + " of kernels/k.h"},
      "interp/ops.h", {{"kernels/k.h", text}});
}

}  // namespace

TEST_CASE("location: of a lambda's lines the one that calls the op, not a comment that names it") {
  const cuda::ErrorLocation location = place_in(
      "struct k {\n  void operator()(auto& tl) const {\n    tl.static_for(4_c, [&](auto i) {\n      // tl.arange(0, "
      "8)\n"
      "      auto y = tl.arange(0, n);\n    });\n  }\n};\n",
      6);
  CHECK(location.line == 5);
  CHECK(location.one_of.empty());
}

TEST_CASE("location: braces in texts and comments close no lambda") {
  const cuda::ErrorLocation location = place_in(
      "struct k {\n  void operator()(auto& tl) const {\n    tl.static_for(4_c, [&](auto i) {\n"
      "      auto y = tl.arange(0, n);\n      tl.device_assert(y > 0, \"{ {\");  // {\n    });\n  }\n};\n",
      6);
  CHECK(location.line == 4);
}

TEST_CASE("location: a line that ends no lambda is told as it is") {
  CHECK(place_in("struct k {\n  auto y = tl.arange(0, n);\n};\n", 2).line == 2);
}
