// Line plots: ticks by hand, what each line is drawn with, and what measurements bring.
#include "viz/model/plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "viz/export/export.h"

using namespace tl::viz;
using tl::report::Plot;

namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}
std::string svg_of(const Plot& plot) { return svg(draw_plot(plot), Theme()); }

}  // namespace

TEST_CASE("ticks of a linear axis are 1, 2 or 5 times a power of ten and stay inside") {
  CHECK(linear_ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(linear_ticks(0, 4350, 5) == std::vector<double>{0, 1000, 2000, 3000, 4000});
  CHECK(linear_ticks(0, 0.09, 2).size() == 2);
}

TEST_CASE("ticks of a logarithmic axis are powers, thinned where there are many") {
  CHECK(log_ticks(1024, 8192, 2) == std::vector<double>{1024, 2048, 4096, 8192});
  CHECK(log_ticks(1, 1000, 10) == std::vector<double>{1, 10, 100, 1000});
  CHECK(log_ticks(1, std::pow(2, 30), 2, 10).size() <= 11);
}

TEST_CASE("dots have a mark each, and nothing connects them") {
  Plot plot{.title = "", .subtitle = "", .x_label = "", .y_label = "", .lines = {}};
  plot.lines.push_back({.name = "trials", .x = {1, 2, 3}, .y = {3, 1, 2}, .low = {}, .high = {}, .is_dots = true});
  const Drawing drawing = draw_plot(plot);
  const auto with_id = [&](const std::string& id) {
    return std::ranges::count(drawing.shapes, id, [](const Shape& s) { return s.id; });
  };
  CHECK(with_id("mark/trials") == 3);
  CHECK(with_id("line/trials") == 0);
}

TEST_CASE("a plot draws each line with its name, markers and labels, and escapes them") {
  Plot plot{.title = "a < b", .subtitle = "", .x_label = "n", .y_label = "GB/s", .log_x = true, .lines = {}};
  plot.lines.push_back(
      {.name = "tilescope", .x = {1, 2, 4}, .y = {10, 20, 30}, .low = {9, 19, 29}, .high = {11, 21, 31}});
  plot.lines.push_back({.name = "peer", .x = {1, 2, 4}, .y = {11, 12, 13}, .low = {}, .high = {}, .is_dashed = true});
  const std::string svg = svg_of(plot);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a &lt; b") != std::string::npos);
  CHECK(count(svg, "data-id=\"mark/tilescope\"") == 3);
  CHECK(count(svg, "data-id=\"mark/peer\"") == 3);
  CHECK(count(svg, "data-id=\"band/") == 1);
  CHECK(count(svg, "stroke-dasharray") == 1);
  for (const char* word : {">tilescope<", ">peer (dashed)<", ">GB/s<", ">n<"})
    CHECK(svg.find(word) != std::string::npos);
}

TEST_CASE("a plot survives what measurements bring: NaN, zero on a logarithmic axis, one point, nothing") {
  Plot plot{.title = "t", .subtitle = "", .x_label = "n", .y_label = "ms", .log_x = true, .log_y = true, .lines = {}};
  CHECK(svg_of(plot).find("nan") == std::string::npos);
  plot.lines.push_back({.name = "l", .x = {0, 1, 2}, .y = {1, NAN, 0}, .low = {}, .high = {}});
  plot.lines.push_back({.name = "m", .x = {8}, .y = {3}, .low = {}, .high = {}});
  const std::string svg = svg_of(plot);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("a plot's points stand where their axes put them: a linear axis by share, a logarithmic one by powers") {
  Plot plot{.title = "t", .subtitle = "", .x_label = "n", .y_label = "ms", .log_x = true, .log_y = false, .lines = {}};
  plot.lines.push_back({.name = "l", .x = {1, 4, 16}, .y = {0, 10, 20}, .low = {}, .high = {}});
  const Drawing drawing = draw_plot(plot);
  std::vector<Point> points;
  for (const Shape& s : drawing.shapes)
    if (s.id == "line/l") points = s.points;
  REQUIRE(points.size() == 3);
  CHECK(points[1].x - points[0].x == doctest::Approx(points[2].x - points[1].x));
  CHECK(points[0].y - points[1].y == doctest::Approx(points[1].y - points[2].y));
  CHECK(points[0].y > points[2].y);
}
