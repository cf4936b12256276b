// The steps of a lesson, as commands and as the guide calls them.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <thread>

#include "interp/cli/interrupt.h"
#include "interp/cli/line_input.h"
#include "interp/lang/error.h"
#include "lessons/runner/compiler.h"
#include "lessons/runner/files.h"
#include "lessons/runner/readme.h"
#include "lessons/terminal/guide.h"
#include "lessons/terminal/pages.h"

namespace tl::lessons {

namespace fs = std::filesystem;
using cli::Paint;

namespace {

Paint out_paint() { return cli::paint_of(stdout); }

void keep(const Lesson& lesson, const std::function<void(LessonProgress&)>& change) {
  fmt::print("{}", notes_text(change_progress(lesson, change), out_paint()));
}

// What changes when a file is saved.
std::pair<fs::file_time_type, std::uintmax_t> stamp(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return {error ? fs::file_time_type::min() : time, fs::file_size(file, error)};
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", std::localtime(&now));
  return text;
}

bool at_terminal() { return cli::is_terminal(stdin) && cli::is_terminal(stdout); }

}  // namespace

int do_check(const Lesson& lesson, const CheckOptions& options) {
  const bool is_own = options.file.empty();
  const fs::path file = is_own ? started_kernel_file(lesson) : options.file;
  const Report report = check(lesson, options);
  if (is_own)
    keep(lesson, [&](LessonProgress& l) {
      ++l.checks;
      l.passed |= report.ok();
    });
  fmt::print("{}", report_text(lesson, report, file, out_paint()));
  if (!report.ok() && is_own && report.compiler_errors == 0 && read_file(file) == lesson.text("kernel.h"))
    fmt::print("{}\n", out_paint().hint("This failure is meant to be: the file is the starter, and mending it is the lesson."));
  std::fflush(stdout);
  return report.ok() ? 0 : 1;
}

int do_hint(const Lesson& lesson) {
  const auto hints = read_hints(lesson.text("hints.md")).hints;
  int shown = 0;
  keep(lesson, [&](LessonProgress& l) {
    shown = std::min(l.hints, static_cast<int>(hints.size()) - 1);
    l.hints = std::min(l.hints + 1, static_cast<int>(hints.size()));
  });
  fmt::print("{} {}", out_paint().hint(fmt::format("hint {} of {}:", shown + 1, hints.size())), markdown_text(hints[static_cast<std::size_t>(shown)], out_paint()));
  if (shown + 1 == static_cast<int>(hints.size())) fmt::print("There is no further hint; `tilescope learn solution {}` shows the whole.\n", lesson.name());
  return 0;
}

int do_solution(const Lesson& lesson) {
  keep(lesson, [](LessonProgress& l) { l.saw_solution = true; });
  fmt::print("{}", solution_text(lesson, out_paint()));
  return 0;
}

int do_predict(const Lesson& lesson, const std::string& guess) {
  const Answer answer = lesson.prediction.answer();
  fmt::print("{}", prediction_text(lesson, answer, guess, out_paint()));
  if (!guess.empty())
    keep(lesson, [&](LessonProgress& l) {
      if (!l.prediction.empty()) return;  // the first one counts
      for (const char c : guess.substr(0, 40)) l.prediction += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
      l.predicted_right = is_right(answer, guess);
    });
  return 0;
}

int do_edit(const Lesson& lesson) {
  const fs::path file = started_kernel_file(lesson);
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (const char* editor = std::getenv(variable); editor && *editor) {
      std::string quoted;
      for (const char c : file.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      const int status = std::system((std::string(editor) + " '" + quoted + "'").c_str());  // an editor is a command line: code --wait
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
  fmt::print("Open it in your editor: {}\n(set EDITOR, and `tilescope learn edit` does so)\n", file.string());
  return 0;
}

int do_debug(const Lesson& lesson, int trial) {
  const fs::path trace = record_kernel(lesson, {}, trial);
  fmt::print("Your kernel, recorded: n the next statement, rn the one before, p a value, help the rest.\n");
  std::fflush(stdout);
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), "tilescope", "debug", trace.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  std::error_code error;
  fs::remove(trace, error);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int do_watch(const Lesson& lesson, const CheckOptions& options) {
  const fs::path file = options.file.empty() ? started_kernel_file(lesson) : options.file;
  if (!at_terminal()) return do_check(lesson, options);
  const std::atomic<bool>& stop = cli::stop_requested();
  fmt::print("Watching {}: save it and it is checked. Ctrl-C leaves.\n", short_path(file));
  int code = 1;
  while (!stop) {
    const auto seen = stamp(file);
    fmt::print("\n{}\n", out_paint().dim("-- " + clock_text() + " --"));
    try {
      code = do_check(lesson, options);
    } catch (const Error& e) {  // a file that is gone between two saves, a full disk: say so and go on
      fmt::print("{}\n  {}\n", e.what(), e.fix);
      code = 1;
    }
    std::fflush(stdout);
    while (!stop && stamp(file) == seen) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (auto last = stamp(file); !stop; last = stamp(file)) {  // an editor may write in pieces
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (stamp(file) == last) break;
    }
  }
  fmt::print("\n");
  return code;
}

int do_reset(const Lesson& lesson, bool sure) {
  const fs::path file = started_kernel_file(lesson);
  if (read_file(file) == lesson.text("kernel.h")) {
    fmt::print("{} is the starter already.\n", short_path(file));
    return 0;
  }
  if (!sure) {
    if (!at_terminal()) throw Error("`reset` asks first, and there is no terminal to answer at", "add --yes");
    fmt::print("Put the starter of lesson {} back? Your text is kept beside it. [y/N] ", lesson.name());
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line) || (line != "y" && line != "yes")) {
      fmt::print("Nothing was changed.\n");
      return 0;
    }
  }
  const fs::path kept = reset_kernel_file(lesson);
  fmt::print("{} is the starter again; your text is kept as {}\n", short_path(file), short_path(kept));
  return 0;
}

}  // namespace tl::lessons
