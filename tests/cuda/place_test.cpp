// The learner's line behind an error: what stands in comments and between quotes opens and calls nothing.
#include "interp/cuda/host/place.h"

#include <doctest/doctest.h>

using namespace tl;

namespace {

cuda::Place place_in(const std::string& text, int line) {
  return cuda::learners_place(
      {"instantiation of \"auto tl::cuda::Context<Cfg>::arange(A, B) const [with A=int]\" at line 4 of interp/ops.h",
       "instantiation of \"auto tl::cuda::Context<Cfg>::arange(A, B) const [with A=int]\" at line 9 of interp/ops.h",
       "instantiation of \"lambda [](auto)->auto\" at line " + std::to_string(line) + " of kernels/k.h"},
      "interp/ops.h", {{"kernels/k.h", text}});
}

}  // namespace

TEST_CASE("place: of a lambda's lines the one that calls the op, not a comment that names it") {
  const cuda::Place place = place_in(
      "struct k {\n  void operator()(auto& tl) const {\n    tl.static_for(4_c, [&](auto i) {\n      // tl.arange(0, "
      "8)\n"
      "      auto y = tl.arange(0, n);\n    });\n  }\n};\n",
      6);
  CHECK(place.line == 5);
  CHECK(place.one_of.empty());
}

TEST_CASE("place: braces in texts and comments close no lambda") {
  const cuda::Place place = place_in(
      "struct k {\n  void operator()(auto& tl) const {\n    tl.static_for(4_c, [&](auto i) {\n"
      "      auto y = tl.arange(0, n);\n      tl.device_assert(y > 0, \"{ {\");  // {\n    });\n  }\n};\n",
      6);
  CHECK(place.line == 4);
}

TEST_CASE("place: a line that ends no lambda is told as it is") {
  CHECK(place_in("struct k {\n  auto y = tl.arange(0, n);\n};\n", 2).line == 2);
}
