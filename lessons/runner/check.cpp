#include "lessons/runner/check.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "interp/hostcc/child.h"
#include "interp/hostcc/compiler.h"
#include "interp/hostcc/compiler_words.h"
#include "interp/lang/error.h"
#include "interp/text/lexer.h"
#include "lessons/runner/cuda_reader.h"
#include "lessons/runner/files.h"
#include "lessons/runner/translation.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

#ifdef TILESCOPE_SANITIZED
constexpr int cpu_seconds = 20;
constexpr std::int64_t memory_bytes = 0;  // sanitizers reserve terabytes
#else
constexpr std::int64_t memory_bytes = std::int64_t{2} << 30;
constexpr int cpu_seconds = 4;  // ten times what a right kernel takes, so that no right one is ended on a busy machine
#endif
constexpr const char* passive_threads =
    "OMP_WAIT_POLICY=passive";  // those that wait for work in a loop take cores from other checks
constexpr std::int64_t much_memory_kib = 1 << 20;

// Where the child was when it ended, and its report if it got that far.
struct ChildMessages {
  std::string last_trial, report, error, detail, fix;
};

ChildMessages messages_of(const std::string& result, const std::string& seal) {
  ChildMessages messages;
  for (std::size_t begin = 0; begin < result.size();) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    const std::string line = result.substr(begin, end - begin);
    const auto j = nlohmann::json::parse(line, nullptr, false);
    if (line.starts_with(seal)) messages.report = line.substr(seal.size());
    else if (j.is_object() && j.contains("begins")) messages.last_trial = j["begins"];
    else if (j.is_object() && j.contains("error")) {
      messages.error = j["error"];
      messages.detail = j.value("detail", "");
      messages.fix = j["fix"];
    }
    begin = end + 1;
  }
  return messages;
}

Report without_report(const hostcc::ChildResult& child, const ChildMessages& messages) {
  Report r;
  r.trials = 1;
  r.during = messages.last_trial;
  const std::string there = child.note.line ? last_op_text(child.note.file, child.note.line) : "It ran no op before.";
  if (child.timed_out() && child.note.line == 0 && messages.error.empty()) {
    r.finding = Finding{"the check took too long, and the kernel ran no op in that time", words_of(child),
                        "is the machine busy? Check again; else look for a loop that holds no op"};
  } else if (!messages.error.empty()) {
    r.finding = Finding{messages.error, messages.detail, messages.fix};
  } else if (child.timed_out() && child.note.kib > much_memory_kib) {
    r.finding = Finding{
        fmt::format("the kernel took {:.1f} GiB of memory and {}", double(child.note.kib) / (1 << 20), words_of(child)),
        there, "a kernel needs no memory of its own: what is allocated again and again?"};
  } else {
    r.finding = Finding{"the kernel " + words_of(child), there, fix_of(child)};
    if (child.signal && !child.timed_out())
      r.finding->detail += "\nIt ran in a process of its own; nothing else was harmed.";
  }
  return r;
}

std::string program_of(const CheckOptions& options) {
  return options.program.empty() ? fs::read_symlink("/proc/self/exe").string() : options.program;
}

// A GPU needs time to start, and its compiler some more.
double seconds_of(const CheckOptions& options) {
  return options.seconds + (options.gpu && (fs::exists("/dev/nvidiactl") || fs::exists("/dev/dxg")) ? 20 : 0);
}

hostcc::ChildLimits limits_of(const CheckOptions& options) {
  const int patient = static_cast<int>(seconds_of(options)) * 2;
  return {.seconds = seconds_of(options),
          .cpu_seconds = seconds_of(options) > 10 ? patient : std::min(patient, cpu_seconds),
          .memory_bytes = memory_bytes,
          .stop = options.stop,
          .variables = {passive_threads}};
}

// for (...); with nothing to repeat: compiles, and what should be repeated runs once or lacks the loop's variable.
std::optional<Finding> empty_loop(const std::string& text) {
  const std::vector<text::Token> tokens = text::lex(text);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("for") || !tokens[i + 1].is("(")) continue;
    std::size_t end = i + 1;
    for (int open = 0; end < tokens.size(); ++end)
      if ((open += tokens[end].is("(") - tokens[end].is(")")) == 0) break;
    if (end + 1 >= tokens.size() || !tokens[end + 1].is(";")) continue;
    Finding f{"this loop repeats nothing: it ends at its ;", "", "no ; after for (...): what it repeats stands in { }"};
    f.line = tokens[i].line;
    f.column = tokens[i].column;
    f.source = hostcc::line_of(text, f.line);
    return f;
  }
  return std::nullopt;
}

// auto a = next_a; in a block within the one that declares a: another variable, gone at the block's end.
std::optional<Finding> hidden_variable(const std::string& text) {
  const std::vector<text::Token> tokens = text::lex(text);
  std::vector<std::map<std::string_view, int>> scopes(1);  // names with their lines
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is("{")) scopes.emplace_back();
    if (tokens[i].is("}") && scopes.size() > 1) scopes.pop_back();
    if (!tokens[i].is("auto") || !tokens[i + 2].is("=")) continue;
    const std::string_view name = tokens[i + 1].text;
    for (std::size_t s = 0; s + 1 < scopes.size(); ++s)
      if (const auto outer = scopes[s].find(name); outer != scopes[s].end()) {
        Finding f{"",
                  fmt::format("this is a new {0}, gone at the end of its {{ }}: the {0} of line {1} keeps its value",
                              name, outer->second),
                  fmt::format("without auto, `{} = ...`, it is the same variable", name)};
        f.line = tokens[i].line;
        f.column = tokens[i].column;
        return f;
      }
    scopes.back()[name] = tokens[i].line;
  }
  return std::nullopt;
}

