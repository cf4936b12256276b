#include "interp/cuda/host/dots_of_text.h"

#include <doctest/doctest.h>

using namespace tl;

namespace {

rules::Dots dots_of(const std::string& text, const std::string& functor, const std::string& header = "") {
  return cuda::dots_of_text({{"interp/cuda/device/dot/dot.h", "auto x = tl.dot(a, b);"},
                             {"kernels/k.h", text},
                             {"kernels/helpers.h", header}},
                            "tl::kernels::" + functor);
}

bool multiplies(const std::string& text, const std::string& functor, const std::string& header = "") {
  return dots_of(text, functor, header) != rules::Dots::none;
}

const std::string two = R"(// Two kernels, of which one says tl.dot(a, b).
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

template <class T> requires (sizeof(T) > 1'0) struct product_kernel {
  void operator()(auto& tl, ptr auto a) const { auto c = tl.dot(x, y); }
};

/* tl.dot( */ struct scale_kernel final : base<int> {
  void operator()(auto& tl, ptr auto a) const { if (a < 1) tl.device_assert(a, "no tl.dot(a, b) here"); }
};

}  // namespace tl::kernels
)";

}  // namespace

TEST_CASE("dots_of_text: of two functors in a file only the one whose text calls tl.dot multiplies") {
  CHECK(multiplies(two, "product_kernel<float>"));
  CHECK_FALSE(multiplies(two, "scale_kernel"));
}

TEST_CASE("dots_of_text: a helper that multiplies counts for who names it, two deep and in another file") {
  const std::string header =
      "inline auto deep = [](auto& tl, auto a) { return tl.dot(a, a); };\nnamespace n {\ninline auto flat(auto& tl, "
      "auto a) { return deep(tl, a); }\ntemplate <int N> auto other(auto a) { return a; }\n}";
  const std::string text =
      "#include \"kernels/helpers.h\"\nstruct a_kernel { void operator()(auto& tl, auto x) const { n::flat(tl, x); } "
      "};\nstruct b_kernel { void operator()(auto& tl, auto x) const { n::other<2>(x); } };";
  CHECK(multiplies(text, "a_kernel", header));
  CHECK_FALSE(multiplies(text, "b_kernel", header));
}

TEST_CASE("dots_of_text: a body outside its class, a base and an alias are followed") {
  CHECK(
      multiplies("struct k { void operator()(auto& tl, auto a) const; };\nvoid k::operator()(auto& tl, auto a) const { "
                 "tl.dot(a, a); }",
                 "k"));
  CHECK(multiplies("struct base { void operator()(auto& tl, auto a) const { tl.dot(a, a); } };\nstruct k : base {};",
                   "k"));
  CHECK(multiplies("struct base { void operator()(auto& tl, auto a) const { tl.dot(a, a); } };\nusing k = base;", "k"));
}

TEST_CASE("dots_of_text: dots are exact where each of them names ieee, and nothing is made narrower") {
  const auto of = [](const std::string& body, const std::string& header = "") {
    return dots_of("struct k { void operator()(auto& tl, auto a) const { " + body + " } };", "k", header);
  };
  CHECK(of("x = tl.dot(a, tl.trans(a), x, tl.ieee);") == rules::Dots::exact);
  CHECK(of("x = tl.dot(a, a, x, tl.ieee); y = tl.dot(f(x, tl.ieee), a);") == rules::Dots::any);
  CHECK(of("x = tl.dot(a.to(tl.bfloat16), a.to(tl.bfloat16), x, tl.ieee);") == rules::Dots::any);
  CHECK(of("x = h(tl, a);", "auto h(auto& tl, auto a) { return tl.dot(a, a, tl.ieee); }") == rules::Dots::exact);
  CHECK(of("x = tl.dot(h(tl, a), a, x, tl.ieee);", "auto h(auto& tl, auto a) { return a.to(tl.float16); }") ==
        rules::Dots::any);
}

TEST_CASE("dots_of_text: a functor that a macro defines multiplies where any source does") {
  const std::string text =
      "#define KERNEL(name) struct name { void operator()(auto& tl, auto a) const { body; } };\nKERNEL(k)\nstruct "
      "other { void operator()(auto& tl, auto a) const { tl.dot(a, a); } };";
  CHECK(multiplies(text, "k"));
  CHECK_FALSE(multiplies("#define KERNEL(name) struct name {};\nKERNEL(k)", "k"));
}

TEST_CASE("dots_of_text: raw strings and comments that go on after a backslash call nothing") {
  const auto kernel = [](const std::string& body) {
    return "struct other { void operator()(auto& tl, auto a) const { tl.dot(a, a); } };\nstruct k { void "
           "operator()(auto& tl, auto a) const {\n" +
           body + "\n} };";
  };
  CHECK_FALSE(multiplies(kernel("tl.device_assert(a, R\"(\" tl.dot(a, b) \")\");"), "k"));
  CHECK_FALSE(multiplies(kernel("// not here \\\n tl.dot(a, b);"), "k"));
  CHECK(multiplies(kernel("auto n = 1'000, m = 2'000; tl.dot(a, a);"), "k"));
}

TEST_CASE("dots_of_text: what a macro multiplies counts for who names it") {
  const std::string text =
      "#define PRODUCT(a) \\\n  tl.dot(a, a)\nstruct k { void operator()(auto& tl, auto a) const { PRODUCT(a); } };\n"
      "struct other { void operator()(auto& tl, auto a) const { tl.exp(a); } };";
  CHECK(multiplies(text, "k"));
  CHECK_FALSE(multiplies(text, "other"));
}
