// What is known of a launch's integers, and what the compiler makes of it.
#include "interp/run/specialization.h"

#include <doctest/doctest.h>

#include "interp/cpu/facts.h"
#include "kernels/problems/problem.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

std::optional<run::Specialization> of_add(const std::string& n) {
  const problems::Problem& p = problems::find("add");
  const Launch launch = p.make(problems::parse(p, {"n=" + n, "block=1024"}), 0).launches.front();
  const rules::KernelFacts facts = cpu::facts_of(launch);
  return run::specialization_of(launch, facts, *cuda::compile(launch, facts), {});
}

}  // namespace

TEST_CASE("a multiple of 16 lets each thread move 16 bytes at once") {
  if (test::no_toolkit()) return;
  const auto s = of_add("4096");
  REQUIRE(s);
  REQUIRE(s->divisible.contains(16));
  CHECK(s->divisible.at(16) == std::vector<std::string>{"n"});
  CHECK(s->ones.empty());
  // 1024 elements of 4 bytes on 128 threads: 8 a thread, two accesses of 16 bytes for each of x, y and z
  CHECK(s->known.accesses == 6);
  CHECK(s->unknown.accesses >= 24);  // an access an element
}

TEST_CASE("a multiple of 4 is enough for floats: a tail is a whole access, or none") {
  if (test::no_toolkit()) return;
  const auto s = of_add("4100");
  REQUIRE(s);
  CHECK(s->divisible.at(4) == std::vector<std::string>{"n"});
  CHECK(s->known.accesses == 6);
}

TEST_CASE("1 is known as itself") {
  if (test::no_toolkit()) return;
  const auto s = of_add("1");
  REQUIRE(s);
  CHECK(s->ones == std::vector<std::string>{"n"});
}

TEST_CASE("of another number nothing is known, and nothing is compiled twice") {
  if (test::no_toolkit()) return;
  CHECK_FALSE(of_add("4097"));
}
