// A lesson's README in pieces: its title and its sections, as the terminal and the window show them one after the
// other.
#pragma once

#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct Section {
  std::string heading;  // Predict; "" for the text above the first
  std::string text;     // markdown

  // In another language the English name stands first: Predict 预测.
  bool is(const std::string& name) const { return heading == name || heading.starts_with(name + " "); }
};
struct Readme {
  std::string title;
  std::vector<Section> sections;
};
Readme read_readme(const std::string& markdown);

// hints.md: the hints, mildest first, and the why.
struct Hints {
  std::vector<std::string> hints;
  std::string why;
};
Hints read_hints(const std::string& markdown);

// The cells of a row of a markdown table: | a | b |
std::vector<std::string> table_cells(const std::string& row);

}  // namespace tl::lessons
