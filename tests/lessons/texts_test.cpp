// The lessons' texts: code that comes from the files, links that resolve, lengths, and solutions that only add to
// starters.
#include "lessons/runner/texts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "interp/lang/error.h"
#include "lessons/runner/lesson.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/translation.h"

using namespace tl;
using namespace tl::lessons;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Without the indent that all lines share.
std::vector<std::string> dedented(std::vector<std::string> lines) {
  std::size_t indent = 1000;
  for (const std::string& l : lines)
    if (!l.empty()) indent = std::min(indent, l.find_first_not_of(' '));
  for (std::string& l : lines) l = l.size() >= indent ? l.substr(indent) : "";
  return lines;
}

bool holds(const std::vector<std::string>& file, const std::vector<std::string>& wanted) {
  for (std::size_t at = 0; at + wanted.size() <= file.size(); ++at)
    if (dedented({file.begin() + static_cast<std::ptrdiff_t>(at),
                  file.begin() + static_cast<std::ptrdiff_t>(at + wanted.size())}) == dedented(wanted))
      return true;
  return false;
}

// Every line of `shorter`, in order, stands in `longer`.
bool only_adds(const std::vector<std::string>& shorter, const std::vector<std::string>& longer) {
  std::size_t i = 0;
  for (const std::string& line : longer) i += i < shorter.size() && shorter[i] == line;
  return i == shorter.size();
}

}  // namespace

TEST_CASE("readmes: at most 90 lines, and a prediction in each") {
  for (const Lesson& lesson : all()) {
    const std::string text = lesson.text("README.md");
    for (const Language l : {Language::cpp, Language::python})
      CHECK_MESSAGE(lines_of(in_language(text, l)).size() <= 90, lesson.folder);
    const Readme readme = read_readme(text);
    CHECK(readme.title == lesson.title);
    CHECK_MESSAGE(std::ranges::count(readme.sections, std::string("Predict"), &Section::heading) == 1, lesson.folder);
  }
}

TEST_CASE("readmes: the kernels' code in them stands in the file that they name") {
  int blocks = 0;
  for (const Lesson& lesson : all()) {
    const auto lines = lines_of(lesson.text("README.md"));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch m;
      if (!lines[i].starts_with("```") || i == 0 ||
          !std::regex_match(lines[i - 1], m, std::regex("<!-- from (.+) -->")))
        continue;
      const std::string path =
          m[1].str().find('/') == std::string::npos ? "lessons/" + lesson.folder + "/" + m[1].str() : m[1].str();
      std::vector<std::string> code;
      for (++i; i < lines.size() && lines[i] != "```"; ++i) code.push_back(lines[i]);
      CHECK_MESSAGE(holds(lines_of(std::string(text_of(path))), code),
                    lesson.folder << ": " << path << " does not hold the code before line " << i + 1);
      ++blocks;
    }
  }
  CHECK(blocks >= 25);
}

TEST_CASE("readmes: in another language the sections are the same, and a lesson that lacks it is told in English") {
  const Lesson& copy = find("copy");
  const Readme english = read_readme(copy.text("README.md"));
  setenv("TILESCOPE_LANGUAGE", "zh", 1);
  const Readme chinese = read_readme(copy.page("README.md", Language::cpp));
  CHECK(find("add").page("README.md", Language::cpp) == in_language(find("add").text("README.md"), Language::cpp));
  unsetenv("TILESCOPE_LANGUAGE");
  CHECK(chinese.title != english.title);
  REQUIRE(chinese.sections.size() == english.sections.size());
  for (std::size_t i = 1; i < english.sections.size(); ++i) CHECK(chinese.sections[i].is(english.sections[i].heading));
}

TEST_CASE("questions: in another language they ask for the same, and answer the same guesses") {
  const auto asked = [](const Lesson& lesson) {
    std::vector<std::string> all;  // headings, what answers, guesses
    for (const std::string& line : lines_of(lesson.page("questions.md", Language::cpp)))
      if (line.starts_with("## ") || line.starts_with("Count: ") || line.starts_with("Reason: ") ||
          line.starts_with("First to fail: "))
        all.push_back(line);
      else if (line.starts_with("- ")) all.push_back(line.substr(0, line.find(": ")));
    return all;
  };
  const auto english = asked(find("copy"));
  setenv("TILESCOPE_LANGUAGE", "zh", 1);
  const auto chinese = asked(find("copy"));
  CHECK(find("copy").page("questions.md", Language::cpp) != find("copy").text("questions.md"));
  unsetenv("TILESCOPE_LANGUAGE");
  CHECK(english.size() > 20);
  CHECK(chinese == english);
}

