// The state of the lessons' window: the lesson, the prediction, the kernel's text and its last check. No ImGui; slow
// work runs in another thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/trace/recorded.h"
#include "lessons/runner/check.h"
#include "lessons/runner/progress.h"
#include "lessons/runner/questions.h"
#include "lessons/window/background.h"
#include "lessons/window/file_watch.h"
#include "viz/model/model_run.h"

namespace tl::lessons {

class Workbench {
 public:
  struct Hooks {
    std::function<void()> wake = [] {};           // from any thread: draw a frame
    std::function<void()> close_picture = [] {};  // another lesson begins: what the panels show is not its own
    std::function<void(const Picture&)> open_picture = [](const Picture&) {};
    // The learner's own kernel. `is_newer`: the panels show an older recording of it at the same trial.
    struct Recording {
      trace::RecordedTrace trace;
      std::string title;
      bool is_newer = false;
      int line = 0;  // that the check has marked
      std::shared_ptr<const viz::ModelRun> model =
          {};  // of the same run, with registers guessed: it is not compiled for a GPU here
    };
    std::function<void(Recording)> open_recording = [](Recording) {};
  };
  explicit Workbench(Hooks hooks, CheckOptions options = {});  // of the options: program, seconds, gpu

  bool poll();  // between two frames: takes what the other threads have; whether there was something

  // The lesson.
  void open(const Lesson& lesson);
  const Lesson& lesson() const { return *lesson_; }
  const Progress& progress() const { return progress_; }
  const std::vector<std::string>& notes() const { return notes_; }
  void add_note(const std::string& text);
  void forget_notes() { notes_.clear(); }

  // The prediction. "": none, show the answer.
  void predict(const std::string& guess);
  const std::optional<Answer>& answer() const { return answer_; }
  const std::string& guess() const { return guess_; }

  // The lesson's further questions, by number, and those that were answered.
  const std::vector<Question>& questions() const { return questions_; }
  void ask(std::size_t number, const std::string& guess);  // "": show the answer
  void show(std::size_t number);                           // the run that a question is about
  struct Answered {
    Answer answer;
    std::string guess;
  };
  const Answered* answered(std::size_t number) const;

  // The kernel's text, as it is being edited here; the file may be edited elsewhere at the same time.
  std::string text;
  const std::filesystem::path& file() const { return file_; }
  bool is_modified() const { return text != saved_; }
  bool has_conflict() const { return conflict_.has_value(); }  // the file changed, and the text here as well
  void take_file();                                            // gives up the text here
  void save();  // the text here becomes the file; then checks when it watches
  int text_generation() const { return text_generation_; }  // counts texts that came from elsewhere
  bool watches = true;                                      // checks whenever the file is saved

  // The steps. What they have to say stands in `page`, in a terminal's colours.
  void check();
  void hint();
  void solution();
  void reset();  // the caller has asked for confirmation
  void edit_elsewhere();
  void show_picture();
  void show_own();                       // records the kernel, at the trial that failed
  void run(const std::string& command);  // tilescope bench add: a command of the lesson's text, its output on the page
  void show_file(const std::string& path);  // a link of the lesson's text: solution.py
  bool can_show(const std::string& path) const;
  const std::string& page() const { return page_; }
  int page_generation() const { return page_generation_; }
  const std::optional<Report>& report() const { return report_; }
  bool has_passed() const { return report_ && report_->ok() && text == checked_; }  // the text that stands here
  // The finding's line while the text is still the one that was checked; 0: none.
  int marked_line() const;

  bool is_busy() const { return background_.is_busy(); }
  double busy_seconds() const { return background_.seconds(); }
  std::string busy_text() const;
  void stop() { background_.stop(); }

 private:
  void start(const std::string& what, Background::Job job);
  void guarded(const std::function<void()>& action);  // an Error becomes a note
  void note(const Error& error);                      // above the lesson: what concerns the files
  void set_page(const Error& error);                  // beside the kernel: what a step met
  void note_progress(Progress progress);
  void set_page(std::string page);
  void take_report(Report report);
  void show_report();
  void record(int trial);
  void write_text();
  void reload_file();
  std::string link_text(const std::string& path) const;

  Hooks hooks_;
  CheckOptions options_;
  const Lesson* lesson_ = nullptr;
  Progress progress_;
  std::vector<std::string> notes_;
  std::optional<Answer> answer_;
  std::string guess_;
  std::vector<Question> questions_;
  std::map<std::size_t, Answered> answered_;
  std::filesystem::path file_;
  std::string saved_, checked_;  // the file's text as last seen; the one that the report is about
  std::optional<std::string> conflict_;
  int text_generation_ = 0, page_generation_ = 0;
  std::optional<Report> report_;
  bool asks_first_ = false;  // it passed for the first time
  std::string page_;
  int shown_trial_ = -1;  // at which the panels show the learner's kernel; -1: they show something else
  FileWatch file_watch_, progress_watch_;
  Background background_;  // last: its thread ends before the rest goes
};

}  // namespace tl::lessons
