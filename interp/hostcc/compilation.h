// How the host's compiler is called: its options, and the folder of headers that it reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interp/hostcc/child.h"
#include "interp/hostcc/finding.h"
#include "interp/lang/unfinished.h"

namespace tl::hostcc {

#ifdef __clang__
inline constexpr bool built_by_clang = true;
#else
inline constexpr bool built_by_clang = false;
#endif

// All that an object depends on beside its text: the compiler, its options and variables, the headers.
std::string compilation_of(const std::string& compiler, const Wanted& wanted);

// A compilation's own folder: the headers, what the compiler puts there meanwhile, and what it makes.
struct CompileFolder {
  CompileFolder();
  // Reads the text from standard input, and makes `library`.
  std::vector<std::string> command_line(const std::string& compiler, const Wanted& wanted) const;
  // Puts interp/tl.h beside itself as g++ keeps what it has read, which is half of a kernel's compilation. The cache
  // has it from the second compilation on: to make it takes longer than a kernel.
  void precompile(const std::string& compiler, const Wanted& wanted, const ChildLimits& limits) const;
  // Whether g++ cannot take what is kept, which is then gone: the next try reads interp/tl.h itself.
  bool forgets_precompiled(const ChildResult& failed) const;

  TemporaryFolder folder;
  std::filesystem::path include = folder.path() / "include", library = folder.path() / "kernel.so",
                        reads = folder.path() / "kernel.d", precompiled = include / "interp/tl.h.gch";
};

}  // namespace tl::hostcc
