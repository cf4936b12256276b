// The steps of a lesson, as commands and as the guide calls them.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>

#include "interp/hostcc/child.h"
#include "interp/hostcc/supervisor.h"
#include "interp/lang/error.h"
#include "interp/lang/unfinished.h"
#include "interp/report/line_input.h"
#include "interp/run/interrupt.h"
#include "lessons/runner/files.h"
#include "lessons/runner/pages.h"
#include "lessons/runner/questions.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/translation.h"
#include "lessons/terminal/guide.h"
#include "lessons/terminal/window_entry.h"

namespace tl::lessons {

namespace fs = std::filesystem;
using report::Paint;

namespace {

Paint out_paint() { return report::paint_of(stdout); }

// On a full disk only the progress is lost, not the step itself.
void keep(const std::function<Progress()>& change) {
  try {
    fmt::print("{}", notes_text(change(), out_paint()));
  } catch (const Error& e) {
    fmt::print("{} this is not in your progress: {} ({})\n", out_paint().hint("note:"), e.what(), e.fix);
  }
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", std::localtime(&now));
  return text;
}

bool at_terminal() { return report::is_terminal(stdin) && report::is_terminal(stdout); }

// A terminal scrolls: of a long table its beginning, and how much more there is.
std::string with_short_tables(const std::string& text) {
  constexpr int most = 20;
  std::string out;
  int rows = 0;
  const auto end_table = [&] {
    if (rows > most) out += fmt::format("  ... {} more rows\n", rows - most);
    rows = 0;
  };
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("  ")) end_table();
    else if (++rows > most) continue;
    out += line + "\n";
  }
  end_table();
  return out;
}

int prose_columns() { return std::min(100, report::columns_of(stdout)); }

}  // namespace

