// tilescope learn: the lessons, one command a step.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "interp/cli/part.h"
#include "interp/lang/error.h"
#include "interp/report/exit_codes.h"
#include "lessons/runner/cuda_reader.h"
#include "lessons/runner/files.h"
#include "lessons/runner/pages.h"
#include "lessons/terminal/guide.h"
#include "lessons/terminal/solutions.h"
#include "lessons/terminal/window_entry.h"

namespace tl::lessons {

namespace {

struct LearnOptions {
  std::string lesson, file, guess, record;
  std::vector<std::string> worker;
  std::optional<std::uint64_t> seed;
  int trial = 0, number = 0;
  bool is_confirmed = false, no_gpu = false, cuda = false, solutions = false, terminal = false, window = false;
};

const Lesson& chosen(const LearnOptions& o) {
  if (!o.lesson.empty()) return find(o.lesson);
  try {
    return load_progress().next();
  } catch (const Error&) {  // no home, a folder that cannot be read: the first lesson is there all the same, and says
                            // what is the matter
    return all().front();
  }
}

// The lesson that was worked on last, though it passed: what `check`, `hint` and `solution` mean without a name.
const Lesson& current(const LearnOptions& o) {
  if (!o.lesson.empty()) return find(o.lesson);
  const Progress p = load_progress();
  return p.current.empty() ? p.next() : find(p.current);
}

int list_lessons() {
  const Progress p = load_progress();
  const report::Paint paint = report::paint_of(stdout);
  fmt::print("{}{}", notes_text(p, paint), list_text(p, all(), paint));
  return report::exit_ok;
}

// The list; at a terminal the next puzzle as well.
int do_puzzles() {
  const Progress p = load_progress();
  const report::Paint paint = report::paint_of(stdout);
  const Lesson& next = p.next_of(puzzles());
  fmt::print("{}{}", notes_text(p, paint), list_text(p, puzzles(), paint));
  if (report::is_terminal(stdin) && report::is_terminal(stdout)) return guide(next);
  fmt::print("{} `tilescope learn {}`, {}\n", paint.hint("next:"), next.name(), next.title);
  return report::exit_ok;
}

int show_progress() {
  const Progress p = load_progress();
  fmt::print("{}{}", notes_text(p, report::paint_of(stdout)), progress_text(p));
  return report::exit_ok;
}

// The window where there is a display and somebody at a terminal who asked; else, and with --terminal, the terminal.
int learn(const LearnOptions& o) {
  const Lesson& lesson = chosen(o);
  if (o.window && !window_entry())
    throw Error("this tilescope was built without a window",
                "apt-get install libimgui-dev libglfw3-dev libgl-dev, and build again");
  const auto is_set = [](const char* name) { return std::getenv(name) && *std::getenv(name); };
  const bool has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
  if (o.terminal || !(o.window || (has_display && report::is_terminal(stdout))) || !window_entry())
    return guide(lesson);
  try {
    return window_entry()(lesson);
  } catch (const Error& e) {
    if (o.window) throw;
    fmt::print(
        "The window does not open: {} ({}).\nThe lessons go on in the terminal; with --terminal they begin there.\n",
        e.what(), e.fix);
    return guide(lesson);
  }
}

CheckOptions check_options(const LearnOptions& o) { return {.file = o.file, .seed = o.seed, .gpu = !o.no_gpu}; }

}  // namespace

WindowEntry& window_entry() {
  static WindowEntry entry = nullptr;
  return entry;
}

namespace {

using Options = std::shared_ptr<LearnOptions>;

void add_own_options(CLI::App& learn, LearnOptions& o) {
  learn.add_option("lesson", o.lesson, "its number or name; without one the next that has not passed")
      ->type_name("LESSON");
  learn.add_option("--worker", o.worker)->group("")->expected(2);  // the process that a learner's kernel runs in
  learn.add_option("--record", o.record)->group("");
  learn.add_option("--trial", o.trial)->group("");
  learn.add_option("--seed", o.seed)->group("");
  learn.add_flag("--no-gpu", o.no_gpu)->group("");
  learn.add_flag("--cuda", o.cuda)->group("");  // of a worker: what CUDA's compiler says of the text
  learn
      .add_option_function<std::string>(
          "--language", [](const std::string& name) { choose_language(language_called(name)); },
          "what you write kernels in, python or c++; kept until you say another")
      ->type_name("LANGUAGE");
  learn.add_flag("--terminal", o.terminal, "in the terminal, though there is a display");
  learn.add_flag("--window", o.window, "in the window, whatever the output is");
  learn.footer(
      "Your kernels and your progress lie in ~/.local/share/tilescope/lessons (XDG_DATA_HOME, or TILESCOPE_LESSONS).\n"
      "You write Triton's Python (kernel.py) or C++ (kernel.h). Only C++ needs a compiler; without one you begin in "
      "Python.\n\n"
      "Examples:\n"
      "  tilescope learn                 the next lesson: in the window where there is a display, else page by page\n"
      "  tilescope learn --terminal      in the terminal anyway\n"
      "  tilescope learn --language python   kernels in Triton's Python from now on\n"
      "  tilescope learn softmax         any lesson: none is locked\n"
      "  tilescope learn check           is my kernel right?\n"
      "  tilescope learn puzzles         when the lessons are done: kernels from the first line on\n"
      "  tilescope learn watch copy      the same at every save");
}

// The steps of one lesson, which each of them may be given.
class Steps {
 public:
  Steps(CLI::App& learn, Options o, int& exit_code) : learn_(learn), o_(std::move(o)), exit_code_(exit_code) {}

