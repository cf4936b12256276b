// The model's ranking: what configs share is worked out once, and changes no figure.
#include "interp/tune/predict.h"

#include <doctest/doctest.h>

#include "tests/tune/spaces.h"

using namespace tl::tune;

namespace {

std::vector<Trial> trials_of(const Space& space) {
  std::vector<Trial> trials;
  for (const auto& config : space.configs) trials.push_back({.config = config, .settings = settings_of(space, config)});
  return trials;
}

}  // namespace

TEST_CASE("predict: of configs that differ in warps and stages each has the time that it has alone") {
  const auto device = tl::machine::find_device("h200");
  for (const auto& [kernel, size, configs] :
       {std::tuple("add", "n=100000", "block=128,256 warps=1,4"), std::tuple("softmax", "rows=500", "warps=2,4,8"),
        std::tuple("persistent_matmul", "m=512", "bm=64 bn=64 warps=4,8 stages=2,3")}) {
    const Space space = space_of(request_of(kernel, {size}, configs));
    std::vector<Trial> together = trials_of(space);
    predict(space, device, together, false);
    for (const Trial& t : together) {
      std::vector<Trial> alone = {{.config = t.config, .settings = t.settings}};
      predict(space, device, alone, false);
      CHECK(t.model.ms > 0);
      CHECK(t.model.ms == alone[0].model.ms);
      CHECK(t.model.dram_bytes == alone[0].model.dram_bytes);
    }
  }
}

TEST_CASE("predict: what was stopped has no time, and is not refused for it") {
  const Space space = space_of(request_of("add", {}, "block=128,256"));
  std::vector<Trial> trials = trials_of(space);
  const std::atomic<bool> stop = true;
  predict(space, tl::machine::find_device("h200"), trials, false, stop);
  for (const Trial& t : trials) CHECK((std::isnan(t.model.ms) && !t.is_refused()));
}
