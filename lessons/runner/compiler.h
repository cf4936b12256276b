// Compiles a learner's kernel for the interpreter: the host's compiler, a launcher of a few lines, a small shared
// library.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// The path of a compiler of the kind that built this program: objects of g++ and clang do not fit together here.
// Throws Error that names the package where there is none. TILESCOPE_CXX names another.
std::string find_compiler();
std::string find_compiler_among(const std::vector<std::string>& names);  // the same, for those that are looked for

struct Built {
  std::string library;           // its bytes, where it compiled
  std::optional<Finding> error;  // where it did not: the first error, in the learner's words
  int errors = 0;                // how many the compiler found
  bool from_cache = false;
  double ms = 0;
};

// `file` is the learner's text of `lesson`. `stop` ends the compiler. Throws Error: no compiler, a full disk, stopped.
Built build_kernel(const Lesson& lesson, const std::filesystem::path& file, const std::atomic<bool>* stop = nullptr);

// A text that holds the kernel, or includes it, and one function that binds a program's arguments and calls the
// functor.
std::string launcher_text(const Lesson& lesson, const std::string& kernel);

}  // namespace tl::lessons
