// Kernels at random: walked here, and written in C++ by the last test of the program.
#include "tests/triton/random_body.h"

#include "tests/triton/run_body.h"

using namespace run_body;

TEST_CASE("random: a body of any statements, types, branches and loops runs") {
  unsigned first = 1, count = 12;
  if (const char* const seeds = std::getenv("TILESCOPE_SEEDS")) std::sscanf(seeds, "%u %u", &first, &count);
  for (unsigned seed = first; seed < first + count; ++seed) {
    const random_body::Body b = random_body::body(seed);
    const Ran r = run(b.text, b.helpers);
    INFO(seed << "\n" << b.helpers << b.text);
    CHECK((r.fault + r.error) == "");
  }
}
