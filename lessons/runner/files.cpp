#include "lessons/runner/files.h"

#include <cstdlib>

#include "interp/hostcc/compiler.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/text.h"
#include "interp/lang/user_folders.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

fs::path learners_folder() {
  if (const std::string folder = variable("TILESCOPE_LESSONS"); !folder.empty()) return fs::absolute(folder);
  if (const fs::path home = data_home(); !home.empty()) return home / "tilescope" / "lessons";
  throw Error("there is no home folder to keep your kernels in: neither XDG_DATA_HOME nor HOME holds an absolute path",
              "set HOME, or TILESCOPE_LESSONS to a folder");
}

bool is_language_chosen() {
  std::error_code none;
  return fs::is_regular_file(learners_folder() / "language", none);
}

Language language() {
  try {
    if (is_language_chosen()) return language_called(trimmed(read_file(learners_folder() / "language")));
  } catch (const Error&) {  // no home, or another word in that file: as if nothing was chosen
  }
  static const bool has_compiler = [] {
    try {
      return !hostcc::find_compiler().empty();
    } catch (const Error&) {
      return false;
    }
  }();
  return has_compiler ? Language::cpp : Language::python;
}

void choose_language(Language l) { write_file(learners_folder() / "language", std::string(name_of(l)) + "\n"); }

fs::path kernel_file(const Lesson& lesson) { return learners_folder() / lesson.folder / file_in(language(), "kernel"); }

fs::path started_kernel_file(const Lesson& lesson) {
  const fs::path file = kernel_file(lesson);
  if (!fs::exists(file)) write_file(file, lesson.starter(language()));
  return file;
}

fs::path reset_kernel_file(const Lesson& lesson) {
  const fs::path file = started_kernel_file(lesson);
  const std::string text = read_file(file);
  if (text == lesson.starter(language())) return {};
  const fs::path kept = keep_aside(file, "before_reset", text);
  write_file(file, lesson.starter(language()));
  return kept;
}

fs::path keep_aside(const fs::path& file, const std::string& why, const std::string& text) {
  fs::path kept;
  for (int n = 1; kept.empty() || fs::exists(kept); ++n)
    kept =
        file.parent_path() / (file.stem().string() + "." + why + "_" + std::to_string(n) + file.extension().string());
  write_file(kept, text);
  return kept;
}

std::string read_file(const fs::path& file) {
  return read_regular_file(file, most_text_bytes,
                           "see that it is a text of yours; where it is moved away, it is begun anew");
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;  // writing will report the reason
  fs::create_directories(file.parent_path(), error);
  try {
    tl::write_file(file.string(), text);
  } catch (const OutputError& e) {
    throw OutputError(e.what(), e.fix + ", or set TILESCOPE_LESSONS to a folder of yours");
  }
}

std::pair<fs::file_time_type, std::uintmax_t> stamp_of(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return {error ? fs::file_time_type::min() : time, fs::file_size(file, error)};
}

std::string short_path(const fs::path& path) {
  const std::string text = path.string(), home = variable("HOME");
  return home.size() > 1 && text.starts_with(home + "/") ? std::string("~").append(text, home.size()) : text;
}

}  // namespace tl::lessons