TEST_CASE("readmes: a row of a table has its empty cells, too") {
  using Cells = std::vector<std::string>;
  CHECK(table_cells("| | |") == Cells{"", ""});
  CHECK(table_cells("| a | `b c` |") == Cells{"a", "`b c`"});
  CHECK(table_cells("| a | | ") == Cells{"a", ""});
}

TEST_CASE("readmes: links resolve") {
  for (const Lesson& lesson : all()) {
    const std::string text = lesson.text("README.md");
    const std::regex link(R"(\]\(([^)#]+)[^)]*\))");
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
      CHECK_MESSAGE(fs::exists(fs::path(TILESCOPE_ROOT) / "lessons" / lesson.folder / (*it)[1].str()),
                    lesson.folder << ": " << (*it)[1].str());
  }
}

TEST_CASE("solutions only add lines to their starters, or the lesson says why not") {
  for (const Lesson& lesson : all()) {
    const bool adds = only_adds(lines_of(lesson.starter(Language::cpp)), lines_of(lesson.solution(Language::cpp)));
    CHECK_MESSAGE(adds == lesson.changes_starter.empty(), lesson.folder);
  }
}

TEST_CASE("texts speak one notation: of a pair of code blocks, and of two words, they keep the reader's") {
  const std::string both =
      "Take `x(_, None)` (in Python `x[:, None]`), and `n`.\n```cpp\nauto i = 0;\n```\n```python\ni = 0\n```\n";
  CHECK(in_language(both, Language::cpp) == "Take `x(_, None)`, and `n`.\n```cpp\nauto i = 0;\n```\n");
  CHECK(in_language(both, Language::python) == "Take `x[:, None]`, and `n`.\n```python\ni = 0\n```\n");
  CHECK(in_notation("pass `.other = 0` (in Python `other=0`)", Language::python) == "pass `other=0`");
  CHECK(in_language("    tilescope run lessons/02_add/kernel.h\n", Language::python) ==
        "    tilescope run lessons/02_add/kernel.py\n");
}

TEST_CASE("texts for Python hold no word of C++ that a kernel has") {
  const std::regex cpp(
      R"(\(_, None\)|\(None, _\)|[0-9]_c\b|\bauto \w+ =|\{\.\w|`\.(mask|other|padding)|tl\.(shape|axes|tuple)\()");
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list)
      for (const char* file : {"README.md", "hints.md", "questions.md"})
        for (const std::string& line : lines_of(lesson.page(file, Language::python)))
          CHECK_MESSAGE(!std::regex_search(line, cpp), lesson.folder << "/" << file << ": " << line);
}

TEST_CASE("hints: three or more, and a why") {
  for (const Lesson& lesson : all()) {
    const Hints hints = read_hints(lesson.text("hints.md"));
    CHECK_MESSAGE(hints.hints.size() >= 3, lesson.folder);
    CHECK_MESSAGE(hints.why.size() > 100, lesson.folder);
  }
}

TEST_CASE("translations: a sentence fits around what differs, the longest first; what differs is translated, too") {
  const Translation chinese(
      "- program {1} stored {2}\n+ program {1} 写了 {2}\n- program {1} stored nothing\n"
      "+ program {1} 什么也没有写\n- {1} of {2}\n+ {2} 的 {1}\n");
  CHECK(chinese.of("program 3 stored z[0..1]") == "program 3 写了 z[0..1]");
  CHECK(chinese.of("program 3 stored nothing") == "program 3 什么也没有写");
  CHECK(chinese.of("program 3 stored 2 of z\nprogram 4 loaded x") == "program 3 写了 z 的 2\nprogram 4 loaded x");
  CHECK_THROWS_AS(Translation("- one\n- two\n+ zwei\n"), Error);
  CHECK_THROWS_AS(Translation("+ zwei\n"), Error);
  CHECK_THROWS_AS(Translation("- one\n"), Error);
}
