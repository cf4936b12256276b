// The lessons in the window: its panels, and what they ask of the window.
#pragma once

#include "lessons/window/workbench.h"
#include "viz/app/app.h"

namespace tl::lessons {

// One window with a lesson beside its kernel; the tests drive it frame by frame.
class LearnWindow {
 public:
  LearnWindow(viz::GlfwWindow& window, viz::Preferences preferences, const CheckOptions& options = {});
  void open(const Lesson& lesson) { bench_->open(lesson); }
  void frame();
  bool needs_frame() const { return app_->needs_frame(); }
  double seconds_to_sleep() const { return bench_->is_busy() ? 0.25 : app_->seconds_to_sleep(); }
  bool is_busy() const { return bench_->is_busy() || app_->is_busy(); }
  Workbench& bench() { return *bench_; }
  viz::App& app() { return *app_; }

 private:
  void show_recording(Workbench::Hooks::Recording recording);
  void go_to_picture();

  void begin_lesson();
  void need_glyphs_of(const std::string& text);

  viz::GlfwWindow& window_;
  std::unique_ptr<Workbench> bench_;
  std::unique_ptr<viz::App> app_;
  const Lesson* read_ = nullptr;    // whose text the fonts have
  std::string lettered_;            // the learner's text, as the fonts have it
  bool wants_close_ = false;        // before the next frame
  std::optional<Picture> awaited_;  // until its recording is there
  std::uint64_t generation_before_ = 0;
  std::optional<debug::Moment> fault_moment_;  // of the marked line, where the panels were sent
  bool had_picture_ =
      true;  // of the learner's own kernel: the recording before could be drawn as the lesson draws its own
};

}  // namespace tl::lessons