  void add_checks() {
    CLI::App* check = step("check", "compile your kernel, run it on inputs that catch mistakes, say what is wrong",
                           [](const LearnOptions& options) {
                             if (options.solutions) return check_solutions(options.lesson, !options.no_gpu);
                             return do_check(current(options), check_options(options));
                           });
    CLI::App* watch = step("watch", "check again whenever the file is saved", [](const LearnOptions& options) {
      return do_watch(current(options), check_options(options));
    });
    for (CLI::App* command : {check, watch}) {
      command->add_option("--file", o_->file, "a kernel elsewhere, instead of your own")->type_name("FILE");
      command->add_option("--seed", o_->seed,
                          "of the values by chance that a kernel runs on as well; else another each time");
      command->add_flag("--no-gpu", o_->no_gpu, "on the interpreter alone");
    }
    check->add_flag("--solutions", o_->solutions,
                    "every lesson's solution instead (one lesson's, with LESSON), on the GPU too");
  }

  void add_questions() {
    step("predict", "the lesson's question: your guess beside what a run says",
         [](const LearnOptions& options) { return do_predict(current(options), options.guess); })
        ->add_option("guess", o_->guess, "your answer")
        ->type_name("GUESS");
    CLI::App* ask =
        step("ask", "the lesson's further questions: break it, vary, quiz; your answer beside a run's",
             [](const LearnOptions& options) { return do_ask(current(options), options.number, options.guess); });
    ask->add_option("number", o_->number, "of one of them")->type_name("NUMBER");
    ask->add_option("answer", o_->guess, "your answer")->type_name("ANSWER");
  }

  void add_help() {
    step("hint", "the next hint, mildest first", [](const LearnOptions& options) { return do_hint(current(options)); });
    step("solution", "a solution, and why it is one",
         [](const LearnOptions& options) { return do_solution(current(options)); });
    step("edit", "open your kernel in $EDITOR", [](const LearnOptions& options) { return do_edit(current(options)); });
    step("debug", "step through your own kernel",
         [](const LearnOptions& options) { return do_debug(current(options), options.trial); })
        ->add_option("--trial", o_->trial, "which of the check's trials; 0 is the smallest")
        ->check(CLI::Range(0, 100).description(""))
        ->type_name("N");
    step("picture", "the lesson's drawing: in the window, or as text",
         [](const LearnOptions& options) { return do_picture(current(options), options.terminal); });
    step("bench", "time your kernel of a puzzle",
         [](const LearnOptions& options) { return do_bench(current(options)); });
  }

  void add_reset() {
    step("reset", "put the starter back; a copy of yours is kept", [](const LearnOptions& options) {
      return do_reset(current(options), options.is_confirmed);
    })->add_flag("--yes", o_->is_confirmed, "do not ask");
  }

 private:
  template <class Action>
  CLI::App* step(const char* name, const char* help, Action action) {
    CLI::App* command = learn_.add_subcommand(name, help);
    command->add_option("lesson", o_->lesson, "its number or name; without one the one worked on last")
        ->type_name("LESSON");
    command->callback([o = o_, &exit_code = exit_code_, action] { exit_code = action(*o); });
    return command;
  }

  CLI::App& learn_;
  Options o_;
  int& exit_code_;
};

int act(const LearnOptions& o) {
  if (!o.record.empty()) return work_recording(find(o.worker.at(0)), o.worker.at(1), o.trial, o.record);
  if (o.cuda && !o.worker.empty()) return work_cuda(find(o.worker[0]), o.worker[1]);
  if (!o.worker.empty()) return work(find(o.worker[0]), o.worker[1], !o.no_gpu, o.seed.value_or(1));
  return lessons::learn(o);
}

void add_learn_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<LearnOptions>();
  CLI::App* learn = program.add_subcommand("learn", "lessons: predict, run, see why, mend, and run it on the GPU");
  add_own_options(*learn, *o);
  learn->require_subcommand(0, 1);
  learn->add_subcommand("list", "the lessons there are")->callback([&exit_code] { exit_code = list_lessons(); });
  learn->add_subcommand("puzzles", "loops to be written as kernels: the list, and the next one")
      ->callback([&exit_code] { exit_code = do_puzzles(); });
  Steps steps(*learn, o, exit_code);
  steps.add_checks();
  steps.add_help();
  steps.add_questions();
  steps.add_reset();
  learn->add_subcommand("progress", "what you have done so far, and where it is kept")->callback([&exit_code] {
    exit_code = show_progress();
  });
  learn->callback([o, learn, &exit_code] {
    if (learn->get_subcommands().empty()) exit_code = act(*o);
  });
}

const cli::Part part(0, "tilescope learn", "lessons: predict, run, see why, mend; begin here", add_learn_command);

}  // namespace

}  // namespace tl::lessons
