// Fixed splits with draggable splitters, tabs in each pane: where the panels of a preset stand. Pure arithmetic; knows
// no ImGui.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tl::viz {

struct Box {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(float px, float py) const { return px >= x && px < x + width && py >= y && py < y + height; }
};

struct Pane {
  std::vector<std::string> tabs;  // panels' names
  int active = 0;
  bool is_chosen =
      false;  // by the reader, for the kernel that is open: then it stays, even where it has nothing to show
  Box box;    // set by Layout::place
};

struct Splitter {
  bool is_upright = true;  // between left and right
  float ratio = 0.5f;      // of the first part
  Box box;                 // what the mouse grabs
  Box whole;               // what it splits
};

// A binary tree of splits, flattened: panes and splitters in the order of a walk.
class Layout {
 public:
  static const std::vector<std::string>& preset_names();  // Debug, Schedule, Compare, Chip, Lesson
  explicit Layout(const std::string& preset);             // throws Error for an unknown name

  const std::string& preset() const { return preset_; }
  void place(Box whole, float splitter_width);
  std::vector<Pane>& panes() { return panes_; }
  const std::vector<Pane>& panes() const { return panes_; }
  std::vector<Splitter>& splitters() { return splitters_; }
  void drag(Splitter& splitter, float x, float y);  // the pointer is there; neither part falls below a tenth
  // Brings a panel's tab to the front; false when the preset has no such panel.
  bool show(const std::string& panel);
  // The same for a kernel that was opened, by itself: not in a pane whose panel the reader chose.
  void suggest(const std::string& panel);
  // The panel that was brought to the front last: keys go to it, and it is the only one where there is room for no
  // more.
  const std::string& front() const { return front_.empty() ? panes_.front().tabs.front() : front_; }
  void set_front(const std::string& panel) { front_ = panel; }  // one that is shown

 private:
  struct Node {
    int pane = -1, splitter = -1;
    std::unique_ptr<Node> first, second;
  };
  static std::unique_ptr<Node> leaf(Layout& layout, std::vector<std::string> tabs);
  static std::unique_ptr<Node> split(Layout& layout, bool is_upright, float ratio, std::unique_ptr<Node> first,
                                     std::unique_ptr<Node> second);
  void place(const Node& node, Box box, float splitter_width);

  std::string preset_, front_;
  std::vector<Pane> panes_;
  std::vector<Splitter> splitters_;
  std::unique_ptr<Node> root_;
};

}  // namespace tl::viz
