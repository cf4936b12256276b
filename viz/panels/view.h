// One view of the workspace. A panel reads and writes the shared selection and knows no other panel.
#pragma once

#include "viz/panels/keys.h"
#include "viz/panels/workspace.h"

namespace tl::viz {

class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;
  virtual void draw(Workspace& workspace) = 0;
  virtual std::string text(Workspace& workspace) = 0;  // what "copy as text" copies
  // Why this kernel has no such picture; "": it has one, or may get one.
  virtual std::string missing(Workspace&) { return ""; }
  // A key while this panel is in front; true: the panel used it.
  virtual bool take_key(Workspace&, const KeyPress&) { return false; }
  virtual bool needs_recording() const { return true; }  // else it is drawn while nothing is open, too
};

}  // namespace tl::viz
