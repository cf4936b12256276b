// Which tiles a program's dots multiply, found in a recorded run.
#include "viz/model/product.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/viz/recorded_run.h"

using namespace tl;
using namespace tl::viz;

namespace {

// The first program of a launch.
std::size_t first_of(const debug::Session& session, int launch) {
  const auto& programs = session.trace().programs;
  return static_cast<std::size_t>(std::ranges::find(programs, launch, &trace::RecordedProgram::launch) -
                                  programs.begin());
}

std::string names(const Product& p) { return p.a.name + " " + p.b.name + " -> " + p.c.name; }

}  // namespace

TEST_CASE("products: attention's derivative has four by block of keys, three by block of queries") {
  debug::Session session = recorded_run("attention_backward", {"seq=128", "heads=1"});
  const auto of_keys = products_of(session, first_of(session, 1)),
             of_queries = products_of(session, first_of(session, 2));
  REQUIRE(of_keys.size() == 4);
  CHECK(names(of_keys[0]) == "k q -> s");
  CHECK(names(of_keys[1]) == "v do -> dp");
  CHECK(names(of_keys[2]) == "p do -> dv");
  CHECK(names(of_keys[3]) == "ds q -> dk");
  CHECK(of_keys[2].sums.front().turns.size() == 2);  // 128 queries in blocks of 64
  REQUIRE(of_queries.size() == 3);
  CHECK(names(of_queries[2]) == "ds k -> dq");
}

TEST_CASE("products: a launch that has none names the one that has") {
  debug::Session session = recorded_run("attention_backward", {"seq=128", "heads=1"});
  Scene scene{.session = session};
  CHECK(missing_matmul(scene) ==
        "this program multiplies no matrices; those of attention_dkdv_kernel do, later in the run");
  session.go({first_of(session, 1), 0});
  CHECK(missing_matmul(scene) == "");
}
