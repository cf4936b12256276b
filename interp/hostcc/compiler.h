// Compiles a user's kernel for the interpreter: the host's compiler, a launcher of a few lines, a small shared library
// that is kept for the next time.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "interp/hostcc/finding.h"
#include "interp/sources/sources.h"

namespace tl::hostcc {

// The path of a compiler of the kind that built this program: objects of g++ and clang do not fit together here.
// Throws Error that names the missing package. TILESCOPE_CXX names another compiler.
std::string find_compiler();
std::string find_compiler_among(const std::vector<std::string>& names);  // the same, for those that are looked for

struct Built {
  std::string library;           // its bytes, where it compiled
  std::optional<Finding> error;  // where it did not: the first error, in the words of the language
  std::string file;              // that it is in
  int errors = 0;                // how many the compiler found
  bool from_cache = false;
  double ms = 0;
};

// `stop` ends the compiler. Throws Error: no compiler, a full disk, stopped.
Built build_kernel(const Wanted& wanted, const std::filesystem::path& file, const std::atomic<bool>* stop = nullptr);
// The library's bytes alone; throws CompileError with the first error, its line and a caret.
std::string library_of(const Wanted& wanted, const std::filesystem::path& file,
                       const std::atomic<bool>* stop = nullptr);

// The library in which kernels find the interpreter's ops when a Python process loads them. Call it once, before the
// first kernel is compiled.
void link_with(const std::filesystem::path& library);

// A text that holds the kernel, or includes it, and one function: it binds a program's arguments and calls the functor,
// or makes the problem.
std::string launcher_text(const Wanted& wanted, const std::string& kernel);

// The files that a kernel can #include on the interpreter.
std::vector<sources::SourceFile> headers();

}  // namespace tl::hostcc
