#include "lessons/runner/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"
#include "interp/trace/access_builder.h"
#include "interp/trace/file.h"
#include "lessons/runner/child.h"
#include "lessons/runner/compiler.h"
#include "lessons/runner/compiler_words.h"
#include "lessons/runner/files.h"
#include "lessons/runner/line_plans.h"
#include "lessons/runner/loaded_kernel.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

void send_line(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(3, text.data() + done, text.size() - done);
    if (n <= 0) return;  // nobody listens any more
    done += static_cast<std::size_t>(n);
  }
}

// The same trials on the GPU: the text is compiled there by NVRTC.
GpuReport on_gpu(const Lesson& lesson, const Kernel& kernel) {
  GpuReport report;
  if (!cuda::available(&report.text)) return report;
  report.device = cuda::device_info().name;
  report.state = GpuReport::State::agrees;
  const auto differs = [&](const std::string& text) {
    report.state = GpuReport::State::differs;
    report.text = text;
    return report;
  };
  for (const Trial& trial : lesson.trials(kernel)) {
    if (!trial.on_gpu) continue;
    send_line(nlohmann::json{{"begins", trial.text() + " on the GPU"}}.dump());
    trial.instance.reset();
    try {
      const cuda::RunResult r = cuda::run(trial.instance.launches);
      if (!r.faults.empty()) return differs(trial.text() + ": " + r.faults.front().headline);
    } catch (const Error& e) {
      return differs(e.what());
    }
    const auto verdict = problems::check(trial.instance, packed(trial.instance.outputs));
    if (!verdict.ok)
      return differs(fmt::format("{}: element {} is {}, the reference and the interpreter say {}", trial.text(),
                                 verdict.first->offset, verdict.first->got, verdict.first->expected));
    ++report.trials;
  }
  return report;
}

std::string signal_words(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS: return "crashed: it reached memory that is not its own, or a function called itself without end";
    case SIGFPE: return "crashed: it divided an integer by zero";
    case SIGABRT: return "crashed: it aborted: it threw something, or its memory was overwritten";
    case SIGXFSZ: return "was stopped: it wrote a file without end";
    case SIGXCPU: return "was stopped: it took too much processor time";
    case SIGKILL: return "was killed: it took more memory or time than it may";
    default: return fmt::format("was ended by signal {} ({})", number, strsignal(number));
  }
}

// Where the child was when it ended, and its report if it got that far.
struct ChildMessages {
  std::string last_trial, report, error, fix;
};

ChildMessages messages_of(const std::string& result) {
  ChildMessages messages;
  for (std::size_t begin = 0; begin < result.size();) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    const auto j = nlohmann::json::parse(result.substr(begin, end - begin), nullptr, false);
    if (j.is_object() && j.contains("begins")) messages.last_trial = j["begins"];
    else if (j.is_object() && j.contains("error")) messages.error = j["error"], messages.fix = j["fix"];
    else if (j.is_object() && j.contains("passed")) messages.report = result.substr(begin, end - begin);
    begin = end + 1;
  }
  return messages;
}

Report without_report(const ChildResult& child, const ChildMessages& messages, double seconds) {
  Report r;
  r.trials = 1;
  r.during = messages.last_trial;
  if (!messages.error.empty()) r.finding = Finding{messages.error, "", messages.fix};
  else if (child.timed_out || child.signal == SIGXCPU)
    r.finding = Finding{
        fmt::format("the kernel did not come to an end within {}",
                    child.timed_out ? fmt::format("{:g} seconds", seconds) : "the processor time that it may take"),
        "", "look for a loop that never ends: what changes from one round to the next?"};
  else if (child.signal)
    r.finding = Finding{fmt::format("the kernel {}", signal_words(child.signal)),
                        "It ran in a process of its own; nothing else was harmed.",
                        child.signal == SIGFPE ? "which / or % has a right side that can be 0?"
                                               : "ops on tl are always checked; look for plain C++: a function that "
                                                 "calls itself, a throw, a write through a pointer or an array"};
  else
    r.finding = Finding{fmt::format("the kernel ended the process it ran in (exit code {})", child.exit_code),
                        child.err.substr(0, 500), "a kernel returns; it does not call exit"};
  return r;
}

std::string program_of(const CheckOptions& options) {
  return options.program.empty() ? fs::read_symlink("/proc/self/exe").string() : options.program;
}

// A GPU wants time to wake up, and its compiler some.
double seconds_of(const CheckOptions& options) {
  return options.seconds + (options.gpu && (fs::exists("/dev/nvidiactl") || fs::exists("/dev/dxg")) ? 20 : 0);
}

#ifdef TILESCOPE_SANITIZED
constexpr int cpu_seconds = 20;
#else
constexpr int cpu_seconds = 4;  // ten times what a right kernel takes: on a busy machine a loop that never ends is told
                                // later, and no right one is ended
