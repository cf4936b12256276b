#include "interp/hostcc/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

#include "interp/hostcc/child.h"
#include "interp/hostcc/compilation.h"
#include "interp/hostcc/compiler_words.h"
#include "interp/hostcc/user_texts.h"
#include "interp/lang/cache.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/unavailable.h"
#include "interp/text/declared.h"
#include "interp/text/lexer.h"
#include "interp/text/plain_text.h"

namespace tl::hostcc {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_library_bytes = 64 << 20;

// Everything that a library is made of.
std::string recipe_of(const std::string& compiler, const Wanted& wanted, const std::string& launcher,
                      const UserTexts& texts) {
  return "a kernel\n" + compilation_of(compiler, wanted) + launcher + texts.recipe();
}

// Whether the error is about a name that was added to the text.
bool is_about_declared_names(const std::string& log) {
  for (const char* word : {"tl_call", "tl_scope", "tl_frame", "cpu::named", "unterminated", "preprocessing directive"})
    if (log.find(word) != std::string::npos) return true;
  return false;
}

Finding too_slow_to_compile(const ChildLimits& limits) {
  return {fmt::format("the compiler did not come to an end within {} seconds of processor time", limits.cpu_seconds),
          "", "look for a template or an #include that goes round in circles"};
}

// What the machine lacks is nobody's mistake.
void throw_if_machine_fails(const ChildResult& r, const std::string& compiler) {
  const auto says = [&](const char* words) { return r.err.find(words) != std::string::npos; };
  if (r.stopped) throw Error("the compiler was stopped", "try again when you like");
  if (says("No space left on device"))
    throw OutputError("the disk is full: the compiler could not write to " + fs::temp_directory_path().string(),
                      "make room there, or set TMPDIR to a folder elsewhere");
  struct MissingPart {
    std::vector<const char*> words;
    const char *what, *package;
  };
  const MissingPart missing_parts[] = {
      {{"cannot execute 'as'", "cannot execute ‘as’", "cannot find 'ld'", "cannot find ‘ld’", "Executable \"ld\"",
        "invalid linker name", "execvp: as:", "as: command not found", "unable to execute command: Executable"},
       "an assembler and a linker (as, ld)",
       "binutils"},
      {{"cannot execute 'cc1plus'", "cannot execute ‘cc1plus’"}, "all of its parts (cc1plus)", "g++"},
      {{"cannot find crti.o"}, "the C library to link with", "libc6-dev"}};
  for (const MissingPart& part : missing_parts)
    for (const char* words : part.words)
      if (says(words))
        throw Unavailable(
            fmt::format("the compiler {} does not find {}; your kernel is not the cause", compiler, part.what),
            fmt::format("sudo apt-get install {}, or see that PATH leads there", part.package));
}

std::optional<Finding> too_much_to_compile(const ChildResult& r, std::int64_t memory) {
  for (const char* words : {"virtual memory exhausted", "out of memory", "std::bad_alloc", "Cannot allocate memory"})
    if (r.err.find(words) != std::string::npos)
      return Finding{fmt::format("the compiler took more than the {} GiB of memory that it may", memory >> 30), "",
                     "look for a template or an array that grows without end"};
  return std::nullopt;
}

// g++ compares a text that says #pragma once with each header of its size, and cannot read standard input twice.
std::string without_pragma_once(std::string text) {
  for (const text::Token& t : text::lex_with_comments(text))
    if (t.kind == text::TokenKind::directive && t.text.find("pragma") != t.text.npos &&
        t.text.find("once") != t.text.npos)
      std::fill_n(text.begin() + (t.text.data() - text.data()), t.text.size(), ' ');
  return text;
}

// The kernel's text, with its names declared; of a problem's C++, first the header beside it, then the C++.
std::string declared_text(const Wanted& wanted, const fs::path& file, const std::string& text) {
  const std::string name = file.filename().string();
  if (wanted.problem.empty()) return without_pragma_once(text::declared(name, text));
  const fs::path header = fs::path(file).replace_extension(".h");
  const std::string header_name = header.filename().string();
  std::string rest = text;
  for (const text::Token& t : text::lex_with_comments(rest))
    if (t.kind == text::TokenKind::directive && t.text.find("include") != t.text.npos &&
        t.text.find('"' + header_name + '"') != t.text.npos)
      std::fill_n(rest.begin() + (t.text.data() - rest.data()), t.text.size(), ' ');
  return without_pragma_once(text::declared(header_name, read_regular_file(header))) + "\n#line 1 \"" + name + "\"\n" +
         rest;
}

// A kernel may stand outside of any namespace and still say ptr, None and 1_c, and before it a helper that includes
// nothing; a plain loop says sqrt.
std::string known_names(const Wanted& wanted, const std::string& file) {
  return std::string("#include \"interp/tl.h\"\n") +  // first, for g++ to take it precompiled
         (wanted.loop.empty() ? "" : "#include \"interp/lang/plain_loop.h\"\n") + "using namespace tl;\n#line 1 \"" +
         file + "\"\n";
}

// A picture, a library, a damaged file: the compiler's messages are no help there.
std::optional<Finding> no_text(const std::string& text, const std::string& name, const Wanted& wanted) {
  constexpr std::size_t most = 100'000;
  const auto odd = std::ranges::find_if(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v';
  });
  if (odd != text.end())
    return Finding{fmt::format("{} is not text: byte {} is {}", name, odd - text.begin(), static_cast<int>(*odd)), "",
                   wanted.restore};
  if (text.size() > most)
    return Finding{fmt::format("{} has {} bytes, and a kernel has a few thousand", name, text.size()), "",
                   wanted.restore};
  return std::nullopt;
}

}  // namespace

