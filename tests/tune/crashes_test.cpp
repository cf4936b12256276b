// Configs whose plain C++ ends the process, or does not end.
#include <doctest/doctest.h>

#include <cstdlib>

#include "interp/tune/crashes.h"

using namespace tl;

namespace {

// Why the config of a problem that does so is refused.
std::string refusal(void (*does)()) {
  problems::Problem problem;
  problem.name = "own.h";
  problem.make = [does](const problems::Settings&, std::uint64_t) {
    does();
    return problems::Instance{};
  };
  std::vector<tune::Trial> trials(1);
  tune::refuse_crashing({.problem = &problem}, machine::find_device("h200"), trials, 1);
  return trials[0].why;
}

}  // namespace

TEST_CASE("a config that crashes, exits or never ends is refused in words; others are not") {
  CHECK(refusal([] {}).empty());
  CHECK(refusal([] { std::exit(0); }).starts_with("it ended the process it ran in (exit code 0)"));
  CHECK(refusal([] { std::abort(); }).starts_with("it crashed: it aborted"));
  CHECK(refusal([] {
          for (volatile int i = 0;; i = 0) {
          }
        }).starts_with("it did not come to an end within 1 seconds of processor time"));
}
