// tilescope learn, where there is a display.
#include <fmt/format.h>

#include "lessons/terminal/window_entry.h"
#include "lessons/window/learn_window.h"

namespace tl::lessons {

namespace {

int learn_in_window(const Lesson& lesson) {
  std::string warning;
  const viz::Preferences preferences = viz::load_preferences(viz::preferences_file(), warning);
  if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
  viz::GlfwWindow window({.title = "tilescope: lessons"});
  LearnWindow learn(window, preferences);
  learn.open(lesson);
  while (!window.should_close()) {
    if (learn.needs_frame()) window.poll_events();
    else window.wait_events(learn.seconds_to_sleep());
    learn.frame();
    window.present();
  }
  learn.app().keep_layout();
  viz::Preferences kept = learn.app().preferences();
  kept.preset = preferences.preset;  // `tilescope view` opens as it was left
  if (const std::string failed = viz::save_preferences(kept, viz::preferences_file()); !failed.empty())
    fmt::print(stderr, "{}\n", failed);
  return 0;
}

[[maybe_unused]] const bool is_registered = (window_entry() = learn_in_window, true);

}  // namespace

}  // namespace tl::lessons
