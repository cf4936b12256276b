#include "lessons/runner/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "interp/lang/error.h"
#include "lessons/runner/child.h"
#include "lessons/runner/compiler_words.h"
#include "lessons/runner/files.h"
#include "lessons/runner/texts.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

#ifdef __clang__
constexpr bool built_by_clang = true;
#else
constexpr bool built_by_clang = false;
#endif

// FNV-1a: names of cached files.
struct Hash {
  std::uint64_t state = 0xcbf29ce484222325;
  void add(std::string_view text) {
    for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    state = (state ^ 0xff) * 0x100000001b3;  // a boundary
  }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state));
    return digits;
  }
};

// The headers lie in a folder named after their contents, so that programs of two versions do not meet.
fs::path header_folder() {
  Hash hash;
  for (const auto& f : headers()) hash.add(f.path), hash.add(f.text);
  const fs::path folder = cache_folder() / ("headers-" + hash.text());
  if (fs::exists(folder / "complete")) return folder;
  for (const auto& f : headers()) write_file(folder / f.path, std::string(f.text));
  write_file(folder / "complete", "");
  return folder;
}

std::vector<std::string> command_line(const std::string& compiler, const fs::path& include, const fs::path& out) {
  // env: the compiler's words are read here, so that they must be English.
  std::vector<std::string> words{"env", "LC_ALL=C", compiler, "-x", "c++", "-std=c++20", "-O1", "-w", "-fPIC",
                                 "-shared", "-ffp-contract=off",
                                 // the learner's functor may have the name of one of the program's own
                                 "-fvisibility=hidden", "-Wl,-Bsymbolic", "-fdiagnostics-color=never"};
  if (built_by_clang) words.insert(words.end(), {"-fno-caret-diagnostics", "-ferror-limit=20"});
  else words.insert(words.end(), {"-fno-diagnostics-show-caret", "-fmax-errors=20", "-fno-diagnostics-show-option"});
  words.insert(words.end(), {"-I", include.string(), "-o", out.string(), "-"});
  return words;
}

// Libraries are cheap to make again: those of yesterday and before go when there are many.
void forget_old(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder, error)) all.push_back(entry.path());
  if (all.size() < 256) return;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::path& p : all)
    if (fs::last_write_time(p, error) < yesterday) fs::remove(p, error);
}

Finding too_slow_to_compile(double seconds) {
  return {"the compiler did not come to an end within " + std::to_string(static_cast<int>(seconds)) + " seconds", "",
          "look for a template or an #include that goes round in circles"};
}

// A picture, a library, a file that another program spoiled: no compiler's words help there.
std::optional<Finding> no_text(const std::string& text, const std::string& name, const Lesson& lesson) {
  constexpr std::size_t most = 100'000;
  const std::string fix =
      "`tilescope learn reset " + lesson.name() + "` puts the starter back and keeps a copy of yours";
  const auto odd = std::ranges::find_if(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v';
  });
  if (odd != text.end())
    return Finding{fmt::format("{} is not text: byte {} is {}", name, odd - text.begin(), static_cast<int>(*odd)), "",
                   fix};
  if (text.size() > most)
    return Finding{fmt::format("{} has {} bytes, and a kernel has a few thousand", name, text.size()), "", fix};
  return std::nullopt;
}

}  // namespace

std::string find_compiler() {
  if (const char* chosen = std::getenv("TILESCOPE_CXX"); chosen && *chosen) {
    if (const std::string path = in_path(chosen); !path.empty()) return path;
    throw Error(std::string("TILESCOPE_CXX names \"") + chosen + "\", which is no program here",
                "unset it, or name a C++20 compiler");
  }
  // The one that built the program comes first.
  if (built_by_clang)
    return find_compiler_among({TILESCOPE_COMPILER, "clang++", "clang++-19", "clang++-18", "clang++-17", "clang++-16",
                                "clang++-15", "clang++-14"});
  return find_compiler_among({TILESCOPE_COMPILER, "g++", "g++-15", "g++-14", "g++-13", "g++-12", "g++-11"});
}

