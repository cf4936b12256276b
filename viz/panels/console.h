// The debugger's own commands, typed: terminal and window share one moment.
#pragma once

#include "viz/panels/view.h"

namespace tl::viz {

class ConsoleView : public View {
 public:
  const char* name() const override { return "Console"; }
  void draw(Workspace& workspace) override;
  std::string text(Workspace& workspace) override;

 private:
  friend struct ConsoleInput;
  std::string line_;
  int history_at_ = -1;  // of the history, while arrow keys walk it
  std::size_t shown_ = 0;
};

}  // namespace tl::viz