#endif

ChildLimits limits_of(const CheckOptions& options) {
  const int patient = static_cast<int>(seconds_of(options)) * 2;
  return {.seconds = seconds_of(options),
          .cpu_seconds = seconds_of(options) > 10 ? patient : std::min(patient, cpu_seconds),
          .stop = options.stop};
}

void throw_if_stopped(const ChildResult& child) {
  if (child.stopped) throw Error("the check was stopped", "check again when you like");
}

}  // namespace

Report check(const Lesson& lesson, const CheckOptions& options) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  const Built built = build_kernel(lesson, file, options.stop);
  if (built.error) {
    Report r;
    r.trials = 1;
    r.finding = built.error;
    r.compiler_errors = built.errors;
    r.compile_ms = built.ms;
    return r;
  }
  std::vector<std::string> words{program_of(options),    "learn",      "--worker", lesson.name(),
                                 built.library.string(), file.string()};
  if (!options.gpu) words.push_back("--no-gpu");
  const ChildResult child =
      run_child(words, fs::temp_directory_path(), "", limits_of(options), [&](const std::string& line) {
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
  if (report.finding && report.finding->line > 0) report.finding->source = line_of(text, report.finding->line);
  return report;
}

fs::path record_kernel(const Lesson& lesson, const CheckOptions& options, int trial) {
  const fs::path file = fs::absolute(options.file.empty() ? started_kernel_file(lesson) : options.file);
  const Built built = build_kernel(lesson, file, options.stop);
  if (built.error)
    throw CompileError(fmt::format("{}:{}: {}", file.filename().string(), built.error->line, built.error->headline),
                       built.error->fix);
  const fs::path out = cache_folder() / fmt::format("{}-{}.tltrace", lesson.name(), getpid());
  const ChildResult child = run_child({program_of(options), "learn", "--worker", lesson.name(), built.library.string(),
                                       file.string(), "--record", out.string(), "--trial", std::to_string(trial)},
                                      fs::temp_directory_path(), "", limits_of(options));
  if (child.ok()) return out;
  std::error_code error;
  fs::remove(out, error);
  throw_if_stopped(child);
  const Finding why = *without_report(child, messages_of(child.result), seconds_of(options)).finding;
  throw Error("the kernel could not be recorded: " + why.headline, why.fix);
}

int work_recording(const Lesson& lesson, const std::string& library, const fs::path& file, int number,
                   const fs::path& out) {
  try {
    sources::use_sources_from(file.parent_path());
    const LoadedKernel kernel(lesson, library, file.filename().string());
    const auto trials = lesson.trials(kernel);
    if (number < 0 || number >= std::ssize(trials))
      throw Error(fmt::format("there is no trial {}: the lesson has {}", number, trials.size()),
                  fmt::format("choose 0 to {}", trials.size() - 1));
    const Trial& trial = trials[static_cast<std::size_t>(number)];
    trial.instance.reset();
    std::vector<Fault> faults;
    const Observed observed = observe(trial.instance, faults);
    trace::save(observed.trace(), out.string());
    if (faults.empty())
      save_plans(plans_of(trial.instance.launches.front(), trace::accesses_of(observed.trace())),
                 out.string() + ".plans");
    return 0;
  } catch (const Error& e) {
    send_line(nlohmann::json{{"error", e.what()}, {"fix", e.fix}}.dump());
    return 1;
  }
}

int work(const Lesson& lesson, const std::string& library, const fs::path& file, bool gpu) {
  // A crash shall end the process by its signal, whoever waits for it: sanitizers catch these to tell of their own
  // program's.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(number, SIG_DFL);
  try {
    sources::use_sources_from(file.parent_path());
    const LoadedKernel kernel(lesson, library, file.filename().string());
    Report report = run_trials(lesson, kernel, [](const std::string& sizes) {
      send_line(nlohmann::json{{"begins", sizes}}.dump());
    });
    if (report.ok() && gpu) {
      report.gpu = on_gpu(lesson, kernel);
      if (report.gpu.state == GpuReport::State::differs)
        report.finding = Finding{"right on the interpreter, not on the " + report.gpu.device, report.gpu.text,
                                 "what may the GPU do that the interpreter does not: another order, another rounding?"};
    }
    send_line(to_json(report));
    return 0;
  } catch (const Error& e) {
    send_line(nlohmann::json{{"error", e.what()}, {"fix", e.fix}}.dump());
  } catch (const FaultError& e) {
    send_line(nlohmann::json{{"error", e.fault.headline}, {"fix", e.fault.fix}}.dump());
  } catch (const std::exception& e) {
    send_line(
        nlohmann::json{{"error", std::string("the kernel threw: ") + e.what()}, {"fix", "a kernel throws nothing"}}
            .dump());
  }
  return 1;
}

}  // namespace tl::lessons
