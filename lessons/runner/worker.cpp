// The process that a learner's kernel runs in: loads it, runs the trials, and says on file descriptor 3 what came of
// it, also where it crashes, forks, or does not end.
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/cpu/last_op.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/run.h"
#include "interp/hostcc/child.h"
#include "interp/hostcc/confinement.h"
#include "interp/hostcc/loaded_kernel.h"
#include "interp/lang/error.h"
#include "interp/sources/sources.h"
#include "interp/trace/access_builder.h"
#include "interp/trace/file.h"
#include "lessons/runner/check.h"
#include "lessons/runner/files.h"
#include "lessons/runner/lasting.h"
#include "lessons/runner/line_plans.h"
#include "lessons/runner/observed.h"
#include "lessons/runner/tensors.h"
#include "lessons/runner/triton_kernel.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

class LearnersKernel : public Kernel {
 public:
  LearnersKernel(const Lesson& lesson, const std::string& library, const fs::path& file)
      : loaded_(lesson.wanted(), library, file.filename().string()), file_(file) {}
  Launch launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const override {
    return loaded_.launch(grid, std::move(arguments), options);
  }
  std::string text() const override { return read_file(file_); }

 private:
  hostcc::LoadedKernel loaded_;
  fs::path file_;
};

// `library`: what a compiler made of C++.
std::unique_ptr<Kernel> kernel_of(const Lesson& lesson, const fs::path& file, const std::string& library) {
  if (language_of(file.string()) == Language::cpp) return std::make_unique<LearnersKernel>(lesson, library, file);
  return std::make_unique<TritonKernel>(lesson.kernel, read_file(file), file.filename().string());
}

constexpr const char *starts_process = "the kernel starts another process",
                     *starts_none = "a kernel starts none: it is one function on blocks";
bool is_in_kernel = false;

void send_line(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(3, text.data() + done, text.size() - done);
    if (n <= 0) return;  // nobody reads any more
    done += static_cast<std::size_t>(n);
  }
}

std::string place_text() {
  const Site site = cpu::last_op.location.site();
  return site.line ? last_op_text(site.file, site.line) : "";
}

void on_fork() {
  if (!is_in_kernel) return;
  send_line(
      nlohmann::json{{"error", std::string(starts_process) + " (fork)"}, {"detail", place_text()}, {"fix", starts_none}}
          .dump());
  _exit(1);
}

// What it did that no kernel does: "writes a file".
void on_refusal(const char* what) {
  send_line(nlohmann::json{{"error", std::string("the kernel ") + what},
                           {"detail", place_text()},
                           {"fix", "it is one function on blocks: it calls ops, and nothing else"}}
                .dump());
}

// Also those that it has waited for.
bool has_started_processes() {
  struct rusage children{};
  return getrusage(RUSAGE_CHILDREN, &children) == 0 && children.ru_maxrss > 0;
}

std::string memory_text() {
  struct rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur == RLIM_INFINITY) return "there is";
  return fmt::format("the {:.1f} GiB that it may take", static_cast<double>(data.rlim_cur) / (1 << 30));
}

// The seal of a report and the compiled kernel come by standard input.
struct Given {
  std::string seal, library;
};
Given given() {
  std::string bytes;
  char part[1 << 16];
  for (ssize_t n; (n = ::read(STDIN_FILENO, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    bytes.append(part, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  constexpr std::size_t seal = 16;
  return {bytes.substr(0, seal), bytes.substr(std::min(seal, bytes.size()))};
}

// The same trials on the GPU: the text is compiled there by NVRTC.
GpuReport on_gpu(const Lesson& lesson, const Kernel& kernel) {
  GpuReport report;
  struct rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) == 0) {  // a driver maps more than the limit
    data.rlim_cur = data.rlim_max;
    setrlimit(RLIMIT_DATA, &data);
  }
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
      const cuda::RunResult r = cuda::run(trial.instance.launches, cpu::facts_of);
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

}  // namespace

int work_recording(const Lesson& lesson, const fs::path& file, int number, const fs::path& out) {
  hostcc::keep_note_for_parent();
  pthread_atfork(on_fork, nullptr, nullptr);
  try {
    sources::use_sources_from(file.parent_path());
    const auto kernel = kernel_of(lesson, file, given().library);
    const auto trials = lesson.trials(*kernel);
    if (number < 0 || number >= std::ssize(trials))
      throw Error(fmt::format("there is no trial {}: the lesson has {}", number, trials.size()),
                  fmt::format("choose 0 to {}", trials.size() - 1));
    const Trial& trial = trials[number];
    trial.instance.reset();
    std::vector<Fault> faults;
    const Observed observed = observe(trial.instance, faults);
    trace::save(observed.trace(), out.string());
    trial.instance.reset();  // plans come of another run: a kernel may wait for what memory held at first
    if (faults.empty())
      save_plans(plans_of(trial.instance.launches.front(), trace::accesses_of(observed.trace())),
                 out.string() + ".plans");
    return 0;
  } catch (const Error& e) {
    send_line(nlohmann::json{{"error", e.what()}, {"fix", e.fix}}.dump());
    return 1;
  }
}

int work(const Lesson& lesson, const fs::path& file, bool gpu, std::uint64_t seed) {
  hostcc::keep_note_for_parent();
  pthread_atfork(on_fork, nullptr, nullptr);
  const Given sealed = given();
  mallopt(M_TRIM_THRESHOLD, 64 << 20);  // each program would give its memory back, and the next one ask for it again
  try {
    sources::use_sources_from(file.parent_path());
    if (!gpu) hostcc::confine(on_refusal);  // a GPU's driver and compiler write files
    const auto kernel = kernel_of(lesson, file, sealed.library);
    Report report;
    report.finding =
        lasting_variable(sealed.library, read_file(file));  // whose kernel may crash: it holds a freed value
    if (!report.finding) {
      is_in_kernel = true;
      report = run_trials(
          lesson, *kernel, [](const std::string& sizes) { send_line(nlohmann::json{{"begins", sizes}}.dump()); }, seed);
      is_in_kernel = false;
    }
    if (report.ok() && has_started_processes()) report.finding = Finding{starts_process, "", starts_none};
    if (report.ok() && gpu) {
      report.gpu = on_gpu(lesson, *kernel);
      if (report.gpu.state == GpuReport::State::differs)
        report.finding = Finding{"right on the interpreter, not on the " + report.gpu.device, report.gpu.text,
                                 "what may the GPU do that the interpreter does not: another order, another rounding?"};
    }
    send_line(sealed.seal + to_json(report));
    return 0;
  } catch (const CompileError& e) {  // of Python: the text, or what a launch makes of it
    Report report;
    report.trials = report.compiler_errors = 1;
    report.finding = finding_in(e.what(), e.fix);
    send_line(sealed.seal + to_json(report));
    return 0;
  } catch (const std::bad_alloc&) {
    send_line(
        nlohmann::json{{"error", "the kernel asks for more memory than " + memory_text()},
                       {"detail", place_text()},
                       {"fix", "a kernel needs no memory of its own: blocks are freed as they are no longer used"}}
            .dump());
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
