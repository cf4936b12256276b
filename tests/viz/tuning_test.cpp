// A kernel's configs as dots: what the model says of each, and what was measured where it was.
#include <doctest/doctest.h>

#include <algorithm>

#include "interp/lang/error.h"
#include "tests/viz/recorded_run.h"
#include "viz/scene/tuning_case.h"

using namespace tl;
using namespace tl::viz;

namespace {

Drawing drawn(const TuningRun& run, bool against_the_model = false) {
  debug::Session session = recorded_run("add", {"n=4", "block=4"});
  Scene scene{.session = session, .tuning = &run};
  if (against_the_model) scene.settings["against"] = 1;
  REQUIRE(missing_tuning(scene) == "");
  return draw_tuning(scene, {900, 600});
}

}  // namespace

TEST_CASE("tuning: of a product of 512 an H200's times stand beside the model's, whatever config is open") {
  const std::vector<std::string> sizes = {"m=512", "n=512", "k=512"};
  std::vector<std::string> open = sizes;
  for (const char* word : {"bm=64", "bn=64", "bk=128", "stages=4", "warps=4"}) open.emplace_back(word);
  const TuningRun run = TuningRanks().of({"matmul", open}, "h200");
  CHECK(run.dots.size() > 10);
  CHECK(run.measured_on.find("H200") != std::string::npos);
  CHECK(TuningRanks().of({"matmul", sizes}, "h200").dots.size() == run.dots.size());
  const auto open_dot = std::ranges::find_if(run.dots, &TuningDot::is_open);
  REQUIRE(open_dot != run.dots.end());
  CHECK(open_dot->text() == "bm=64 bn=64 bk=128 stages=4 warps=4");
  CHECK(open_dot->measured_ms == doctest::Approx(0.0042).epsilon(0.001));  // as kernels/recorded has it
  CHECK(std::ranges::count_if(run.dots, &TuningDot::is_open) == 1);

  const Drawing d = drawn(run, true);
  CHECK(std::ranges::count_if(d.shapes, [](const Shape& s) { return !s.takes.empty(); }) == std::ssize(run.dots));
  const auto dot = std::ranges::find(d.shapes, "tuning/" + open_dot->text(), &Shape::id);
  REQUIRE(dot != d.shapes.end());
  CHECK(dot->takes == open_dot->config);
  CHECK(dot->tooltip.find("4.20 us measured") != std::string::npos);
}

TEST_CASE("tuning: in each knob a config stands at its value, the slower the higher") {
  const TuningRun run = TuningRanks().of({"matmul", {"m=256", "n=256", "k=256"}}, "h200");
  const Drawing d = drawn(run);
  const auto middle_of = [&](const std::string& knob, const TuningDot& dot) {
    const auto s = std::ranges::find(d.shapes, "tuning/" + knob + "/" + dot.text(), &Shape::id);
    REQUIRE_MESSAGE(s != d.shapes.end(), knob);
    return Point{s->x + s->w / 2, s->y + s->h / 2};
  };
  for (const TuningDot& a : run.dots)
    for (const TuningDot& b : run.dots) {
      if (a.model_ms < b.model_ms) CHECK(middle_of("bm", a).y > middle_of("bm", b).y);
      CHECK((middle_of("bm", a).x == middle_of("bm", b).x) == (a.config.front() == b.config.front()));
      CHECK(a.config.front().first == "bm");
    }
}

TEST_CASE("tuning: the knob comes first of which a wrong value costs most") {
  TuningRun run{.key = "n=8", .measured_on = "", .dots = {}, .refused = {}};
  const auto add = [&](const char* block, const char* warps, double ms) {
    run.dots.push_back({.config = {{"block", block}, {"warps", warps}}, .model_ms = ms, .limited_by = "DRAM"});
  };
  add("64", "4", 0.004);
  add("64", "8", 0.012);
  add("128", "4", 0.005);
  add("128", "8", 0.010);
  const Drawing d = drawn(run);
  CHECK(std::ranges::count(d.facts,
                           "warps matters most: with its worst value the best config takes 2.50 times as long") == 1);
  const auto left_of = [&](const char* id) { return std::ranges::find(d.shapes, id, &Shape::id)->x; };
  CHECK(left_of("knob/warps") < left_of("knob/block"));
}

TEST_CASE("tuning: a config that is clicked is marked, and nothing is ranked anew") {
  const std::vector<std::string> sizes = {"m=512", "n=512", "k=512"};
  TuningRanks ranks;
  const TuningRun before = ranks.of({"matmul", sizes}, "h200");
  std::vector<std::string> clicked = sizes;
  for (const auto& [name, value] : before.dots.back().config) clicked.push_back(name + "=" + value);
  const std::atomic<bool> stop = true;  // what would be modelled now gets no time
  const TuningRun after = ranks.of({"matmul", clicked}, "h200", stop);
  REQUIRE(after.dots.size() == before.dots.size());
  for (std::size_t i = 0; i < after.dots.size(); ++i) {
    CHECK(after.dots[i].model_ms == before.dots[i].model_ms);
    CHECK(after.dots[i].is_open == (i + 1 == after.dots.size()));
  }
  clicked.front() = "m=1024";
  CHECK(std::isnan(ranks.of({"matmul", clicked}, "h200", stop).dots.front().model_ms));
}

TEST_CASE("tuning: a kernel that declares no configs says so") {
  CHECK_THROWS_AS(TuningRanks().of({"copy_wrong_offsets", {}}, "h200"), Error);
}

TEST_CASE("tuning: a time that was followed no further points upwards, and nothing is said to limit it") {
  TuningRun run{.key = "n=8", .measured_on = "", .dots = {}, .refused = {}};
  run.dots.push_back(
      {.config = {{"block", "4"}}, .model_ms = 0.002, .waves = 1, .ctas_per_sm = 1, .limited_by = "DRAM"});
  run.dots.push_back(
      {.config = {{"block", "8"}}, .model_ms = 0.005, .is_least = true, .ctas_per_sm = 1, .limited_by = ""});
  const Drawing d = drawn(run);
  const auto dot = [&](const char* id) { return std::ranges::find(d.shapes, id, &Shape::id); };
  CHECK(dot("tuning/block/block=4")->kind == Kind::rect);
  CHECK(dot("tuning/block/block=8")->kind == Kind::up_triangle);
  CHECK(dot("tuning/block/block=8")->tooltip ==
        "block=8\n> 5.00 us (model)\n- waves, 1 program an SM, not followed further");
  CHECK(std::ranges::count(d.legend, "takes at least that long", &LegendItem::label) == 1);
  CHECK(std::ranges::count(d.legend, "not followed further", &LegendItem::label) == 1);
}
