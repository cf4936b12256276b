// Whole sessions.
#include "interp/tune/tune_case.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "interp/lang/error.h"
#include "interp/tune/regret.h"
#include "tests/tune/spaces.h"

using namespace tl::tune;
using tl::problems::config_text;

TEST_CASE("the model ranks a space, and the fastest wins") {
  const OwnCache cache;
  const Tuned tuned = tl::tune::tune(request_of("add", {"n=100003"}), {});
  REQUIRE(tuned.winner());
  for (const Trial& t : tuned.trials) CHECK(tuned.winner()->model.ms <= t.model.ms);
  CHECK(std::ranges::none_of(tuned.trials, &Trial::is_measured));
}

TEST_CASE("what no SM holds is refused with its figure: the lecture's first config in f32") {
  const OwnCache cache;
  const Tuned tuned = tl::tune::tune(request_of("grouped_matmul", {"m=256", "n=256", "k=256", "dtype=f32"}), {});
  const auto first = std::ranges::find_if(tuned.trials, [](const Trial& t) {
    return config_text(t.config) == "bm=128 bn=256 bk=64 stages=3 warps=8 group_size=8";
  });
  REQUIRE(first != tuned.trials.end());
  // (128 x 64 + 64 x 256) x 4 bytes x 3 stages; an H200's programs have 227 KiB
  CHECK(first->why.find("294912 bytes of shared memory, the device allows 232448") != std::string::npos);
}

TEST_CASE("a config that is wrong never wins, however fast") {
  const OwnCache cache;
  TuneOptions options;
  options.device = Device::cpu;
  options.measure.measure_ms = 1;
  const Tuned tuned = tl::tune::tune(request_of("copy_wrong_stride", {"n=4096"}, "block=64,128,256"), options);
  CHECK_FALSE(tuned.winner());
  for (const Trial& t : tuned.trials) CHECK(t.is_refused());
}

TEST_CASE("top_k configs are checked and timed, and no more") {
  const OwnCache cache;
  TuneOptions options;
  options.device = Device::cpu;
  options.top_k = 2;
  options.measure.measure_ms = 1;
  const Tuned tuned = tl::tune::tune(request_of("add", {"n=4096"}, "block=64,128,256,512"), options);
  CHECK(std::ranges::count_if(tuned.trials, &Trial::is_measured) == 2);
  CHECK(std::ranges::count_if(tuned.trials, &Trial::is_checked) == 2);
  options.top_k = 0.75;
  options.reads_cache = false;
  CHECK(std::ranges::count_if(tl::tune::tune(request_of("add", {"n=4096"}, "block=64,128,256,512"), options).trials,
                              &Trial::is_checked) == 3);
}

TEST_CASE("descent finds by the model what the space does not hold") {
  const OwnCache cache;
  TuneOptions options;
  options.descends = true;
  const Tuned tuned =
      tl::tune::tune(request_of("matmul", {"m=512", "n=512", "k=512"}, "bm=16 bn=16 bk=16 warps=1"), options);
  REQUIRE(tuned.winner());
  CHECK(config_text(tuned.descended_from) == "bm=16 bn=16 bk=16 warps=1");
  CHECK(tuned.winner()->model.ms < tuned.descended_from_ms);
}

TEST_CASE("a winner is kept where it was checked, for --descend only where it descended") {
  const OwnCache cache;
  const SpaceRequest request = request_of("add", {"n=5000"});
  TuneOptions unchecked;
  unchecked.checks = false;
  tl::tune::tune(request, unchecked);
  CHECK_FALSE(tl::tune::tune(request, {}).kept);
  CHECK(tl::tune::tune(request, {}).kept);
  TuneOptions descending;
  descending.descends = true;
  CHECK_FALSE(tl::tune::tune(request, descending).kept);
  CHECK(tl::tune::tune(request, descending).kept);
  SpaceRequest pruned = request;
  pruned.refuse = "block > 1024";
  CHECK_FALSE(tl::tune::tune(pruned, {}).kept);
}

TEST_CASE("a register limit is a choice like any other") {
  const OwnCache cache;
  const Tuned tuned = tl::tune::tune(request_of("softmax", {}, "warps=4 registers=24,255"), {});
  REQUIRE(tuned.trials.size() == 2);
  CHECK(std::ranges::count(tuned.trials, 24, [](const Trial& t) { return t.model.registers; }) == 1);
}

TEST_CASE("a GPU that is not there is told, with what to do instead") {
  TuneOptions options;
  options.gpu = "h300";
  CHECK_THROWS_AS(tl::tune::tune(request_of("add", {}), options), tl::Error);
}

TEST_CASE("regret: a size's own winner costs nothing there, and others at least as much") {
  const OwnCache cache;
  std::vector<Tuned> tuned;
  for (const char* m : {"256", "2048"})
    tuned.push_back(tl::tune::tune(
        request_of("matmul", {std::string("m=") + m, std::string("n=") + m, std::string("k=") + m}), {}));
  const Regret regret = regret_of(tuned, {});
  REQUIRE(regret.sizes.size() == 2);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto own = std::ranges::find(regret.winners, tuned[s].config()) - regret.winners.begin();
    CHECK(regret.factor(static_cast<std::size_t>(own), s) == 1);
    for (std::size_t w = 0; w < regret.winners.size(); ++w) CHECK(regret.factor(w, s) >= 1);
  }
}