// Python is walked, and compiled by nobody.
hostcc::Built built_of(const Lesson& lesson, const fs::path& file, const CheckOptions& options) {
  if (language_of(file.string()) == Language::python) return {};
  return hostcc::build_kernel(lesson.wanted(), file, options.stop);
}

// What `tilescope run` says of the file, where that fails.
std::optional<Finding> own_case(const fs::path& file, const CheckOptions& options) {
  const hostcc::ChildResult run = hostcc::run_child({program_of(options), "run", file.string()}, "", "",
                                                    {.seconds = 60, .cpu_seconds = 60, .variables = {passive_threads}});
  if (run.ok()) return std::nullopt;
  return Finding{"the trials pass, but the file's own case does not: `tilescope run " + file.filename().string() + "`",
                 run.out + run.err, "which words of the case differ from the starter's?"};
}

// In the learner's notation and language.
Report in_words_of(const Lesson& lesson, Language language, Report report) {
  if (report.finding)
    for (std::string* text : {&report.finding->headline, &report.finding->detail, &report.finding->fix})
      *text = in_notation(*text, language);
  return translate(lesson, std::move(report));
}

// What a report begins with, so that a kernel, which runs in the same process, cannot write one.
std::string new_seal() {
  std::random_device bits;
  return fmt::format("{:08x}{:08x}", bits(), bits());
}

void throw_if_stopped(const hostcc::ChildResult& child) {
  if (child.stopped) throw Error("the check was stopped", "check again when you like");
}

}  // namespace

std::string last_op_text(std::string_view file, int line) {
  if (file.starts_with("./")) file.remove_prefix(2);  // clang's
  return fmt::format("The last op that ran stands in line {}{}: look there, and at what follows.", line,
                     file.find('/') == file.npos ? "" : fmt::format(" of {}", file));
}

Report check(const Lesson& lesson, const CheckOptions& options) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  const Language language = language_of(file.string());
  std::optional<CudaReader> cuda;
  if (language == Language::cpp && options.gpu && fs::is_regular_file(file))
    cuda.emplace(program_of(options), lesson, file);
  const hostcc::Built built = built_of(lesson, file, options);
  if (built.error) {
    Report r;
    r.trials = 1;
    r.finding = built.error;
    r.compiler_errors = built.errors;
    if (auto empty = empty_loop(read_file(file))) r.finding = std::move(empty);
    r.compile_ms = built.ms;
    return in_words_of(lesson, language, std::move(r));
  }
  std::vector<std::string> words{program_of(options), "learn", "--worker", lesson.name(), file.string()};
  if (!options.gpu) words.push_back("--no-gpu");
  words.insert(words.end(),
               {"--seed", std::to_string(options.seed ? *options.seed : std::random_device()() % 1'000'000)});
  const std::string seal = new_seal();
  const hostcc::ChildResult child =
      hostcc::run_child(words, "", seal + built.library, limits_of(options), [&](const std::string& line) {
        if (const std::string begins = messages_of(line, seal).last_trial; !begins.empty() && options.begins)
          options.begins(begins);
      });
  throw_if_stopped(child);
  const ChildMessages messages = messages_of(child.result, seal);
  const std::string text = read_file(file);
  Report report = messages.report.empty() ? without_report(child, messages) : report_from_json(messages.report);
  report.ran = !messages.report.empty();
  report.is_starter = text == lesson.starter(language);
  report.compile_ms = built.ms;
  report.printed = child.out;
  if (report.ok() && child.left > 0)
    report.finding = Finding{fmt::format("the kernel left {} behind, which were killed",
                                         child.left == 1 ? "a process" : fmt::format("{} processes", child.left)),
                             "", "a kernel starts no processes"};
  if (report.ok() && cuda) {
    const CudaReader::Words words = cuda->words();
    report.cuda = words.report;
    report.finding = words.refusal;
  }
  if (report.ok() && lesson.runs_own_case) report.finding = own_case(file, options);
  if (report.finding && language == Language::cpp) {
    if (auto hidden = hidden_variable(text)) {
      hidden->headline = report.finding->headline;
      report.finding = std::move(hidden);
    }
    if (auto empty = empty_loop(text)) report.finding = std::move(empty);
  }
  if (report.finding && report.finding->line > 0) report.finding->source = hostcc::line_of(text, report.finding->line);
  return in_words_of(lesson, language, std::move(report));
}

void record_kernel(const Lesson& lesson, const CheckOptions& options, int trial, const fs::path& out) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  const hostcc::Built built = built_of(lesson, file, options);
  if (built.error)
    throw CompileError(fmt::format("{}:{}: {}", file.filename().string(), built.error->line, built.error->headline),
                       built.error->fix);
  const std::string seal = new_seal();
  const hostcc::ChildResult child =
      hostcc::run_child({program_of(options), "learn", "--worker", lesson.name(), file.string(), "--record",
                         out.string(), "--trial", std::to_string(trial)},
                        "", seal + built.library, limits_of(options));
  if (child.ok()) return;
  throw_if_stopped(child);
  const Finding why = *without_report(child, messages_of(child.result, seal)).finding;
  throw Error("the kernel could not be recorded: " + why.headline, why.fix);
}

}  // namespace tl::lessons
