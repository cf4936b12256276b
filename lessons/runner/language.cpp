#include "lessons/runner/language.h"

#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/text.h"

namespace tl::lessons {

namespace {

constexpr std::string_view in_python = " (in Python `";

}  // namespace

std::string_view name_of(Language language) { return language == Language::python ? "python" : "c++"; }

Language language_called(const std::string& name) {
  if (name == "python") return Language::python;
  if (name == "c++" || name == "cpp") return Language::cpp;
  throw Error("kernels are not written in \"" + name + "\"", "python or c++");
}

Language language_of(const std::string& file) { return is_python(file) ? Language::python : Language::cpp; }

std::string file_in(Language language, const std::string& stem) {
  return stem + (language == Language::python ? ".py" : ".h");
}

std::string in_notation(std::string text, Language language) {
  for (std::size_t at; (at = text.find(in_python)) != text.npos;) {
    const std::size_t begin = at + in_python.size(), end = text.find("`)", begin);
    if (end == text.npos) break;
    const std::string python = text.substr(begin, end - begin);
    text.erase(at, end + 2 - at);
    if (language == Language::cpp) continue;
    const std::size_t open = at >= 2 ? text.rfind('`', at - 2) : text.npos;
    if (open != text.npos) text.replace(open + 1, at - open - 2, python);
  }
  return text;
}

std::string in_language(const std::string& markdown, Language language) {
  std::string out;
  bool in_code = false, is_kept = true;
  for (std::string line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      if (in_code) {
        if (is_kept) out += line + "\n";
        in_code = false;
        is_kept = true;
        continue;
      }
      in_code = true;
      is_kept = line != (language == Language::python ? "```cpp" : "```python");
    }
    if (language == Language::python)
      if (const std::size_t at = line.find("/kernel.h"); at != line.npos) line.replace(at, 9, "/kernel.py");
    if (is_kept) out += in_code ? line + "\n" : in_notation(line, language) + "\n";
  }
  return out;
}

}  // namespace tl::lessons
