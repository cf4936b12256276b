// A session recorded on a GPU, told again without one. The recording here is made up.
#include "interp/tune/recorded_trials.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace tl;
using namespace tl::tune;

namespace {

run::Point point(int m, int bm, double ms) {
  run::Point p{
      .kernel = "matmul",
      .settings = {{"m", m}, {"n", m}, {"k", m}, {"bm", bm}, {"bn", 64}, {"bk", 32}, {"warps", 4}, {"stages", 3}}};
  p.own = {5, ms, ms * 0.99, ms * 1.01, ms * 0.98};
  return p;
}

run::RecordedRun recording() {
  return {
      "NVIDIA H200", "580",
      "2026-01-01",  "tilescope tune matmul --sweep m=n=k=512:1024:x2 --device cuda",
      "0.1",         {point(512, 64, 0.02), point(512, 128, 0.01), point(1024, 64, 0.03), point(1024, 128, 0.0301)}};
}

}  // namespace

TEST_CASE("recorded trials come back by size, the fastest first, with the model's times beside them") {
  const std::vector<Tuned> sessions = tuned_of(recording(), "h200");
  REQUIRE(sessions.size() == 2);
  REQUIRE(sessions[0].trials.size() == 2);
  CHECK(sessions[0].trials[0].settings.integer("bm") == 128);
  CHECK(sessions[0].trials[0].standing == Trial::Standing::winner);
  CHECK(sessions[0].trials[1].standing == Trial::Standing::behind);
  CHECK(sessions[0].trials[0].model.ms > 0);
  CHECK(sessions[1].trials[1].standing == Trial::Standing::tied);
}

TEST_CASE("what was measured goes into a recording and comes back the same") {
  std::vector<Tuned> sessions = tuned_of(recording(), "h200");
  const std::vector<run::Point> points = points_of(sessions);
  REQUIRE(points.size() == 4);
  CHECK(points[0].own.median == 0.01);
  CHECK(points[0].settings["bm"] == 128);
}

TEST_CASE("a setting that the kernel has no more leaves a trial out") {
  run::RecordedRun run = recording();
  run.points[0].settings["tile"] = 7;
  CHECK(tuned_of(run, "h200")[0].trials.size() == 1);
}

TEST_CASE("a setting that was left to the launch stands in a recording as an empty word") {
  run::RecordedRun run = recording();
  for (run::Point& p : run.points) p.settings["registers"] = "";
  CHECK(tuned_of(run, "h200")[0].trials.size() == 2);
}

TEST_CASE("recordings of tuning have names of their own") {
  run::RecordedRun run = recording();
  CHECK(run.is_of_tuning());
  CHECK(run::recorded_name(run).starts_with("tune-matmul"));
  run.command = "tilescope bench matmul";
  CHECK_FALSE(run.is_of_tuning());
  CHECK(run::recorded_name(run).starts_with("matmul"));
}
