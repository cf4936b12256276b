#include "viz/app/layout.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"

using tl::viz::Layout;

TEST_CASE("layout: the panel shown last has the room where there is none for more") {
  Layout layout("Debug");
  CHECK(layout.front() == "Source");
  CHECK(layout.show("Grid"));
  CHECK(layout.front() == "Grid");
  CHECK_FALSE(layout.show("Timeline"));
  CHECK(layout.front() == "Grid");
}

TEST_CASE("layout: the panes of every preset tile the window, with nothing between them but splitters") {
  for (const std::string& preset : Layout::preset_names()) {
    Layout layout(preset);
    layout.place({0, 30, 1600, 900}, 6);
    float area = 0;
    for (const auto& p : layout.panes()) area += p.box.width * p.box.height;
    for (const auto& s : layout.splitters()) area += s.box.width * s.box.height;
    CHECK(area == doctest::Approx(1600 * 900));
  }
}

TEST_CASE("layout: a dragged splitter follows the pointer, and stops a tenth before the edge") {
  Layout layout("Debug");
  layout.place({0, 0, 1000, 500}, 6);
  auto& upright = layout.splitters().back();
  REQUIRE(upright.is_upright);
  layout.drag(upright, 600, 0);
  CHECK(upright.ratio == doctest::Approx(0.6));
  layout.drag(upright, -50, 0);
  CHECK(upright.ratio == doctest::Approx(0.1));
}

TEST_CASE("layout: showing a panel brings its tab to the front") {
  Layout layout("Debug");
  CHECK(layout.show("Offsets"));
  CHECK(layout.panes()[2].tabs[static_cast<std::size_t>(layout.panes()[2].active)] == "Offsets");
  CHECK(layout.panes()[2].is_chosen);
  CHECK_FALSE(layout.show("Timeline"));
}

TEST_CASE("layout: what a kernel suggests comes to the front, unless the reader chose another panel there") {
  Layout layout("Debug");
  const auto shown = [&] { return layout.panes()[2].tabs[static_cast<std::size_t>(layout.panes()[2].active)]; };
  layout.suggest("Matmul");
  CHECK(shown() == "Matmul");
  layout.show("Grid");
  layout.suggest("Softmax");
  CHECK(shown() == "Grid");
}

TEST_CASE("layout: the chip has most of the window") {
  Layout layout("Chip");
  layout.place({0, 0, 1280, 700}, 6);
  REQUIRE(layout.show("Chip"));
  CHECK(layout.panes().back().box.width * layout.panes().back().box.height > 0.7f * 1280 * 700);
}

TEST_CASE("layout: an unknown preset is refused with the ones there are") {
  CHECK_THROWS_WITH_AS(Layout("Debgu"), "there is no preset \"Debgu\"", tl::Error);
}
