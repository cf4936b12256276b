#include "interp/debug/text_place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::debug {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int file_called(const std::string& name, const trace::RecordedTrace& trace) {
  for (std::size_t f = trace.files.size(); f-- > 0;)
    if (trace.files[f].ends_with(name)) return static_cast<int>(f);
  std::vector<std::string> names;
  for (const std::string& f : trace.files) names.push_back(last_part(f));
  throw Error(fmt::format("no op was recorded in a file called {}", name),
              fmt::format("there is {}", fmt::join(names, ", ")));
}

// The line of its first statement; 0: it has none.
int first_line(const SourceModel& m, const Function& f) {
  int found = 0;
  for (const Statement& s : m.statements())
    if (s.tokens.first >= f.body.first && s.tokens.first <= f.body.last)
      if (const int line = m.line_of(s); found == 0 || line < found) found = line;
  return found;
}

bool is_name(const std::string& word) {
  return !word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) &&
         std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace

TextPlace place_called(const std::string& words, int file, const trace::RecordedTrace& trace, const Sources& sources) {
  const std::size_t colon = words.rfind(':');
  const bool names_file = colon != std::string::npos;
  if (names_file) file = file_called(words.substr(0, colon), trace);
  const std::string word = names_file ? words.substr(colon + 1) : words;
  std::int64_t line = -1;
  const char* const last = word.data() + word.size();
  const bool is_number = std::from_chars(word.data(), last, line).ptr == last && !word.empty() && line >= 0;
  if (is_number && file >= 0) return {file, static_cast<int>(std::min<std::int64_t>(line, 1 << 30))};
  if (!is_name(word)) throw Error(fmt::format("'{}' is not a line", words), "a number, or a function's name");
  std::vector<std::string> names;
  std::vector<int> files{file};
  for (std::size_t f = 0; f < sources.size() && !names_file; ++f) files.push_back(static_cast<int>(f));
  for (const int f : files) {
    const SourceModel* const m = sources.model(f);
    if (!m) continue;
    for (const Function& function : m->functions()) {
      const int line_there = first_line(*m, function);  // 0 of Python's host code
      if (line_there > 0 && function.name == word) return {f, line_there};
      if (line_there > 0 && is_name(function.name) && !std::ranges::count(names, function.name))
        names.push_back(function.name);
    }
  }
  const std::string near = nearest(word, names);
  throw Error(fmt::format("no function is called {}", words),
              !near.empty()   ? fmt::format("did you mean {}?", near)
              : names.empty() ? "a line's number: the kernel's text is not at hand"
                              : fmt::format("there is {}; or a line's number", fmt::join(names, ", ")));
}

}  // namespace tl::debug
