// A learner's folders of a test's own, gone with it; and checks of texts written there.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <set>
#include <string>

#include "lessons/runner/check.h"
#include "lessons/runner/files.h"
#include "lessons/runner/variants.h"
#include "tests/lessons/side_by_side.h"

class Workshop {
 public:
  Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope_lessons_XXXXXX").string();
    if (mkdtemp(pattern.data())) folder = pattern;
    setenv("TILESCOPE_LESSONS", (folder / "mine").c_str(), 1);
  }
  ~Workshop() {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    unsetenv("TILESCOPE_LESSONS");
  }
  Workshop(const Workshop&) = delete;

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    tl::lessons::write_file(folder / name, text);
    return folder / name;
  }
  tl::lessons::Report check(const tl::lessons::Lesson& lesson, const std::string& text, double seconds = 60) const {
    return check_file(lesson, file("kernel.h", text), seconds);
  }
  tl::lessons::Report check(const tl::lessons::Lesson& lesson, const std::string& text,
                            tl::lessons::Language language) const {
    return check_file(lesson, file(file_in(language, "kernel"), text), 60);
  }
  tl::lessons::Report check_file(const tl::lessons::Lesson& lesson, const std::filesystem::path& file,
                                 double seconds) const {
    return tl::lessons::check(
        lesson, {.file = file, .program = TILESCOPE_PROGRAM, .seconds = seconds, .seed = 1, .gpu = false});
  }

  std::filesystem::path folder;
};

// What a learner is told, or "passed".
inline std::string whole(const tl::lessons::Report& r) {
  return r.finding ? r.finding->headline + "\n" + r.finding->detail + "\n" + r.finding->fix : "passed";
}

// The same of each of them, on the interpreter alone.
inline std::vector<std::string> met_by(const Workshop& here, const tl::lessons::Lesson& lesson,
                                       const std::vector<tl::lessons::Variant>& kernels,
                                       tl::lessons::Language language = tl::lessons::Language::cpp) {
  return side_by_side<std::string>(kernels.size(), [&](std::size_t i) {
    const auto file = here.file(std::to_string(i) + "/" + file_in(language, "kernel"), kernels[i].text);
    return whole(here.check_file(lesson, file, 60));
  });
}

// Those that are kept in C++ alone: whose twins in Python, of the same name, run in python_test.cpp without a compiler.
inline std::vector<tl::lessons::Variant> in_cpp_alone(const tl::lessons::Lesson& lesson, const std::string& kind) {
  std::set<std::string> twins;
  for (const tl::lessons::Variant& v : variants(lesson, kind, tl::lessons::Language::python)) twins.insert(v.name);
  std::vector<tl::lessons::Variant> alone = variants(lesson, kind);
  std::erase_if(alone, [&twins](const tl::lessons::Variant& v) { return twins.contains(v.name); });
  return alone;
}

// How many of them there are, those that two names are given to counted once.
inline std::size_t different(const std::vector<tl::lessons::Variant>& kernels) {
  std::set<std::string> texts;
  for (const tl::lessons::Variant& v : kernels) texts.insert(v.text);
  return texts.size();
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// Lesson 1's solution with a line of one's own before its store.
inline std::string with_line(const std::string& line) {
  return replaced(tl::lessons::find("copy").text("solution.h"), "    tl.store", line + "\n    tl.store");
}
