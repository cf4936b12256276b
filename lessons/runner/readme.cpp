#include "lessons/runner/readme.h"

#include <sstream>

#include "interp/lang/text.h"

namespace tl::lessons {

namespace {

std::string without_blank_lines_around(const std::string& text) {
  const auto first = text.find_first_not_of('\n'), last = text.find_last_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, last + 1 - first) + "\n";
}

}  // namespace

Readme read_readme(const std::string& markdown) {
  Readme readme{.title = "", .sections = {{}}};
  std::istringstream in(markdown);
  bool in_code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    if (!in_code && line.starts_with("# ") && readme.title.empty()) readme.title = line.substr(2);
    else if (!in_code && line.starts_with("## ")) readme.sections.push_back({line.substr(3), ""});
    else readme.sections.back().text += line + "\n";
  }
  for (Section& s : readme.sections) s.text = without_blank_lines_around(s.text);
  return readme;
}

Hints read_hints(const std::string& markdown) {
  Hints hints;
  for (const Section& s : read_readme(markdown).sections) {
    if (s.heading.starts_with("Hint")) hints.hints.push_back(s.text);
    if (s.heading == "Why") hints.why = s.text;
  }
  return hints;
}

std::vector<std::string> table_cells(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream in(trimmed(row).substr(1));
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

}  // namespace tl::lessons
