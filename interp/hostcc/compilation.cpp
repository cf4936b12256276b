#include "interp/hostcc/compilation.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "interp/hostcc/compiler.h"
#include "interp/lang/cache.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/text/declared.h"

namespace tl::hostcc {

extern const std::span<const sources::SourceFile> embedded_headers;  // of the generated file: interp/cpu

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_header_bytes = 256 << 20;

fs::path interpreter;  // link_with

std::vector<std::string> options(const Wanted& wanted) {
  // A kernel calls ops, which are compiled already: more than -Og takes longer to compile than it saves. A plain loop
  // and a problem's C++ do their arithmetic themselves.
  const bool calls_ops_alone = wanted.loop.empty() && wanted.problem.empty();
  std::vector<std::string> words{"-std=c++20", calls_ops_alone ? "-Og" : "-O1", "-w", "-fPIC", "-pipe",
                                 "-ffp-contract=off",
                                 // the functor may have the name of one of the program's own
                                 "-fvisibility=hidden", "-fdiagnostics-color=never"};
  if (built_by_clang) words.insert(words.end(), {"-fno-caret-diagnostics", "-ferror-limit=20"});
  else words.insert(words.end(), {"-fno-diagnostics-show-caret", "-fmax-errors=20", "-fno-diagnostics-show-option"});
  return words;
}

const std::vector<std::string> link_options{"-shared", "-Wl,-Bsymbolic",
                                            // the program that loads it has the usual libraries: to read them takes a
                                            // linker longer than all else that it does
                                            "-nodefaultlibs"};

// As the compiler sees it: kernels with their names declared.
std::string header_text(const sources::SourceFile& f) {
  const std::string path(f.path), text(f.text);
  return path == "kernels/offsets.h" ? text::declared(path, text) : text;
}

std::string headers_fingerprint() {
  static const std::string made = [] {
    std::string all;
    for (const auto& f : headers()) all.append(f.path).append("\n").append(header_text(f)).append("\n");
    return fingerprint(all);
  }();
  return made;
}

// Another version of it at the same path is another compiler.
std::string identity_of(const std::string& compiler) {
  std::error_code unknown;
  const fs::path real = fs::canonical(compiler, unknown);
  return fmt::format("{} {} {} {}\n", compiler, real.string(), fs::file_size(real, unknown),
                     fs::last_write_time(real, unknown).time_since_epoch().count());
}

}  // namespace

void link_with(const fs::path& library) { interpreter = library; }

std::vector<sources::SourceFile> headers() {
  std::vector<sources::SourceFile> found(embedded_headers.begin(), embedded_headers.end());
  for (const sources::SourceFile& f : sources::all_sources())
    if (f.path == "interp/tl.h" || f.path == "kernels/offsets.h" || f.path.starts_with("interp/lang/"))
      found.push_back(f);
  return found;
}

std::string compilation_of(const std::string& compiler, const Wanted& wanted) {
  std::string all = identity_of(compiler) + headers_fingerprint() + '\n';
  for (const auto& words : {options(wanted), link_options})
    for (const std::string& word : words) all += word + '\n';
  if (!interpreter.empty()) all += "with " + interpreter.string() + '\n';
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    if (const char* value = std::getenv(name)) all.append(name).append("=").append(value).append("\n");
  return all;
}

CompileFolder::CompileFolder() {
  for (const auto& f : headers()) {
    fs::create_directories((include / f.path).parent_path());
    std::ofstream out(include / f.path);  // not worth to wait for the disk, as write_file does
    if (!(out << header_text(f)).flush()) throw not_written(fs::temp_directory_path().string(), errno);
  }
}

std::vector<std::string> CompileFolder::command_line(const std::string& compiler, const Wanted& wanted) const {
  std::vector<std::string> words = options(wanted);
  words.insert(words.begin(), compiler);
  words.insert(words.end(), link_options.begin(), link_options.end());
  // in the library headers have names that do not depend on the folder
  words.insert(words.end(), {"-ffile-prefix-map=" + include.string() + "/=", "-I", include.string(), "-MMD", "-MF",
                             reads.string(), "-o", library.string(), "-x", "c++", "-"});
  if (!interpreter.empty()) words.insert(words.end(), {"-x", "none", interpreter.string()});
  return words;
}

void CompileFolder::precompile(const std::string& compiler, const Wanted& wanted, const ChildLimits& limits) const {
  if (built_by_clang) return;  // clang has another way
  const std::string recipe = "interp/tl.h\n" + compilation_of(compiler, wanted), shelf = "headers";
  fs::path kept = cached_file(recipe, shelf);
  if (kept.empty()) {
    const std::string mark = "one compilation was\n" + recipe;
    if (!read_cache(mark, 0, shelf)) return write_cache(mark, {}, shelf);
    kept = folder.path() / "tl.h.gch";
    std::vector<std::string> words = options(wanted);
    words.insert(words.begin(), compiler);
    // named from the folder, which is another at the next compilation
    words.insert(words.end(), {"-x", "c++-header", "-I", ".", "-o", kept.string(), "interp/tl.h"});
    if (!run_child(words, include, "", limits).ok()) return;
    write_cached_file(recipe, read_regular_file(kept, most_header_bytes), shelf);
  }
  std::error_code ignored;
  fs::create_symlink(kept, precompiled, ignored);
}

bool CompileFolder::forgets_precompiled(const ChildResult& failed) const {
  std::error_code ignored;
  const fs::path kept = fs::read_symlink(precompiled, ignored);
  if (kept.empty() || failed.err.find("PCH") == std::string::npos) return false;
  fs::remove(kept, ignored);
  return fs::remove(precompiled, ignored);
}

}  // namespace tl::hostcc
