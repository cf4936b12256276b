// The picture of a schedule made by hand: three programs on two SMs, of which one is idle at the end.
#include "viz/model/schedule_picture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "viz/export/export.h"

using namespace tl;
using namespace tl::viz;

namespace {

machine::Schedule three_programs() {
  machine::Schedule s;
  s.gpu = "a GPU";
  s.grid[0] = 3;
  s.sms = 2;
  s.resident_programs_per_sm = 1;
  s.waves = 1.5;
  s.model_ms = 0.02;
  for (int i = 0; i < 3; ++i) {
    machine::ProgramRun p;
    p.sm = i % 2;
    p.wave = i / 2;
    p.start_us = i < 2 ? 0 : 10;
    p.end_us = i < 2 ? 10 : 20;
    s.programs.push_back(p);
  }
  return s;
}

const Shape* shape_of(const Drawing& d, const std::string& tooltip) {
  const auto it = std::ranges::find_if(d.shapes, [&](const Shape& s) { return s.tooltip.starts_with(tooltip); });
  return it == d.shapes.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("schedule picture: a bar a program, as long as it runs, in the row of its SM, in the colour of its wave") {
  trace::AccessRecord record;
  record.grid[0] = 3;
  const Drawing d = draw_schedule(three_programs(), record, "k", "n=3");
  const Shape *first = shape_of(d, "program 0 on SM 0"), *second = shape_of(d, "program 1 on SM 1"),
              *third = shape_of(d, "program 2 on SM 0");
  REQUIRE((first && second && third));
  CHECK(first->y == third->y);
  CHECK(second->y > first->y);
  CHECK(first->w == doctest::Approx(third->w));
  CHECK(third->x > first->x + first->w);
  CHECK(first->fill == category(0));
  CHECK(third->fill == category(1));
}

TEST_CASE("schedule picture: the tail begins where an SM runs out of programs, and the place stays hatched") {
  trace::AccessRecord record;
  record.grid[0] = 3;
  const Drawing d = draw_schedule(three_programs(), record, "k", "n=3");
  const Shape *tail = shape_of(d, "the tail begins"), *third = shape_of(d, "program 2 on SM 0");
  REQUIRE((tail && third));
  CHECK(tail->is_dashed);
  CHECK(tail->x == doctest::Approx(third->x));
  CHECK(std::ranges::any_of(d.shapes, [&](const Shape& s) {
    return s.hatch == Hatch::single && s.x == doctest::Approx(tail->x) && s.w > 0;
  }));
  const std::string text = svg(d, Theme());
  for (const char* word : {">SM 0<", ">SM 1<", "SMs over time", "The order of programs", "model"})
    CHECK_MESSAGE(text.find(word) != std::string::npos, word);
}
