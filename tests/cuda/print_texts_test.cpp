// What tl.print_if is given is checked as written, whatever kind of literal it is.
#include "interp/cuda/host/print_texts.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"

using namespace tl;

namespace {

std::string refusal_of(const std::string& statement) {
  try {
    cuda::check_print_texts({{"kernels/k.h",
                              "struct other { void operator()(auto& tl) const { tl.print_if(\"{}\", \"~\", 1); } };\n"
                              "struct k { void operator()(auto& tl, auto x) const {\n  " +
                                  statement + "\n} };\n"}},
                            "tl::kernels::k");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
bool says(const std::string& statement, const char* what) {
  return refusal_of(statement).find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("print texts: a condition that is none and another number of {} are refused at their line") {
  CHECK(says("tl.print_if(\"x = {}\", \"~3\", x);", "k.h:3: tl.print_if: condition '~3'"));
  CHECK(says("tl.print_if(\"{} {}\", \"=0\", x);", "more {} than values"));
  CHECK(says("tl.breakpoint_if(\"~\");", "tl.breakpoint_if: condition '~'"));
  CHECK(refusal_of("tl.print_if(\"x = {}\", \"=0\", x);") == "");
}

TEST_CASE("print texts: raw ones and those of several pieces are read as well") {
  CHECK(says("tl.print_if(R\"({} {})\", \"=0\", x);", "more {} than values"));
  CHECK(says("tl.print_if(\"{} \" \"{}\", \"=0\", x);", "more {} than values"));
  CHECK(refusal_of("tl.print_if(R\"(a \"quoted\" {})\", \"=0\", x);") == "");
}

TEST_CASE("print texts: separators, comments and another functor's calls change nothing") {
  CHECK(says("auto n = 1'000; tl.print_if(\"x\", \"=0\", x);  // it's", "more values than {}"));
  CHECK(refusal_of("auto n = 1'000;  // tl.print_if(\"x\", \"~\", x)") == "");
  CHECK(refusal_of("auto s = \"tl.print_if(\\\"x\\\", \\\"~\\\", x)\";") == "");
}