int run_self(const std::vector<std::string>& words) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<char*> argv{const_cast<char*>("tilescope")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  hostcc::Outcome outcome;
  if (hostcc::fork_at_terminal(outcome)) {
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  return WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 1;
}

int do_check(const Lesson& lesson, const CheckOptions& options, Interface interface,
             const std::function<void(const Report&)>& passes) {
  const bool is_own = options.file.empty();
  const fs::path file = is_own ? started_kernel_file(lesson) : options.file;
  const Report report = check(lesson, options);
  if (report.ok()) passes(report);
  fmt::print("{}", report_text(lesson, report, file, out_paint()));
  if (report.ok()) {
    if (const Lesson* next = lesson_after(lesson))
      fmt::print("{} {}, {}\n", out_paint().hint(translate(lesson, "next:")),
                 interface == Interface::guide ? "n" : "`tilescope learn " + next->name() + "`", next->title);
    else if (lesson.is_puzzle()) fmt::print("That was the last of them.\n");
    else fmt::print("That was the last of them. `tilescope learn puzzles` goes on.\n");
  }
  if (is_own) keep([&] { return keep_check(lesson, report.ok()); });
  std::fflush(stdout);
  return report.ok() ? 0 : 1;
}

int do_hint(const Lesson& lesson, Interface interface) {
  const int there_are = static_cast<int>(read_hints(lesson.page("hints.md", language())).hints.size());
  const int number = std::min(load_progress().of(lesson).hints + 1, there_are);
  keep([&] { return keep_hint(lesson, there_are); });
  fmt::print("{}", hint_text(lesson, number, out_paint(), prose_columns()));
  if (number == there_are)
    fmt::print("{}\n", translate(lesson, fmt::format("There is no further hint; {} shows the whole.",
                                                     interface == Interface::guide
                                                         ? "s"
                                                         : "`tilescope learn solution " + lesson.name() + "`")));
  return 0;
}

int do_solution(const Lesson& lesson) {
  keep([&] { return keep_solution_seen(lesson); });
  fmt::print("{}", solution_text(lesson, out_paint(), prose_columns()));
  return 0;
}

int do_predict(const Lesson& lesson, const std::string& guess) {
  if (!lesson.prediction.answer)
    throw Error("a puzzle asks for no prediction", "`tilescope learn check " + lesson.name() + "` checks your kernel");
  const Answer answer = lesson.prediction.answer();
  fmt::print("{}", prediction_text(lesson.prediction, answer, guess, out_paint(), &lesson));
  if (!guess.empty()) keep([&] { return keep_prediction(lesson, guess, is_right(answer, guess)); });
  return 0;
}

int do_ask(const Lesson& lesson, int number, const std::string& guess) {
  const std::vector<Question> all = questions_of(lesson);
  if (number > std::ssize(all))
    throw Error(fmt::format("there is no question {}: the lesson has {}", number, all.size()),
                "`tilescope learn ask " + lesson.name() + "` shows them");
  if (number > 0 && !guess.empty()) {
    const Question& asked = all[static_cast<std::size_t>(number) - 1];
    const Question q = asked.whole ? asked.whole() : asked;
    const Answer answer = q.prediction.answer();
    fmt::print("{}", prediction_text(q.prediction, answer, guess, out_paint(), &lesson));
    return is_right(answer, guess) ? 0 : 1;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (number != 0 && static_cast<int>(i) + 1 != number) continue;
    const Question q = all[i].whole ? all[i].whole() : all[i];
    fmt::print("{} {}\n{}\n", out_paint().bold(fmt::format("{}.", i + 1)), translate(lesson, q.section),
               markdown_text(q.text, out_paint(), prose_columns()));
  }
  fmt::print("{}\n",
             translate(lesson, fmt::format("Your answer: `tilescope learn ask {} NUMBER ANSWER`", lesson.name())));
  return 0;
}

int do_edit(const Lesson& lesson) {
  const fs::path file = started_kernel_file(lesson);
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (const char* editor = std::getenv(variable); editor && *editor) {
      std::string quoted;
      for (const char c : file.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      const int status =
          std::system((std::string(editor) + " '" + quoted + "'").c_str());  // an editor is a command line: code --wait
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
  fmt::print("Open it in your editor: {}\n(set EDITOR, and `tilescope learn edit` does so)\n", file.string());
  return 0;
}

int do_picture(const Lesson& lesson, bool in_terminal) {
  Picture p = lesson.picture;
  if (p.kernel.empty()) p.kernel = started_kernel_file(lesson).string();
  std::vector<std::string> words{"export", p.kernel};
  words.insert(words.end(), p.settings.begin(), p.settings.end());
  words.insert(words.end(), {"--panel", p.panel});
  if (!p.compare.empty()) words.insert(words.end(), {"--compare", p.compare});
  const auto is_set = [](const char* name) { return std::getenv(name) && *std::getenv(name); };
  if (!in_terminal && window_entry() && at_terminal() && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")))
    words.front() = "view";
  else if (!p.program.empty()) words.insert(words.end(), {"--program", p.program});
  if (words.front() == "view") return run_self(words);
  words.insert(words.begin(), fs::read_symlink("/proc/self/exe").string());
  const hostcc::ChildResult text = hostcc::run_child(words, "", "", {.seconds = 600, .cpu_seconds = 1200});
  fmt::print("{}{}", with_short_tables(text.out), text.err);
  if (text.ok())
    fmt::print("\nAs a picture: {}\n",
               out_paint().hint(fmt::format("tilescope export {} -o {}.svg", p.text(), lesson.name())));
  return text.exit_code;
}

int do_bench(const Lesson& lesson) {
  std::vector<std::string> words{"bench"};
  words.push_back(lesson.is_puzzle() ? started_kernel_file(lesson).string() : lesson.picture.kernel);
  words.insert(words.end(), lesson.timed.begin(), lesson.timed.end());
  return run_self(words);
}

int do_debug(const Lesson& lesson, int trial) {
  const TemporaryFolder folder;
  const fs::path trace = folder.path() / (lesson.name() + ".tltrace");
  record_kernel(lesson, {}, trial, trace);
  fmt::print("Your kernel, recorded: n the next statement, rn the one before, p a value, help the rest.\n");
  return run_self({"debug", trace.string()});
}

int do_watch(const Lesson& lesson, const CheckOptions& options) {
  const fs::path file = options.file.empty() ? started_kernel_file(lesson) : options.file;
  if (!at_terminal()) return do_check(lesson, options);
  const run::KeepOnInterrupt leave_in_order;
  const std::atomic<bool>& stop = run::stop_requested();
  fmt::print("Watching {}: save it and it is checked. Ctrl-C leaves.\n", short_path(file));
  int code = 1;
  while (!stop) {
    const auto seen = stamp_of(file);
    fmt::print("\n{}\n", out_paint().dim("-- " + clock_text() + " --"));
    std::fflush(stdout);
    // A file that is saved while a check runs, perhaps of an endless loop, is checked at once.
    std::atomic<bool> is_old = false, is_done = false;
    std::thread watcher([&] {
      for (; !is_old && !is_done; std::this_thread::sleep_for(std::chrono::milliseconds(20)))
        is_old = stop || stamp_of(file) != seen;
    });
    CheckOptions until_saved = options;
    until_saved.stop = &is_old;
    try {
      code = do_check(lesson, until_saved);
    } catch (const Error& e) {  // a file that is gone between two saves, a full disk: say so and go on
      if (!is_old) fmt::print("{}\n  {}\n", e.what(), e.fix);
      code = 1;
    } catch (const std::exception& e) {  // a link to itself
      fmt::print("{}\n", e.what());
      code = 1;
    }
    is_done = true;
    watcher.join();
    if (std::error_code unknown; !stop && !fs::exists(file, unknown))
      fmt::print("{} is gone. Save it again and it is checked; `tilescope learn check {}` begins anew.\n",
                 short_path(file), lesson.name());
    std::fflush(stdout);
    while (!stop && stamp_of(file) == seen) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (auto last = stamp_of(file); !stop; last = stamp_of(file)) {  // an editor may write in pieces
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (stamp_of(file) == last) break;
    }
  }
  fmt::print("\n");
  return code;
}

int do_reset(const Lesson& lesson, bool is_confirmed) {
  const fs::path file = started_kernel_file(lesson);
  if (read_file(file) == lesson.starter(language())) {
    fmt::print("{} is the starter already.\n", short_path(file));
    return 0;
  }
  if (!is_confirmed) {
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
