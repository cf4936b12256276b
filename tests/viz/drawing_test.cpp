// What drawings are made of: the shared selection, themes, widths of text, tables.
#include <doctest/doctest.h>

#include <cmath>

#include "viz/model/sheet.h"
#include "viz/model/theme.h"

using namespace tl::viz;

namespace {
About lane(std::int64_t program, std::int64_t lane, std::int64_t element) {
  About a;
  a.program = program;
  a.lane = lane;
  a.line = 9;
  a.tensor = 0;
  a.first = a.last = element;
  return a;
}
About cell(int tensor, std::int64_t first, std::int64_t last) {
  About a;
  a.tensor = tensor;
  a.first = first;
  a.last = last;
  return a;
}
}  // namespace

TEST_CASE("selection: a lane lights its cell, its line and its program, and nothing else") {
  const About hovered = lane(1, 2, 6);
  About line, other_line, program;
  line.line = 9;
  other_line.line = 8;
  program.program = 1;
  CHECK(is_same_thing(hovered, cell(0, 6, 6)));
  CHECK(is_same_thing(hovered, cell(0, 4, 7)));
  CHECK_FALSE(is_same_thing(hovered, cell(0, 7, 7)));
  CHECK_FALSE(is_same_thing(hovered, cell(1, 6, 6)));
  CHECK(is_same_thing(hovered, line));
  CHECK_FALSE(is_same_thing(hovered, other_line));
  CHECK(is_same_thing(hovered, program));
  CHECK_FALSE(is_same_thing(hovered, {}));
}

TEST_CASE("selection: what was pinned stays lit while something else is hovered") {
  Selection s;
  s.pinned = cell(0, 3, 3);
  s.hovered = lane(0, 1, 1);
  CHECK(s.lights(cell(0, 3, 3)));
  CHECK(s.lights(cell(0, 1, 1)));
  CHECK_FALSE(s.lights(cell(0, 2, 2)));
}

TEST_CASE("theme: text reads on paper in every theme, as WCAG asks of small text: 4.5 to 1") {
  for (const ThemeName name : {ThemeName::light, ThemeName::dark, ThemeName::contrast}) {
    const Theme theme(name);
    for (const Role role : {Role::ink, Role::soft, Role::fault, Role::good, Role::model})
      CHECK(contrast_ratio(theme({role}), theme({Role::paper})) >= 4.5);
  }
}

TEST_CASE("theme: a number on a coloured cell is black or white, whichever reads, at 4.5 to 1") {
  for (const ThemeName name : {ThemeName::light, ThemeName::dark, ThemeName::contrast})
    for (int i = 0; i < 7; ++i) {
      const Theme theme(name);
      CHECK(contrast_ratio(theme({Role::contrast}, category(i)), theme(category(i))) >= 4.5);
      CHECK(contrast_ratio(theme({Role::contrast}, magnitude(i / 6.0)), theme(magnitude(i / 6.0))) >= 4.5);
    }
}

TEST_CASE("theme: Okabe and Ito's first colour, cividis's ends, as published") {
  const Theme theme;
  CHECK(hex(theme(category(0))) == "#56b4e9");
  CHECK(hex(cividis(0)) == "#00224e");
  CHECK(hex(cividis(1)) == "#fee838");
}

TEST_CASE("text: widths of DejaVu Sans, and an ellipsis where it would not fit") {
  CHECK(text_width("00", 10, true) == doctest::Approx(12.04));  // 1233 of 2048 an advance
  CHECK(fitted("offsets", 100, 10) == "offsets");
  const std::string cut = fitted("a long name of a variable", 60, 10);
  CHECK(cut.ends_with("\u2026"));
  CHECK(text_width(cut, 10) <= 60);
}

TEST_CASE("text: numbers in cells stay short") {
  CHECK(short_number(3, true) == "3");
  CHECK(short_number(0.123456, false) == "0.123");
  CHECK(short_number(-INFINITY, false) == "-inf");
  CHECK(bytes_text(1536) == "1.5 KiB");
}

TEST_CASE(
    "text: a number in a narrow cell loses digits, never those before the point, and is left out rather than smaller "
    "than "
    "11 px") {
  const auto in = [](float width, double value) {
    float size = 11;
    return number_in(width, value, false, size);
  };
  CHECK(in(44, -0.137) == "-0.137");
  CHECK(in(28, -0.137) == "-0.1");
  CHECK(in(24, -0.137) == "");
  CHECK(in(24, 65504) == "");
  CHECK(in(36, 65504) == "65504");
  CHECK(in(36, -12.34) == "-12.3");
  CHECK(in(20, -12.34) == "-12");
}

TEST_CASE("table: columns line up") {
  CHECK(plain_text(Table{"t", {"a", "bb"}, {{"10", "2"}, {"3", "4"}}}) == "t\n  a   bb\n  10  2\n  3   4\n");
}

TEST_CASE("sheet: on a low canvas the title takes a line, and its tooltip says the rest") {
  const auto beginning = [](float height) { return Sheet("p", "a title", "a sentence about it", {400, height}); };
  const Sheet low_one = beginning(150), high_one = beginning(600);
  CHECK(low_one.y < high_one.y);
  CHECK(low_one.drawing.shapes.front().tooltip == "a title\na sentence about it");
  CHECK(high_one.drawing.shapes.back().text == "a sentence about it");
}
