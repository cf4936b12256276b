#include "lessons/window/learn_window.h"

#include "lessons/window/kernel_view.h"
#include "lessons/window/lesson_view.h"
#include "viz/scene/default_moment.h"
#include "viz/scene/story.h"

namespace tl::lessons {

LearnWindow::LearnWindow(viz::GlfwWindow& window, viz::Preferences preferences, const CheckOptions& options)
    : window_(window) {
  Workbench::Hooks hooks;
  hooks.wake = [] { viz::GlfwWindow::wake(); };
  hooks.close_picture = [this] { wants_close_ = true; };  // panels may be in the middle of drawing it
  hooks.open_picture = [this](const Picture& picture) {
    app_->workspace().keep_beside(false);
    app_->open(viz::RecordRequest{picture.kernel, picture.settings, 0});
    if (!picture.compare.empty()) app_->play_beside(picture.compare);
    if (!picture.panel.empty()) app_->show(picture.panel);
    awaited_ = picture;
    generation_before_ = app_->workspace().generation;
  };
  hooks.open_recording = [this](Workbench::Hooks::Recording recording) { show_recording(std::move(recording)); };
  bench_ = std::make_unique<Workbench>(std::move(hooks), options);
  std::vector<std::unique_ptr<viz::View>> views;
  views.push_back(std::make_unique<LessonView>(*bench_));
  views.push_back(std::make_unique<KernelView>(*bench_));
  preferences.preset = "Lesson";
  app_ = std::make_unique<viz::App>(window, std::move(preferences), std::move(views));
  app_->repeat_by([this] { bench_->check(); });
  using viz::control;
  app_->add("Lesson: save and check", {{'S', control}},
            [this] { bench_->is_modified() || !bench_->watches ? bench_->check() : bench_->save(); });
  app_->add("Lesson: hint", {}, [this] { bench_->hint(); });
  app_->add("Lesson: solution", {}, [this] { bench_->solution(); });
  app_->add("Lesson: step through my kernel", {}, [this] { bench_->show_own(); });
  app_->add("Lesson: its picture", {}, [this] { bench_->show_picture(); });
  app_->add("Lesson: open my kernel in my editor", {{'E', control}}, [this] { bench_->edit_elsewhere(); });
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list)
      app_->add((lesson.is_puzzle() ? "Puzzle " : "Lesson ") + std::to_string(lesson.number()) + ": " + lesson.name(),
                {}, [this, &lesson] { bench_->open(lesson); });
}

void LearnWindow::frame() {
  if (std::exchange(wants_close_, false)) {
    awaited_.reset();
    app_->close();
  }
  if (std::exchange(read_, &bench_->lesson()) != &bench_->lesson()) begin_lesson();
  if (bench_->text != lettered_) need_glyphs_of(lettered_ = bench_->text);
  if (bench_->poll()) app_->redraw();
  app_->frame();
  if (awaited_ && app_->workspace().generation != generation_before_) go_to_picture();
}

// Its text may be in any language.
void LearnWindow::begin_lesson() {
  app_->set_empty_text(read_->is_puzzle()
                           ? "a check shows your own kernel here"
                           : "the lesson's picture comes with your prediction; a check shows your own kernel here");
  need_glyphs_of(read_->page("README.md", Language::cpp) + read_->page("questions.md", Language::cpp) +
                 read_->page("messages.txt", Language::cpp));
}

void LearnWindow::need_glyphs_of(const std::string& text) {
  if (const std::string advice = window_.need_glyphs_of(text); !advice.empty()) bench_->add_note(advice);
}

// Shows the kernel in the lesson's picture, where this run has it. A newer run of the same kernel stays at the moment
// that was shown.
void LearnWindow::show_recording(Workbench::Hooks::Recording recording) {
  awaited_.reset();
  // After the marked line was mended, the whole picture is shown again.
  const bool was_at_fault =
      fault_moment_ && app_->workspace().debugger && app_->workspace().debugger->session().now() == *fault_moment_;
  fault_moment_.reset();
  if (was_at_fault && recording.line == 0) recording.is_newer = false;
  recording.is_newer ? app_->replace(std::move(recording.trace), recording.title)
                     : app_->open(std::move(recording.trace), recording.title);
  app_->workspace().model = recording.model;
  const std::string& panel = bench_->lesson().picture.panel;
  viz::Scene scene = app_->workspace().scene({});
  const viz::Panel* const picture = viz::find_panel(panel);  // none: the chip plays no recording
  const bool is_there = picture && picture->missing(scene).empty();
  const bool had_picture = std::exchange(had_picture_, is_there);
  if (recording.is_newer && (had_picture || !had_picture_)) return;
  debug::Session& session = app_->workspace().debugger->session();
  const viz::Story story = viz::story_of(session, app_->workspace().findings);
  debug::Moment moment = is_there ? viz::default_moment(session, panel, "") : story.moment;
  const auto& steps = session.trace().programs[moment.program].steps;
  for (std::uint32_t s = 0; s < steps.size(); ++s)
    if (recording.line > 0 && steps[s].site.line == recording.line && steps[s].access >= 0) {
      moment.step = s + 1;
      fault_moment_ = moment;
    }  // the marked line's load or store
  session.go(moment);
  app_->show(is_there ? panel : story.panel);
}

// A picture is looked at where it shows something: not before the first op.
void LearnWindow::go_to_picture() {
  const Picture picture = *std::exchange(awaited_, std::nullopt);
  if (picture.panel.empty() || !app_->workspace().debugger) return;
  debug::Session& session = app_->workspace().debugger->session();
  session.go(viz::default_moment(session, picture.panel, picture.program));
  app_->redraw();
}

}  // namespace tl::lessons
