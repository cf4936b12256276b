#include "lessons/runner/check.h"

#include <fmt/format.h>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

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
constexpr std::int64_t much_memory_kib = 1 << 20;

// Where the child was when it ended, and its report if it got that far.
struct ChildMessages {
  std::string last_trial, report, error, detail, fix;
  int line = 0;          // of the last op that ran
  std::int64_t kib = 0;  // the most memory that it had
  bool is_null = false;  // the invalid address was null
};

std::string signal_words(int number, const ChildMessages& messages) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      if (messages.is_null) return "crashed: it read or wrote through a null pointer";
      return "crashed: it reached memory that is not its own, or a function called itself without end";
    case SIGFPE: return "crashed: it divided an integer by zero";
    case SIGABRT: return "crashed: it aborted: it threw something, or its memory was overwritten";
    case SIGXFSZ: return "was stopped: it wrote a file without end";
    case SIGXCPU: return "was stopped: it took too much processor time";
    case SIGKILL: return "was killed: it took more memory or time than it may";
    default: return fmt::format("was ended by signal {} ({})", number, strsignal(number));
  }
}

ChildMessages messages_of(const std::string& result) {
  ChildMessages messages;
  for (std::size_t begin = 0; begin < result.size();) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    const auto j = nlohmann::json::parse(result.substr(begin, end - begin), nullptr, false);
    if (j.is_object() && j.contains("begins")) messages.last_trial = j["begins"];
    else if (j.is_object() && j.contains("error"))
      messages.error = j["error"], messages.detail = j.value("detail", ""), messages.fix = j["fix"];
    else if (j.is_object() && j.contains("line"))
      messages.line = j["line"], messages.kib = j.value("kib", 0), messages.is_null = j.value("is_null", 0) != 0;
    else if (j.is_object() && j.contains("passed")) messages.report = result.substr(begin, end - begin);
    begin = end + 1;
  }
  return messages;
}

Report without_report(const hostcc::ChildResult& child, const ChildMessages& messages, double seconds) {
  Report r;
  r.trials = 1;
  r.during = messages.last_trial;
  const std::string there =
      messages.line
          ? fmt::format("The last op that ran stands in line {}: look there, and at what follows.", messages.line)
          : "It ran no op before.";
  if (!messages.error.empty()) {
    r.finding = Finding{messages.error, messages.detail, messages.fix};
  } else if (child.timed_out || child.signal == SIGXCPU) {
    const bool takes_much = messages.kib > much_memory_kib;
    r.finding = Finding{
        fmt::format("the kernel {}did not come to an end within {}",
                    takes_much ? fmt::format("took {:.1f} GiB of memory and ", double(messages.kib) / (1 << 20)) : "",
                    child.timed_out ? fmt::format("{:g} seconds", seconds) : "the processor time that it may take"),
        there,
        takes_much ? "a kernel needs no memory of its own: what is allocated again and again?"
                   : "look for a loop that never ends: what changes from one round to the next?"};
  } else if (child.signal) {
    r.finding = Finding{fmt::format("the kernel {}", signal_words(child.signal, messages)),
                        there + "\nIt ran in a process of its own; nothing else was harmed.",
                        child.signal == SIGFPE ? "which / or % has a right side that can be 0?"
                        : messages.is_null
                            ? "a kernel needs no memory of its own: malloc gives null beyond what it may take"
                            : "ops on tl are always checked; look for plain C++: a function that calls itself, a "
                              "throw, a write through a pointer or an array"};
  } else {
    r.finding = Finding{fmt::format("the kernel ended the process it ran in (exit code {})", child.exit_code),
                        child.err.substr(0, 500), "a kernel returns; it does not call exit"};
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
  return {
      .seconds = seconds_of(options),
      .cpu_seconds = seconds_of(options) > 10 ? patient : std::min(patient, cpu_seconds),
      .memory_bytes = memory_bytes,
      .stop = options.stop,
      .variables = {"OMP_WAIT_POLICY=passive"}};  // threads that wait for work in a loop take cores from other checks
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
    f.line = tokens[i].line, f.column = tokens[i].column;
    f.source = hostcc::line_of(text, f.line);
    return f;
  }
  return std::nullopt;
}

void throw_if_stopped(const hostcc::ChildResult& child) {
  if (child.stopped) throw Error("the check was stopped", "check again when you like");
}

}  // namespace

Report check(const Lesson& lesson, const CheckOptions& options) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  std::optional<CudaReader> cuda;
  if (options.gpu && fs::is_regular_file(file)) cuda.emplace(program_of(options), lesson, file);
  const hostcc::Built built = hostcc::build_kernel(lesson.wanted(), file, options.stop);
  if (built.error) {
    Report r;
    r.trials = 1;
    r.finding = built.error;
    r.compiler_errors = built.errors;
    if (auto empty = empty_loop(read_file(file))) r.finding = std::move(empty);
    r.compile_ms = built.ms;
    return told(lesson, std::move(r));
  }
  std::vector<std::string> words{program_of(options), "learn", "--worker", lesson.name(), file.string()};
  if (!options.gpu) words.push_back("--no-gpu");
  const hostcc::ChildResult child =
      hostcc::run_child(words, "", built.library, limits_of(options), [&](const std::string& line) {
        if (const std::string begins = messages_of(line).last_trial; !begins.empty() && options.begins)
          options.begins(begins);
      });
  throw_if_stopped(child);
  const ChildMessages messages = messages_of(child.result);
  const std::string text = read_file(file);
  Report report = messages.report.empty() ? without_report(child, messages, seconds_of(options))
                                          : report_from_json(messages.report);
  report.ran = !messages.report.empty();
  report.is_starter = text == lesson.text("kernel.h");
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
  if (report.finding)
    if (auto empty = empty_loop(text)) report.finding = std::move(empty);
  if (report.finding && report.finding->line > 0) report.finding->source = hostcc::line_of(text, report.finding->line);
  return told(lesson, std::move(report));
}

void record_kernel(const Lesson& lesson, const CheckOptions& options, int trial, const fs::path& out) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  const hostcc::Built built = hostcc::build_kernel(lesson.wanted(), file, options.stop);
  if (built.error)
    throw CompileError(fmt::format("{}:{}: {}", file.filename().string(), built.error->line, built.error->headline),
                       built.error->fix);
  const hostcc::ChildResult child =
      hostcc::run_child({program_of(options), "learn", "--worker", lesson.name(), file.string(), "--record",
                         out.string(), "--trial", std::to_string(trial)},
                        "", built.library, limits_of(options));
  if (child.ok()) return;
  throw_if_stopped(child);
  const Finding why = *without_report(child, messages_of(child.result), seconds_of(options)).finding;
  throw Error("the kernel could not be recorded: " + why.headline, why.fix);
}

}  // namespace tl::lessons
