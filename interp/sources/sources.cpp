#include "interp/sources/sources.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>

#include "interp/lang/error.h"

namespace tl::sources {

extern const std::span<const SourceFile> embedded_sources;  // of the generated file, sorted by path

namespace {

struct Table {
  std::vector<SourceFile> files{embedded_sources.begin(), embedded_sources.end()};
  std::deque<std::string> owned;  // texts and paths read from disk; a deque keeps their addresses
};

Table& table() {
  static Table t;
  return t;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// `path` is `file`, or ends with `/file`.
bool names(std::string_view path, std::string_view file) {
  return path.ends_with(file) && (path.size() == file.size() || path[path.size() - file.size() - 1] == '/');
}

}  // namespace

std::string_view source(std::string_view include_path) {
  for (const SourceFile& f : table().files)
    if (names(include_path, f.path)) return f.text;
  return {};
}

std::span<const SourceFile> all_sources() { return table().files; }

std::vector<std::string> use_sources_from(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw Error("there is no folder \"" + folder.string() + "\" to read kernels from", "give a folder that holds kernels/NAME.h");
  Table& t = table();
  std::vector<std::string> changed;
  for (SourceFile& f : t.files) {
    if (!std::filesystem::is_regular_file(folder / f.path)) continue;
    std::string text = read(folder / f.path);
    if (text == f.text) continue;
    f.text = t.owned.emplace_back(std::move(text));
    changed.emplace_back(f.path);
  }
  if (std::filesystem::is_directory(folder / "kernels"))
    for (const auto& entry : std::filesystem::directory_iterator(folder / "kernels")) {
      const std::string path = "kernels/" + entry.path().filename().string();
      if (!entry.is_regular_file() || entry.path().extension() != ".h" || !source(path).empty()) continue;
      t.files.push_back({t.owned.emplace_back(path), t.owned.emplace_back(read(entry.path()))});
      changed.push_back(path);
    }
  std::sort(t.files.begin(), t.files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  std::sort(changed.begin(), changed.end());
  return changed;
}

std::string_view source_line(std::string_view include_path, int line) {
  std::string_view text = source(include_path);
  for (int i = 1; i < line && !text.empty(); ++i) {
    const auto end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  text = line < 1 ? std::string_view{} : text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace tl::sources
