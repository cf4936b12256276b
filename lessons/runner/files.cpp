#include "lessons/runner/files.h"

#include <cstdlib>

#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path in_home(const char* xdg, const char* usual, const char* what) {
  if (const std::string folder = variable(xdg); folder.starts_with('/'))
    return folder;  // the XDG rule: relative ones are ignored
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / usual;
  throw Error(std::string("there is no home folder to keep ") + what + " in: neither " + xdg + " nor HOME is set",
              std::string("set HOME, or ") + xdg + " to a folder");
}

}  // namespace

fs::path learners_folder() {
  if (const std::string folder = variable("TILESCOPE_LESSONS"); !folder.empty()) return fs::absolute(folder);
  return in_home("XDG_DATA_HOME", ".local/share", "your kernels") / "tilescope" / "lessons";
}

fs::path cache_folder() { return in_home("XDG_CACHE_HOME", ".cache", "compiled kernels") / "tilescope" / "learn"; }

fs::path kernel_file(const Lesson& lesson) { return learners_folder() / lesson.folder / "kernel.h"; }

fs::path started_kernel_file(const Lesson& lesson) {
  const fs::path file = kernel_file(lesson);
  if (!fs::exists(file)) write_file(file, lesson.text("kernel.h"));
  return file;
}

fs::path reset_kernel_file(const Lesson& lesson) {
  const fs::path file = started_kernel_file(lesson);
  const std::string text = read_file(file);
  if (text == lesson.text("kernel.h")) return {};
  const fs::path kept = keep_aside(file, "before_reset", text);
  write_file(file, lesson.text("kernel.h"));
  return kept;
}

fs::path keep_aside(const fs::path& file, const std::string& why, const std::string& text) {
  fs::path kept;
  for (int n = 1; kept.empty() || fs::exists(kept); ++n)
    kept = file.parent_path() / (file.stem().string() + "." + why + "_" + std::to_string(n) + ".h");
  write_file(kept, text);
  return kept;
}

std::string read_file(const fs::path& file) {
  return read_regular_file(file, most_text_bytes, "give the path of a kernel's text");
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;  // writing says what is the matter
  fs::create_directories(file.parent_path(), error);
  try {
    tl::write_file(file.string(), text);
  } catch (const OutputError& e) {
    throw OutputError(e.what(), e.fix +
                                    ", or set a folder of yours: TILESCOPE_LESSONS for the lessons, XDG_CACHE_HOME "
                                    "for what is compiled");
  }
}

std::string short_path(const fs::path& path) {
  const std::string text = path.string(), home = variable("HOME");
  return home.size() > 1 && text.starts_with(home + "/") ? std::string("~").append(text, home.size()) : text;
}

}  // namespace tl::lessons
