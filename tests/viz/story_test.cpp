// The picture that a kernel opens with, by what its programs did.
#include "viz/scene/story.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "kernels/problems/problem.h"
#include "tests/viz/recorded_run.h"
#include "viz/scene/scene_case.h"

using namespace tl;

TEST_CASE("story: a kernel opens in the picture that shows what it does") {
  const std::map<std::string, std::string> expected = {
      {"copy", "offsets"},  {"add", "offsets"},     {"copy_wrong_offsets", "offsets"}, {"grey", "mask"},
      {"matmul", "matmul"}, {"softmax", "softmax"}, {"attention", "attention"},        {"lecture_matmul", "matmul"}};
  for (const auto& [kernel, panel] : expected) {
    debug::Session session = viz::recorded_run(kernel, {});
    CHECK_MESSAGE(viz::story_of(session, nullptr).panel == panel, kernel);
  }
}

TEST_CASE("story: programs that go down the output first are shown in their order") {
  debug::Session session =
      viz::recorded_run("grouped_matmul", {"m=64", "n=64", "k=32", "bm=16", "bn=16", "bk=16", "group_size=2"});
  CHECK(viz::story_of(session, nullptr).panel == "order");
}

TEST_CASE("story: a kernel in groups opens where its order pays in bytes and in time, any other one as it is") {
  const run::KernelOptions opened = viz::case_to_open({"grouped_matmul", {}}, "h200");
  const viz::ModelRun model = viz::model_of(opened, "h200", 0);
  REQUIRE(model.other_order);
  CHECK(model.other_order->dram_read_bytes > 2 * model.own.dram_read_bytes);
  CHECK(model.other_order->model_ms > 1.02 * model.own.model_ms);
  CHECK(viz::case_to_open({"matmul", {}}, "h200").settings.empty());
  CHECK(viz::case_to_open({"matmul_unmasked", {}}, "h200").settings.empty());  // whose run fails
  CHECK(viz::case_to_open({"grouped_matmul", {"m=512"}}, "h200").settings == std::vector<std::string>{"m=512"});
}

TEST_CASE("story: sums of fp8 are not wrong by what the tensor cores round them to") {
  run::RecordingOptions options;
  options.finds_wrong = true;
  debug::Session session(run::record(run::make_case({.kernel = "promoted_matmul", .settings = {}}), options));
  CHECK(viz::story_of(session, nullptr).panel == "matmul");
}

TEST_CASE("story: a race opens behind the store that raced") {
  debug::Session session = viz::recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  const viz::Story story = viz::story_of(session, nullptr);
  CHECK(session.trace().programs[story.moment.program].steps[story.moment.step - 1].op == Op::store);
  CHECK(session.now().step == 0);  // it stays where it was
}

TEST_CASE("story: an access out of bounds opens at the offsets that it was given, with what is wrong") {
  debug::Session session = viz::recorded_run("matmul_unmasked", {});
  const viz::Story story = viz::story_of(session, nullptr);
  CHECK(story.panel == "block");
  session.go(story.moment);
  viz::Scene scene{.session = session};
  const viz::Drawing d = viz::find_panel("block")->draw(scene, {900, 600});
  const auto said = std::ranges::find(d.shapes, "fault", &viz::Shape::id);
  REQUIRE(said != d.shapes.end());
  CHECK(said->text.find("lane 12 of program 0 is out of bounds") != std::string::npos);  // A holds 3 x 4
}

TEST_CASE("story: a wrong value opens in memory behind its store, with its history") {
  trace::RecordedTrace trace = run::record(run::make_case({.kernel = "copy", .settings = {"n=6", "block=2"}}), {});
  trace.wrong = {{"z", {3, 4}}};
  debug::Session session(std::move(trace));
  const viz::Story story = viz::story_of(session, nullptr);
  CHECK(story.panel == "memory");
  CHECK(story.moment.program == 1);  // which stores z[2] and z[3]
  CHECK(story.chosen.first == 3);
  session.go(story.moment);
  viz::Scene scene{.session = session};
  scene.chosen = story.chosen;
  const std::string said = viz::plain_text(viz::find_panel("memory")->draw(scene, {900, 600}));
  CHECK(said.find("z[3]") != std::string::npos);
  CHECK(said.find("wrong at the end") != std::string::npos);
}

TEST_CASE("story: a causal attention opens at the first program that sees all keys, with the rows of one sequence") {
  debug::Session session =
      viz::recorded_run("attention", {"heads=2", "seq=64", "head_dim=16", "bm=16", "bn=16", "causal=true"});
  const viz::Story story = viz::story_of(session, nullptr);
  std::size_t longest = 0, dots = 0;
  for (std::size_t p = 0; p < session.trace().programs.size(); ++p) {
    const auto& steps = session.trace().programs[p].steps;
    const auto of_program = static_cast<std::size_t>(std::ranges::count(steps, Op::dot, &trace::Step::op));
    if (of_program > dots) {
      dots = of_program;
      longest = p;
    }
  }
  CHECK(story.moment.program == longest);
  CHECK(dots == 8);  // four blocks of keys, two products each
  for (std::size_t p = 0; p < session.trace().programs.size(); ++p) {
    const auto steps = static_cast<std::uint32_t>(session.trace().programs[p].steps.size());
    session.go({p, steps});
    viz::Scene scene{.session = session};
    const std::string title = viz::find_panel("attention")->draw(scene, {900, 600}).title;
    CHECK_MESSAGE(std::atoi(title.substr(title.find("queries ") + 8).c_str()) < 64, title);
  }
}

TEST_CASE("story: every kernel has one, with something to be seen") {
  for (const problems::Problem& p : problems::all()) {
    debug::Session session = viz::recorded_run(p.name, {});
    const viz::Story story = viz::story_of(session, nullptr);
    session.go(story.moment);
    viz::Scene scene{.session = session};
    CHECK_MESSAGE(viz::find_panel(story.panel)->missing(scene).empty(), p.name);
    CHECK_MESSAGE(story.moment.step > 0, p.name);
  }
}
