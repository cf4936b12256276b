#include "lessons/window/workbench.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/hostcc/child.h"
#include "interp/lang/error.h"
#include "interp/lang/unfinished.h"
#include "interp/trace/file.h"
#include "lessons/runner/command_words.h"
#include "lessons/runner/files.h"
#include "lessons/runner/line_plans.h"
#include "lessons/runner/pages.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/texts.h"
#include "lessons/window/editor.h"
#include "viz/scene/scene_case.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

constexpr report::Paint paint{true};

// The schedule on a GPU, which most pictures show. Null without one: a run that failed before it loaded
// anything.
std::shared_ptr<const viz::ModelRun> model_of(const trace::RecordedTrace& trace, machine::LinePlans plans) {
  try {
    auto run = std::make_shared<viz::ModelRun>(viz::model_of(trace, "h200"));
    run->plans.push_back(std::move(plans));
    return run;
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

Workbench::Workbench(Hooks hooks, CheckOptions options)
    : hooks_(std::move(hooks)),
      options_(std::move(options)),
      file_watch_(hooks_.wake),
      progress_watch_(hooks_.wake),
      background_(hooks_.wake) {
  guarded([&] { note_progress(load_progress()); });
}

bool Workbench::poll() {
  const bool has_outcome = background_.deliver(), file_changed = file_watch_.take_change(),
             progress_changed = progress_watch_.take_change();
  if (file_changed) reload_file();
  if (progress_changed)
    guarded([&] { note_progress(load_progress()); });  // by another copy of the program, or this one
  return has_outcome || file_changed || progress_changed;
}

void Workbench::open(const Lesson& lesson) {
  background_.drop();
  lesson_ = &lesson;
  answer_.reset();
  guess_.clear();
  questions_.clear();
  answered_.clear();
  guarded([&] { questions_ = questions_of(lesson, options_); });
  report_.reset();
  conflict_.reset();
  set_page("");
  text =
      lesson.starter(language());  // stays where the file cannot be made: it is not lost, and saved when there is room
  saved_ = checked_ = "";
  ++text_generation_;
  shown_trial_ = -1;
  hooks_.close_picture();
  guarded([&] { note_progress(change_progress(lesson, [](LessonProgress&) {})); });
  guarded([&] {
    file_ = kernel_file(lesson);
    file_ = started_kernel_file(lesson);
    file_watch_.watch(file_);
    text = saved_ = read_file(file_);
    progress_watch_.watch(progress_file());
  });
  // After an earlier prediction the answer and the picture are shown at once; else they appear with the prediction.
  if (const std::string before = progress_.of(lesson).prediction; !before.empty() && lesson.prediction.answer)
    predict(before);
}

void Workbench::start(const std::string& what, Background::Job job) {
  background_.start(what, [this, job = std::move(job)](const std::atomic<bool>& stop) -> Background::Outcome {
    try {
      return job(stop);
    } catch (const Error& e) {
      return [this, e] { set_page(e); };
    } catch (const std::exception& e) {
      return [this, text = std::string(e.what())] { set_page(Error(text, "")); };
    }
  });
}

void Workbench::predict(const std::string& guess) {
  start("running the kernel in question",
        [this, guess, &lesson = *lesson_](const std::atomic<bool>&) -> Background::Outcome {
          return [this, guess, &lesson, answer = lesson.prediction.answer()] {
            answer_ = answer;
            guess_ = guess;
            if (!guess.empty())
              guarded([&] { note_progress(keep_prediction(lesson, guess, is_right(answer, guess))); });
            if (shown_trial_ < 0) show_picture();
          };
        });
}

void Workbench::ask(std::size_t number, const std::string& guess) {
  start("running what the question is about",
        [this, number, guess, question = questions_.at(number)](const std::atomic<bool>&) -> Background::Outcome {
          return [this, number, answered = Answered{question.prediction.answer(), guess}] {
            answered_[number] = answered;
            if (!questions_.at(number).figure.empty() && has_passed()) show_report();
          };
        });
}

void Workbench::show(std::size_t number) {
  start("running what the question is about",
        [this, number, whole = questions_.at(number).whole](const std::atomic<bool>&) -> Background::Outcome {
          return [this, number, question = whole()] { questions_.at(number) = question; };
        });
}

const Workbench::Answered* Workbench::answered(std::size_t number) const {
  const auto it = answered_.find(number);
  return it == answered_.end() ? nullptr : &it->second;
}

void Workbench::check() {
  if (is_modified()) {
    try {
      write_text();
    } catch (const Error& e) {
      return set_page(e);
    } catch (const fs::filesystem_error& e) {
      return set_page(Error(e.what(), "check the folder's rights"));
    }
  }
  start("compiling your kernel",
        [this, &lesson = *lesson_, file = file_, text = text](const std::atomic<bool>& stop) -> Background::Outcome {
          CheckOptions options = options_;
          options.file = file;
          options.stop = &stop;
          options.begins = [this](const std::string& sizes) { background_.tell("checking your kernel at " + sizes); };
          const Report report = lessons::check(lesson, options);
          return [this, report, text] {
            checked_ = text;
            take_report(report);
          };
        });
}

void Workbench::take_report(Report report) {
  report_ = std::move(report);
  asks_first_ = report_->ok() && !progress_.of(*lesson_).passed;
  guarded([&] { note_progress(keep_check(*lesson_, report_->ok())); });
  show_report();
  if (report_->ran) record(report_->ok() ? 0 : static_cast<int>(report_->passed.size()));
}

// A kernel that passes for the first time is asked about before its score is told.
void Workbench::show_report() {
  bool is_asked = false;
  for (std::size_t i = 0; i < questions_.size(); ++i) is_asked |= !questions_[i].figure.empty() && !answered(i);
  Report shown = *report_;
  if (asks_first_ && is_asked) shown.score = {};
  set_page(report_text(*lesson_, shown, file_, paint) +
           (asks_first_ && is_asked ? "Its score comes with your answer to the question about your kernel.\n" : ""));
}

void Workbench::show_own() {
  record(report_ && report_->ran && !report_->ok() ? static_cast<int>(report_->passed.size()) : 0);
}

void Workbench::record(int trial) {
  start("recording your kernel",
        [this, trial, &lesson = *lesson_, file = file_](const std::atomic<bool>& stop) -> Background::Outcome {
          CheckOptions options = options_;
          options.file = file;
          options.stop = &stop;
          const TemporaryFolder folder;
          const fs::path kept = folder.path() / "kernel.tltrace";
          record_kernel(lesson, options, trial, kept);
          auto trace = std::make_shared<trace::RecordedTrace>(trace::load(kept.string()));
          machine::LinePlans plans = load_plans(kept.string() + ".plans");
          return [this, trace, trial, model = model_of(*trace, std::move(plans))] {
            hooks_.open_recording({std::move(*trace), "your kernel", trial == shown_trial_, marked_line(), model});
            shown_trial_ = trial;
          };
        });
}

void Workbench::hint() {
  const int there_are = static_cast<int>(read_hints(lesson_->page("hints.md", language())).hints.size()),
            number = std::min(progress_.of(*lesson_).hints + 1, there_are);
  std::string all;
  for (int i = 1; i <= number; ++i) all += hint_text(*lesson_, i, paint) + "\n";
  set_page(all);
  guarded([&] { note_progress(keep_hint(*lesson_, there_are)); });
}

void Workbench::solution() {
  guarded([&] { note_progress(keep_solution_seen(*lesson_)); });
  set_page(solution_text(*lesson_, paint));
}

void Workbench::reset() {
  guarded([&] {
    const fs::path kept = reset_kernel_file(*lesson_);
    saved_ = text = read_file(file_);
    conflict_.reset();
    ++text_generation_;
    set_page(kept.empty() ? "This is the starter already.\n"
                          : fmt::format("The starter is back; your text is kept as {}\n", short_path(kept)));
    report_.reset();
  });
}

void Workbench::edit_elsewhere() {
  guarded([&] {
    if (is_modified()) save();
    set_page(
        fmt::format("{} opens {}.\nSave it there and it is checked here.\n", open_in_editor(file_), short_path(file_)));
  });
}

void Workbench::show_picture() {
  if (lesson_->picture.kernel.empty()) return show_own();  // a puzzle's picture is of the learner's kernel
  shown_trial_ = -1;
  hooks_.open_picture(lesson_->picture);
}

void Workbench::run(const std::string& command) {
  if (const auto picture = picture_of(command)) {  // debug and view: here, in the panels
    shown_trial_ = -1;
    guarded([&] { hooks_.open_picture(*picture); });
    return;
  }
  std::vector<std::string> words = words_of(command);
  start(command, [this, words, command](const std::atomic<bool>& stop) mutable -> Background::Outcome {
    words.front() = options_.program.empty() ? fs::read_symlink("/proc/self/exe").string() : options_.program;
    const hostcc::ChildResult r =
        hostcc::run_child(words, learners_folder(), "", {.seconds = 600, .cpu_seconds = 1200, .stop = &stop});
    return [this, command, r] {
      set_page(paint.dim("$ " + command) + "\n" + r.out + r.err + (r.stopped ? "stopped\n" : ""));
    };
  });
}

bool Workbench::can_show(const std::string& path) const { return !link_text(path).empty(); }

std::string Workbench::link_text(const std::string& path) const {
  return path.starts_with("../../")            ? std::string(text_of(path.substr(6)))
         : path.find('/') == std::string::npos ? lesson_->text(path)
                                               : "";
}

void Workbench::show_file(const std::string& path) { set_page(paint.dim(path) + "\n" + link_text(path)); }

void Workbench::save() {
  if (!is_modified() && !has_conflict()) return watches ? check() : void();
  guarded([&] {
    write_text();
    if (watches) check();
  });
}

// If the file was changed by another program, its text is kept beside it, so that Ctrl+S loses nothing.
void Workbench::write_text() {
  if (conflict_)
    notes_.push_back(fmt::format("The file was changed elsewhere; that text is kept as {}",
                                 short_path(keep_aside(file_, "elsewhere", *conflict_))));
  conflict_.reset();
  write_file(file_, text);
  saved_ = text;
}

// After a change on disk: by another program, or by save() itself.
void Workbench::reload_file() {
  guarded([&] {
    std::error_code error;
    if (!fs::exists(file_, error))
      throw Error(short_path(file_) + " is gone", "Ctrl+S writes it again from the text here");
    const std::string now = read_file(file_);
    if (now == saved_) return;
    if (is_modified() && now != text) {
      conflict_ = now;
      return;
    }
    text = saved_ = now;
    ++text_generation_;
    if (watches) check();
  });
}

void Workbench::take_file() {
  text = saved_ = conflict_.value_or(saved_);
  conflict_.reset();
  ++text_generation_;
  if (watches) check();
}

int Workbench::marked_line() const {
  return report_ && report_->finding && text == checked_ ? report_->finding->line : 0;
}

std::string Workbench::busy_text() const {
  return fmt::format("{} ... {:.0f} s", background_.what(), background_.seconds());
}

void Workbench::guarded(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    note(e);
  } catch (const fs::filesystem_error& e) {
    note(Error(e.what(), "check the folder's rights, and that the disk is not full"));
  }
}

void Workbench::note(const Error& error) {
  add_note(std::string(error.what()) + (error.fix.empty() ? "" : "\n" + error.fix));
}

void Workbench::add_note(const std::string& text) {
  if (!std::ranges::count(notes_, text)) notes_.push_back(text);
}

void Workbench::note_progress(Progress progress) {
  for (const std::string& line : progress.notes) notes_.push_back(line);
  progress_ = std::move(progress);
}

void Workbench::set_page(const Error& e) {
  set_page(paint.bad(e.what()) + "\n" + (e.fix.empty() ? "" : "    " + paint.hint("fix:") + " " + e.fix + "\n"));
}

void Workbench::set_page(std::string page) {
  page_ = std::move(page);
  ++page_generation_;
}

}  // namespace tl::lessons
