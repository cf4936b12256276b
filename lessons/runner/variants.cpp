#include "lessons/runner/variants.h"

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "lessons/runner/texts.h"

namespace tl::lessons {

namespace {

constexpr std::string_view says = "Says: ";

// Lines of the solution and what stands there instead.
struct Change {
  std::vector<std::string> before, after;
};

std::vector<std::string> changed(const std::vector<std::string>& lines, const Change& change, const std::string& name) {
  const auto stands_at = [&](std::size_t at) {
    for (std::size_t i = 0; i < change.before.size(); ++i)
      if (at + i >= lines.size() || trimmed(lines[at + i]) != change.before[i]) return false;
    return true;
  };
  std::size_t found = lines.size(), times = 0;
  for (std::size_t at = 0; at < lines.size(); ++at)
    if (!change.before.empty() && stands_at(at)) {
      found = at;
      ++times;
    }
  if (times != 1)
    throw Error(name + ": its lines stand in the solution " + std::to_string(times) +
                    " times: " + (change.before.empty() ? "(none given)" : change.before.front()),
                "give lines, with - before them, that are there once");
  const auto from = lines.begin() + static_cast<std::ptrdiff_t>(found);
  const std::string indent = from->substr(0, from->find_first_not_of(' '));
  std::vector<std::string> out(lines.begin(), from);
  for (const std::string& line : change.after) out.push_back(indent + line);
  out.insert(out.end(), from + static_cast<std::ptrdiff_t>(change.before.size()), lines.end());
  return out;
}

// The text behind a mark, which may be all there is of the line.
std::string after_mark(const std::string& line) { return line.size() > 2 ? line.substr(2) : ""; }

Variant made(const std::string& solution, const std::string& name, const std::vector<std::string>& body) {
  Variant v{.name = name, .says = "", .text = ""};
  std::vector<std::string> lines = lines_of(solution);
  Change change;
  const auto apply = [&] {
    if (!change.before.empty() || !change.after.empty()) lines = changed(lines, change, name);
    change = {};
  };
  for (const std::string& line : body) {
    if (line.starts_with(says)) v.says = line.substr(says.size());
    else if (line.starts_with("-")) {
      if (!change.after.empty()) apply();
      change.before.push_back(trimmed(after_mark(line)));
    } else if (line.starts_with("+")) change.after.push_back(after_mark(line));
    else if (trimmed(line).empty()) apply();
    else throw Error(name + ": \"" + line + "\" is neither Says: nor a line with - or + before it", "mend its text");
  }
  apply();
  for (const std::string& line : lines) v.text += line + "\n";
  return v;
}

}  // namespace

std::vector<Variant> variants_in(const std::string& text, const std::string& solution) {
  std::vector<Variant> all;
  std::string name;
  std::vector<std::string> body;
  const auto end = [&] {
    if (!name.empty()) all.push_back(made(solution, name, body));
    body.clear();
  };
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("# ")) {
      body.push_back(line);
      continue;
    }
    end();
    name = line.substr(2);
  }
  end();
  return all;
}

std::vector<Variant> variants(const Lesson& lesson, const std::string& kind, Language language) {
  const bool is_python = language == Language::python;
  std::vector<Variant> all =
      variants_in(lesson.text(kind + (is_python ? ".py.txt" : ".txt")), lesson.solution(language));
  for (const std::string_view path : kept_kernels(lesson.folder, kind)) {
    if (language_of(std::string(path)) != language) continue;
    const std::string text(text_of(path)), mark = (is_python ? "# " : "// ") + std::string(says);
    const std::string name(path.substr(path.rfind('/') + 1));
    all.push_back({name, text.starts_with(mark) ? text.substr(mark.size(), text.find('\n') - mark.size()) : "", text});
  }
  return all;
}

}  // namespace tl::lessons
