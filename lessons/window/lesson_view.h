// The lesson beside the kernel: the list with its progress, the text, the prediction and what the run says.
#pragma once

#include "lessons/window/rich_text.h"
#include "lessons/window/workbench.h"
#include "viz/panels/view.h"

namespace tl::lessons {

class LessonView : public viz::View {
 public:
  explicit LessonView(Workbench& bench) : bench_(bench) {}
  const char* name() const override { return "Lesson"; }
  bool needs_recording() const override { return false; }
  void draw(viz::Workspace& workspace) override;
  std::string text(viz::Workspace& workspace) override;

 private:
  void draw_list(viz::Workspace& workspace);
  void draw_notes(viz::Workspace& workspace);
  void draw_prediction(viz::Workspace& workspace);
  std::optional<std::string> draw_guess(viz::Workspace& workspace, const Prediction& prediction, std::string& guess,
                                        const char* label, bool takes_focus = false);
  void scroll_to_answer(int question);
  void draw_questions(viz::Workspace& workspace, bool before, const TextActions& actions);

  Workbench& bench_;
  const Lesson* shown_ = nullptr;  // another one begins at its top
  std::string guess_;
  std::vector<std::string> guesses_;  // at the further questions
  std::optional<int> awaited_;        // what was answered last, a question by number or -1, the prediction
  int frames_to_focus_ = 0;           // panes that appear take the focus first
};

}  // namespace tl::lessons
