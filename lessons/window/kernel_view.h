// The learner's kernel: its text to edit, the steps of the lesson as buttons, and what the last one had to say.
#pragma once

#include "lessons/window/edit_history.h"
#include "lessons/window/workbench.h"
#include "viz/panels/view.h"

namespace tl::lessons {

class KernelView : public viz::View {
 public:
  explicit KernelView(Workbench& bench) : bench_(bench) {}
  const char* name() const override { return "Kernel"; }
  bool needs_recording() const override { return false; }
  void draw(viz::Workspace& workspace) override;
  std::string text(viz::Workspace& workspace) override;

 private:
  friend struct Typing;
  void draw_steps(viz::Workspace& workspace);
  void draw_conflict(viz::Workspace& workspace);
  void draw_editor(viz::Workspace& workspace, float height);
  void draw_text(viz::Workspace& workspace, ImVec2 at, float gutter);
  void draw_cursor(viz::Workspace& workspace, ImVec2 at);
  void draw_page(viz::Workspace& workspace);
  void ask_before_reset();

  Workbench& bench_;
  int cursor_line_ = 0, last_cursor_ = -1, last_length_ = -1;
  EditHistory history_;
  int text_seen_ = -1;   // by its generation: one that came from elsewhere begins a new history
  int shown_page_ = -1;  // its line was scrolled to
  bool wants_reset_ = false;
};

}  // namespace tl::lessons
