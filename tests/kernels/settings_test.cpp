#include <doctest/doctest.h>

#include <string>

#include "interp/lang/error.h"
#include "kernels/problems/problem.h"

using tl::problems::parse;
using tl::problems::Problem;
using tl::problems::Setting;

namespace {

const Problem example{"example",
                      "",
                      "",
                      {{"n", "10", Setting::Kind::integer, "", 1, 1 << 20},
                       {"block", "4", Setting::Kind::integer, "", 1, 1024, true},
                       {"p", "0.5", Setting::Kind::real, "", 0, 0.999},
                       {"causal", "true", Setting::Kind::boolean},
                       {"dtype", "f16", Setting::Kind::dtype, "", 0, 0, false, {"f16", "f32"}}},
                      {}};

// The error of one bad argument, its fix after a bar.
std::string complaint(const std::string& argument) {
  try {
    parse(example, {argument});
  } catch (const tl::Error& e) {
    return std::string(e.what()) + " | " + e.fix;
  }
  return "";
}

}  // namespace

TEST_CASE("settings: defaults hold until an argument replaces them") {
  const auto s = parse(example, {"n=7", "dtype=f32"});
  CHECK(s.integer("n") == 7);
  CHECK(s.integer("block") == 4);
  CHECK(s.real("p") == 0.5);
  CHECK(s.boolean("causal"));
  CHECK(s.dtype("dtype") == tl::DType::float32);
}

TEST_CASE("settings: an integer may be a power, 2^10") { CHECK(parse(example, {"n=2^10"}).integer("n") == 1024); }

TEST_CASE("settings: an unknown name gets the nearest one") {
  CHECK(complaint("blokc=8") ==
        "example has no setting \"blokc\" | did you mean block? its settings: n, block, p, causal, dtype");
  CHECK(complaint("quux=8") == "example has no setting \"quux\" | its settings: n, block, p, causal, dtype");
}

TEST_CASE("settings: values out of range, no power of two, no number, no choice name what is allowed") {
  CHECK(complaint("n=0") == "n=0 is out of range | choose n from 1 to 1048576");
  CHECK(complaint("p=1.5") == "p=1.5 is out of range | choose p from 0 to 0.999");
  CHECK(complaint("p=nan") == "p=nan is out of range | choose p from 0 to 0.999");
  CHECK(complaint("block=48") == "block=48 is not a power of two | try block=32 or block=64");
  CHECK(complaint("n=ten") == "n=ten is not an integer | write n=10 or a power like n=2^4");
  CHECK(complaint("n=12x") == "n=12x is not an integer | write n=10 or a power like n=2^4");
  CHECK(complaint("causal=maybe") == "causal=maybe is neither true nor false | write causal=true or causal=false");
  CHECK(complaint("dtype=f64") == "dtype=f64 is not among its choices | choose one of f16, f32");
  CHECK(complaint("n") == "\"n\" is not name=value | write n=10");
}

TEST_CASE("dtypes: Triton's names and the short ones mean the same, and are kept short") {
  for (const char* name : {"f32", "fp32", "float32"})
    CHECK(parse(example, {std::string("dtype=") + name}).text("dtype") == "f32");
  CHECK(complaint("dtype=bfloat16") == "dtype=bf16 is not among its choices | choose one of f16, f32");
}

TEST_CASE("find: an unknown kernel is an error") { CHECK_THROWS_AS(tl::problems::find("no_such_kernel"), tl::Error); }
