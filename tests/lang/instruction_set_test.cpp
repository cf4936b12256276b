// What is compiled once an instruction set: the best that the machine has.
#define TILESCOPE_BASELINE
#include "interp/lang/instruction_set.h"

#include <doctest/doctest.h>

using namespace tl;

namespace baseline {
int answer() { return 1; }
}  // namespace baseline

TEST_CASE("instruction sets: the best that was built and that this machine has is taken") {
  const int avx512 = 3, avx2 = 2, baseline = 1;
  CHECK(*best(&avx512, &avx2, &baseline) == (has_avx512() ? 3 : has_avx2() ? 2 : 1));
  CHECK(*best<const int>(nullptr, &avx2, &baseline) == (has_avx2() ? 2 : 1));
  CHECK(TL_BEST(answer)() == 1);
}

TEST_CASE("instruction sets: a program built for another machine alone says so and how to build it") {
  CHECK_THROWS_WITH_AS(best<const int>(nullptr, nullptr, nullptr),
                       "this program was built for the instruction set of one machine alone, which this one lacks",
                       Error);
}
