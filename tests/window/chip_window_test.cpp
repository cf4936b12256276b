// The chip in the window: its keys, and two launches on one clock.
#include <algorithm>

#include "tests/window/open_window.h"
#include "viz/panels/chip_view.h"

using namespace tl::viz;

namespace {

const RecordRequest product{
    "grouped_matmul", {"m=256", "n=256", "k=128", "bm=64", "bn=64", "bk=32", "group_size=2"}, 0};

ChipView& chip_of(Open& open) {
  open.app.show("Chip");
  open.settle();
  return dynamic_cast<ChipView&>(*open.app.panel("Chip"));
}

bool tells_of_conflicts(Open& open, const ChipView& chip) {
  const auto& film = *open.app.workspace().film;
  return std::ranges::any_of(film.nodes[tl::viz::film::placement_of(film, chip.path()).node].shapes,
                             [](const Shape& s) { return s.text.find("conflict") != std::string::npos; });
}

}  // namespace

TEST_CASE("window: the chip's keys move its clock and zoom in and out") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  const auto moment = open.session().now();
  open.send("key Home");
  CHECK(chip.us() == 0);
  open.send("key Right");
  const double first_tile = chip.us();
  CHECK(first_tile > 0);
  open.send("key End");
  CHECK(chip.us() == doctest::Approx(open.app.workspace().film->end_us));
  open.send("key Home key Right");
  CHECK(chip.us() == doctest::Approx(first_tile));
  open.send("key Down key Down key Return");
  CHECK(chip.path() == film::Path{1});
  open.send("key Return");
  CHECK(chip.path().size() == 2);
  open.send("key BackSpace key Escape");
  CHECK(chip.path().empty());
  CHECK(open.session().now() == moment);  // none of them was for the debugger
}

TEST_CASE(
    "window: a large launch's beginning is there while the model is at work, and its moment stays when the rest is") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  const auto& film = open.app.workspace().film;
  open.app.open({"grouped_matmul", {"m=4096", "n=4096", "k=4096", "bm=64", "bn=64", "bk=32"}, 0});
  while (!film->is_beginning && open.app.is_busy()) {
    open.window.wait_events(0.02);
    open.app.frame();
  }
  REQUIRE(film->is_beginning);
  const double beginning_us = film->end_us, seen_us = 0.5 * beginning_us;
  open.app.frame();
  chip.seek(seen_us);
  open.settle();
  CHECK_FALSE(film->is_beginning);
  CHECK(film->end_us > 2 * beginning_us);
  CHECK(chip.us() < beginning_us);  // a compiled kernel's time differs a little from the estimated one's
}

TEST_CASE("window: a tour goes on at its second when the same launch is there anew, compiled") {
  NEEDS_X();
  Open open(product);
  const ChipView& chip = chip_of(open);
  open.send("key t key Right key space");
  REQUIRE(chip.caption() == 1);
  const double us = chip.us();
  open.app.workspace().film = std::make_shared<film::Film>(*open.app.workspace().film);
  open.app.frame();
  CHECK(chip.caption() == 1);
  CHECK(chip.us() == us);
  open.send("key Right");
  CHECK(chip.caption() == 2);
}

TEST_CASE("window: Space plays the chip to its end") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  chip.seek(0.99 * open.app.workspace().film->end_us);
  open.send("key space");
  CHECK(chip.us() == doctest::Approx(open.app.workspace().film->end_us));
  CHECK_FALSE(chip.is_playing());
}

TEST_CASE("window: Tab gives the keys to the next pane, and arrows step the debugger again") {
  NEEDS_X();
  Open open(product);
  const std::string front = (chip_of(open), open.app.layout().front());
  CHECK(front == "Chip");
  open.send("key Tab");
  CHECK(open.app.layout().front() != "Chip");
  const auto step = open.session().now().step;
  open.send("key Right");
  CHECK(open.session().now().step == step + 1);
  open.send("key shift+Tab");
  CHECK(open.app.layout().front() == "Chip");
}

TEST_CASE("window: from row-major beside grouped down to the conflicts of a tile's banks, by keys") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  open.send("key ctrl+b");
  open.app.open({"grouped_matmul", {"m=256", "n=256", "k=128", "bm=64", "bn=64", "bk=32", "group_size=1"}, 0});
  open.settle();
  CHECK(chip.text(open.app.workspace()).find("group_size=1") != std::string::npos);
  for (int i = 0; i < 3 && !tells_of_conflicts(open, chip); ++i) open.send("key Return");  // SM, program, slot
  CHECK(tells_of_conflicts(open, chip));
}

TEST_CASE("window: clicks lead from an SM over its program and a slot of its ring to the conflicts of banks") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  for (int i = 0; i < 3 && !tells_of_conflicts(open, chip); ++i) {
    open.send("mousemove " + Open::at(chip.place_of(0)) + " click 1");
    CHECK(chip.path().size() == static_cast<std::size_t>(i) + 1);
  }
  CHECK(tells_of_conflicts(open, chip));
  for (std::size_t depth = chip.path().size(); depth-- > 0;) {
    open.send("click 3");
    CHECK(chip.path().size() == depth);
  }
}

TEST_CASE("window: two clicks on one place of an SM enter it and the program there, whatever lies beneath") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  REQUIRE(open.app.workspace().film->nodes[0].portals.size() == 132);
  for (const int sm : {0, 7, 66, 131}) {
    open.send("mousemove " + Open::at(chip.place_of(sm)) + " click 1");
    open.send("click 1");
    CHECK(chip.path().size() == 2);
    open.send("key BackSpace key BackSpace");
  }
}

TEST_CASE("window: a launch that is kept plays beside the next, with the totals that differ") {
  NEEDS_X();
  Open open(product);
  ChipView& chip = chip_of(open);
  open.send("key ctrl+b");
  open.app.open({"grouped_matmul", {"m=256", "n=256", "k=128", "bm=64", "bn=32", "bk=32", "group_size=2"}, 0});
  open.settle();
  REQUIRE(open.app.workspace().baseline);
  const std::string text = chip.text(open.app.workspace());
  CHECK(text.find("bn=64") != std::string::npos);
  CHECK(text.find("time (model)") != std::string::npos);
  open.send("key ctrl+b");
  CHECK_FALSE(open.app.workspace().baseline);
}

TEST_CASE("window: of a case of several launches the chip plays the one that is chosen") {
  NEEDS_X();
  Open open({"attention_backward", {"seq=128", "bm=64", "bn=64"}, 0});
  chip_of(open);
  const Workspace& workspace = open.app.workspace();
  REQUIRE(workspace.film->launches.size() == 3);
  CHECK(workspace.film->launch == 0);
  workspace.show_launch(1);
  open.settle();
  CHECK(workspace.film->launch == 1);
  open.app.open({"attention_backward", {"seq=192", "bm=64", "bn=64"}, 0});
  open.settle();
  CHECK(workspace.film->launch == 1);  // of the same kernel
}