std::string find_compiler_among(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const std::string path = in_path(name); !path.empty()) return path;
  throw Error(
      fmt::format("there is no {} on this machine, and your kernel is C++ that must be compiled",
                  built_by_clang ? "clang++" : "g++"),
      fmt::format(
          "sudo apt-get install {} (or set TILESCOPE_CXX to one); `tilescope learn --help` shows what works without",
          built_by_clang ? "clang" : "g++"));
}

std::string launcher_text(const Lesson& lesson, const std::string& file_name) {
  std::string calls;
  int tensors = 0;
  for (std::size_t i = 0; i < lesson.parameters.size(); ++i) {
    const char kind = lesson.parameters[i];
    const char* type = kind == 't'   ? "TensorArgument"
                       : kind == 'd' ? "DescriptorArgument"
                       : kind == 'i' ? "IntArgument"
                       : kind == 'f' ? "FloatArgument"
                                     : "ConstantArgument";
    calls += std::string(",\n    context.bind(*static_cast<const tl::") + type + "*>(arguments[" + std::to_string(i) +
             "]), " + std::to_string(tensors) + ")";
    tensors += kind == 't' || kind == 'd';
  }
  return "#include \"" + file_name + "\"\n" +
         "#include \"interp/tl.h\"\n"  // an empty file gets this far, too
         "#if " +
         (built_by_clang ? "!" : "") +
         "defined(__clang__)\n#error tilescope was built by another compiler\n#endif\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) void tilescope_program(tl::cpu::Context& context, "
         "const void* const* arguments) {\n"
         "  tl::kernels::" +
         lesson.kernel + "{}(context" + calls + ");\n}\n";
}

Built build_kernel(const Lesson& lesson, const fs::path& file, const std::atomic<bool>* stop) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = read_file(file);
  Built built;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    built.error = Finding{file.filename().string() + " is empty", "",
                          "`tilescope learn reset " + lesson.name() + "` puts the starter back"};
    built.errors = 1;
    return built;
  }
  if (auto error = no_text(text, file.filename().string(), lesson)) {
    built.error = std::move(error);
    built.errors = 1;
    return built;
  }
  const std::string compiler = find_compiler(), launcher = launcher_text(lesson, file.filename().string());
  const fs::path include = header_folder();
  Hash hash;
  for (const std::string& part : {text, launcher, compiler, include.string()}) hash.add(part);
  built.library = cache_folder() / "kernels" / (hash.text() + ".so");
  if (fs::exists(built.library)) {
    built.from_cache = true;
    return built;
  }
  fs::create_directories(built.library.parent_path());
  forget_old(built.library.parent_path());
  const fs::path unfinished = built.library.string() + "." + std::to_string(getpid());
  const ChildLimits limits{.seconds = 30, .cpu_seconds = 30, .stop = stop};
  const ChildResult r = run_child(command_line(compiler, include, unfinished),
                                  file.parent_path().empty() ? "." : file.parent_path(), launcher, limits);
  built.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::error_code error;
  if (r.ok()) {
    fs::rename(unfinished, built.library, error);
    if (error)
      throw Error(
          "cannot keep the compiled kernel in \"" + built.library.parent_path().string() + "\": " + error.message(),
          "check its rights, or set XDG_CACHE_HOME to a folder of yours");
    return built;
  }
  fs::remove(unfinished, error);
  if (r.stopped) throw Error("the check was stopped", "check again when you like");
  if (r.err.find("No space left on device") != std::string::npos)
    throw Error("the disk is full: the compiler could not write to \"" + built.library.parent_path().string() + "\"",
                "make room and try again");
  if (r.timed_out) built.error = too_slow_to_compile(limits.seconds);
  else built.error = first_error(r.err, file.filename().string(), text, lesson, built.errors);
  built.errors = std::max(built.errors, 1);
  return built;
}

}  // namespace tl::lessons
