#include "interp/sources/sources.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"

namespace tl::sources {

extern const std::span<const SourceFile> embedded_sources;  // of the generated file, sorted by path

namespace {

struct Table {
  std::vector<SourceFile> files{embedded_sources.begin(), embedded_sources.end()};
  std::deque<std::string> owned;               // texts and paths read from disk; a deque keeps their addresses
  std::vector<std::filesystem::path> folders;  // overrides
  std::map<std::string, std::string> asked;    // texts of those folders that no list names, read when asked for
  std::map<std::string, std::string> kept;     // texts that somebody else has read
  std::deque<std::map<std::string, std::string>> before;  // the same as they were: somebody may still read them
  std::mutex mutex;                                       // of folders and what was asked for
};
std::vector<std::string> override_from(const std::filesystem::path& folder, Table& t);

Table& table() {
  static Table t;
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* folder = std::getenv("TILESCOPE_SOURCES"); folder && *folder) override_from(folder, t);
  });
  return t;
}

// `path` is `file`, or ends with `/file`.
bool names(std::string_view path, std::string_view file) {
  return path.ends_with(file) && (path.size() == file.size() || path[path.size() - file.size() - 1] == '/');
}

std::string_view source_in(const Table& t, std::string_view include_path) {
  for (const SourceFile& f : t.files)
    if (names(include_path, f.path)) return f.text;
  return {};
}

std::vector<std::string> override_from(const std::filesystem::path& folder, Table& t) {
  if (!std::filesystem::is_directory(folder))
    throw Error("there is no folder \"" + folder.string() + "\" to read kernels from",
                "give a folder that holds kernels/NAME.h");
  t.folders.insert(t.folders.begin(), folder);
  std::vector<std::string> changed;
  for (SourceFile& f : t.files) {
    if (!std::filesystem::is_regular_file(folder / f.path)) continue;
    std::string text = read_regular_file(folder / f.path);
    if (text == f.text) continue;
    f.text = t.owned.emplace_back(std::move(text));
    changed.emplace_back(f.path);
  }
  if (std::filesystem::is_directory(folder / "kernels"))
    for (const auto& entry : std::filesystem::directory_iterator(folder / "kernels")) {
      const std::string path = "kernels/" + entry.path().filename().string();
      if (!entry.is_regular_file() || entry.path().extension() != ".h" || !source_in(t, path).empty()) continue;
      t.files.push_back({t.owned.emplace_back(path), t.owned.emplace_back(read_regular_file(entry.path()))});
      changed.push_back(path);
    }
  std::sort(t.files.begin(), t.files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  std::sort(changed.begin(), changed.end());
  return changed;
}

}  // namespace

std::string_view source(std::string_view include_path) {
  Table& t = table();
  if (const auto text = source_in(t, include_path); !text.empty()) return text;
  const std::lock_guard lock(t.mutex);
  const std::string path(include_path);
  if (const auto it = t.kept.find(path); it != t.kept.end()) return it->second;
  if (const auto it = t.asked.find(path); it != t.asked.end()) return it->second;
  for (const auto& folder : t.folders)
    if (!path.starts_with("/") && std::filesystem::is_regular_file(folder / path))
      return t.asked[path] = read_regular_file(folder / path);
  return {};
}

std::span<const SourceFile> all_sources() { return table().files; }

std::vector<std::string> use_sources_from(const std::filesystem::path& folder) {
  return override_from(folder, table());
}

void also_read_from(const std::filesystem::path& folder) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  std::erase(t.folders, folder);
  t.folders.insert(t.folders.begin(), folder);
  if (!t.asked.empty()) t.before.push_back(std::exchange(t.asked, {}));
}

void read_first_from(const std::filesystem::path& folder) {
  Table& t = table();
  {
    const std::lock_guard lock(t.mutex);
    if (!t.folders.empty() && t.folders.front() == folder) return;
  }
  also_read_from(folder);
}

void keep(const std::string& path, std::string text) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto [kept, is_new] = t.kept.try_emplace(path, text);
  if (is_new || kept->second == text) return;
  t.before.push_back(t.kept);
  kept->second = std::move(text);
}

void use_built_in_sources() {
  Table& t = table();
  t.files.assign(embedded_sources.begin(), embedded_sources.end());
  t.folders.clear();
  t.asked.clear();
}

bool differs_from_built_in(std::string_view include_path) {
  const std::string_view text = source_in(table(), include_path);
  std::string_view built_in;
  for (const SourceFile& f : embedded_sources)
    if (names(include_path, f.path)) built_in = f.text;
  if (text != built_in) return true;
  constexpr std::string_view word = "#include \"kernels/";
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto begin = at + word.size() - std::string_view("kernels/").size();
    if (differs_from_built_in(text.substr(begin, text.find('"', begin) - begin))) return true;
  }
  return false;
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
