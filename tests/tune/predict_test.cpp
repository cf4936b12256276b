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
    predict(space, device, together);
    for (const Trial& t : together) {
      std::vector<Trial> alone = {{.config = t.config, .settings = t.settings}};
      predict(space, device, alone);
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
  predict(space, tl::machine::find_device("h200"), trials, {}, stop);
  for (const Trial& t : trials) CHECK((std::isnan(t.model.ms) && !t.is_refused()));
}

TEST_CASE(
    "predict: whom it cuts off takes longer than twice the fastest, and the others have the times that they have "
    "anyway") {
  const auto device = tl::machine::find_device("h200");
  for (const auto& [kernel, sizes, configs] :
       {std::tuple("matmul", std::vector<std::string>{"m=1024", "n=1024", "k=1024"},
                   "bm=16,64,128 bn=16,64 bk=64 stages=3 warps=2,4"),
        std::tuple("add", std::vector<std::string>{"n=4194304"}, "block=32,128,1024 warps=1,4")}) {
    const Space space = space_of(request_of(kernel, sizes, configs));
    std::vector<Trial> exact = trials_of(space), cut = exact, again = exact;
    predict(space, device, exact);
    predict(space, device, cut, {.exact = 3});
    predict(space, device, again, {.exact = 3});
    double fastest = INFINITY;
    for (const Trial& t : exact) fastest = std::min(fastest, t.is_refused() ? INFINITY : t.model.ms);
    int were_cut = 0;
    std::vector<double> kept;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CHECK(again[i].model.ms == cut[i].model.ms);
      CHECK(again[i].model.is_least == cut[i].model.is_least);
      if (exact[i].is_refused()) continue;
      if (!cut[i].model.is_least) {
        CHECK(cut[i].model.ms == exact[i].model.ms);
        kept.push_back(exact[i].model.ms);
        continue;
      }
      ++were_cut;
      CHECK(cut[i].model.ms >= 2 * fastest);
      CHECK(cut[i].model.ms <= exact[i].model.ms);
    }
    CHECK(were_cut > 0);
    CHECK(kept.size() >= 3);
  }
}
