#include "interp/case/repro.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "interp/case/fill.h"
#include "interp/case/user_kernel.h"
#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"

namespace tl::cases {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_inlined_bytes = 1 << 16;

// The name in #include "name"; "" of another line.
std::string included_in(const std::string& line) {
  const std::string text = trimmed(line);
  const std::size_t open = text.find('"');
  if (!text.starts_with("#") || text.find("include") == text.npos || open == text.npos) return "";
  return text.substr(open + 1, text.find('"', open + 1) - open - 1);
}

// With the user's own headers in place of their #include, each once; an old case is one no more. `mark`: of a comment.
std::string inlined(const std::string& text, const fs::path& folder, std::string_view mark, std::set<fs::path>& seen) {
  const std::string old_case = fmt::format("{} case", mark);
  std::string out;
  for (const std::string& line : lines_of(text)) {
    const std::string name = included_in(line);
    std::error_code none;
    const bool is_ours = name.starts_with("interp/") || name.starts_with("kernels/");
    if (!name.empty() && !is_ours && fs::is_regular_file(folder / name, none)) {
      if (seen.insert(fs::weakly_canonical(folder / name, none)).second)
        out += inlined(read_regular_file(folder / name), (folder / name).parent_path(), mark, seen);
      continue;
    }
    const std::size_t at = line.find(old_case);
    out +=
        at == line.npos ? line : fmt::format("{}{} was{}", line.substr(0, at), mark, line.substr(at + old_case.size()));
    out += '\n';
  }
  return out;
}

// A tensor's file within the word, or where it is found from everywhere.
std::string self_contained(const std::string& name, const std::string& value, std::vector<std::string>& beside) {
  TensorWord t = tensor_of({name, value});
  if (t.file.empty()) return value;
  if (fs::file_size(t.file) <= most_inlined_bytes) {
    t.fill = "bytes";
    t.fill_arguments = {bytes_of_file(t.file)};
    t.file.clear();
  } else {
    t.file = fs::absolute(t.file).string();
    beside.push_back(t.file);
  }
  return t.text();
}

}  // namespace

Repro repro_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
               const std::string& told) {
  const bool is_file = problems::names_file(problem.name), has_case = problem.parse != nullptr;
  if (is_file && !has_case) throw Error(problem.name + " has its case in C++ beside it", "pass on both files");
  Repro made;
  std::string functor;
  std::set<fs::path> seen;
  const std::string_view mark = comment_mark(file_in(problem.name));
  if (is_file) {
    const UserKernel kernel(problem.name);
    functor = " " + kernel.functor().name;
    made.text = inlined(kernel.text(), kernel.file().parent_path(), mark, seen);
    for (const fs::path& file : kernel.imported_files()) made.beside.push_back(file.filename().string());
  } else {
    const std::string source = "kernels/" + fs::path(problem.source).filename().string();
    made.text = inlined(std::string(sources::source(source)), {}, mark, seen);
  }
  made.text += fmt::format("\n{} {}\n", mark, told);
  const auto add = [&](const std::string& name, const std::string& value) {
    made.text += fmt::format("{} case{}: {}={}\n", mark, functor, name, quoted(value));
  };
  if (!has_case) {
    std::string like = problem.name;
    for (const problems::Setting& s : problem.settings)
      if (const std::string& value = settings.text(s.name); !value.empty()) like += " " + s.name + "=" + value;
    add("like", like);
  }
  for (const auto& [name, value] : settings.values) {
    if (!has_case || value.empty()) continue;
    if (name == "expect" && value.find(".npy") != value.npos) made.beside.push_back("what " + value + " names");
    add(name, is_tensor(value) && name != "expect" ? self_contained(name, value, made.beside) : value);
  }
  if (!has_case || settings.text("fill_seed").empty()) add("fill_seed", std::to_string(seed));
  return made;
}

}  // namespace tl::cases