std::string find_compiler() {
  if (const char* chosen = std::getenv("TILESCOPE_CXX"); chosen && *chosen) {
    if (const std::string path = in_path(chosen); !path.empty()) return path;
    throw Error(std::string("TILESCOPE_CXX names \"") + chosen + "\", which is not a program here",
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
  throw Unavailable(
      fmt::format("there is no {} on this machine, and your kernel is C++ that must be compiled",
                  built_by_clang ? "clang++" : "g++"),
      fmt::format("sudo apt-get install {} (or set TILESCOPE_CXX to one); a kernel in Triton's Python needs none",
                  built_by_clang ? "clang" : "g++"));
}

std::string launcher_text(const Wanted& wanted, const std::string& kernel) {
  std::string calls;
  int tensors = 0;  // before the parameter at hand
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const char kind = wanted.parameters[i];
    const char* type = kind == 't'   ? "TensorArgument"
                       : kind == 'd' ? "DescriptorArgument"
                       : kind == 'i' ? "IntArgument"
                       : kind == 'f' ? "FloatArgument"
                       : kind == 'r' ? "RealConstantArgument"
                       : kind == 's' ? "TextConstantArgument"
                       : kind == 'y' ? "DtypeConstantArgument"
                                     : "ConstantArgument";
    const std::string bound =
        fmt::format("context.bind(*static_cast<const tl::{}*>(arguments[{}]), {})", type, i, tensors);
    const bool is_fixed = kind != 't' && kind != 'd' && kind != 'i' && kind != 'f';  // of a type of its own
    calls += ",\n    ";
    calls += is_fixed ? fmt::format("tl::cpu::constant_of<tl::cpu::Expression<tl::cpu::made_by::Parameter<{}>>>({})", i,
                                    bound)
                      : bound;
    tensors += kind == 't' || kind == 'd';
  }
  const std::string exported = "extern \"C\" __attribute__((visibility(\"default\"))) void ";
  const std::string program =
      exported + "tilescope_program(tl::cpu::Context& context, const void* const* arguments) {\n" +
      (wanted.functor.empty() ? "" : "  ::" + wanted.functor + "{}(context" + calls + ");\n") + "}\n" +
      (wanted.loop.empty() ? "" : exported + "tilescope_loop(tl::LoopCase& args) { ::" + wanted.loop + "(args); }\n");
  const std::string problem =
      exported + "tilescope_problem(void* to) {\n  *static_cast<tl::problems::Problem*>(to) = " + wanted.problem +
      "();\n}\n";
  return kernel +
         "\n#line 1 \"launcher\"\n"
         "#if " +
         (built_by_clang ? "!" : "") + "defined(__clang__)\n#error tilescope was built by another compiler\n#endif\n" +
         (wanted.problem.empty() ? program : problem);
}

Built build_kernel(const Wanted& wanted, const fs::path& file, const std::atomic<bool>* stop) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = text::plain_text(read_regular_file(file));
  Built built;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    built.error = Finding{file.filename().string() + " is empty", "", wanted.restore};
    built.errors = 1;
    return built;
  }
  if (auto error = no_text(text, file.filename().string(), wanted)) {
    built.error = std::move(error);
    built.errors = 1;
    return built;
  }
  const std::string compiler = find_compiler(), name = file.filename().string(),
                    launcher = launcher_text(wanted, known_names(wanted, name) + declared_text(wanted, file, text));
  UserTexts texts;
  try {
    texts.add(file);
  } catch (const Error& e) {  // a pipe, a device, a folder
    built.error = Finding{std::string("an #include leads to something that is not a text: ") + e.what(), "", e.fix};
    built.errors = 1;
    return built;
  }
  const std::string recipe = recipe_of(compiler, wanted, launcher, texts);
  if (texts.are_all_known())
    if (auto fields = read_cache(recipe, 1)) {
      built.library = std::move(fields->front());
      built.from_cache = true;
      return built;
    }
  std::optional<CompileFolder> place(std::in_place);
  const ChildLimits limits{.seconds = 300,  // the machine may be busy
                           .cpu_seconds = 30,
                           .memory_bytes = std::int64_t{4} << 30,
                           .stop = stop,
                           .variables = {"LC_ALL=C"},  // its messages are read here, so they must be in English
                           .scratch = place->folder.path()};
  const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
  place->precompile(compiler, wanted, limits);
  ChildResult r = run_child(place->command_line(compiler, wanted), folder, launcher, limits);
  if (!r.ok() && place->forgets_precompiled(r))
    r = run_child(place->command_line(compiler, wanted), folder, launcher, limits);
  if (!r.ok() && is_about_declared_names(r.err))  // who wrote it hears of that text alone
    r = run_child(place->command_line(compiler, wanted), folder,
                  launcher_text(wanted, known_names(wanted, name) + "#include \"" + name + "\""), limits);
  built.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (r.ok()) {
    built.library = read_regular_file(place->library, most_library_bytes);
    UserTexts now;  // a text that was saved meanwhile is another kernel
    now.add(file);
    const auto reads = regular_file_if_any(place->reads);
    const bool is_kept =
        texts.are_all_known() && now.recipe() == texts.recipe() && reads && texts.hold(*reads, folder, place->include);
    place.reset();  // before the cache waits for the disk: a kill meanwhile leaves nothing
    if (is_kept) write_cache(recipe, {built.library});
    return built;
  }
  throw_if_machine_fails(r, compiler);
  for (std::size_t at; (at = r.err.find(place->include.string() + "/")) != std::string::npos;)
    r.err.erase(at, place->include.string().size() + 1);
  const bool took_too_long = r.timed_out() || r.err.find("CPU time limit exceeded") != std::string::npos;
  built.error = took_too_long ? too_slow_to_compile(limits) : too_much_to_compile(r, limits.memory_bytes);
  built.file = name;
  if (!built.error) built.error = first_error(r.err, name, text, wanted, built.errors);
  if (!wanted.problem.empty() && built.error->line == 0) {  // the kernel's own
    const fs::path header = fs::path(file).replace_extension(".h");
    const Finding in_header =
        first_error(r.err, header.filename().string(), read_regular_file(header), wanted, built.errors);
    if (in_header.line > 0) {
      built.error = in_header;
      built.file = header.filename().string();
    }
  }
  built.errors = std::max(built.errors, 1);
  return built;
}

std::string library_of(const Wanted& wanted, const fs::path& file, const std::atomic<bool>* stop) {
  Built built = build_kernel(wanted, file, stop);
  if (!built.error) return std::move(built.library);
  const Finding& e = *built.error;
  std::string fact = e.line ? fmt::format("{}:{}:{}: {}", built.file, e.line, e.column, e.headline) : e.headline;
  if (e.line) fact += fmt::format("\n{:>6} | {}\n       | {:>{}}", e.line, e.source, "^", std::max(e.column, 1));
  if (!e.detail.empty()) fact += "\n  " + e.detail;
  if (built.errors > 1) fact += fmt::format("\n  and {} more", built.errors - 1);
  throw CompileError(fact, e.fix);
}

}  // namespace tl::hostcc
