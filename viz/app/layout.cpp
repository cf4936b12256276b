#include "viz/app/layout.h"

#include <algorithm>
#include <cmath>

#include "interp/lang/error.h"

namespace tl::viz {

std::unique_ptr<Layout::Node> Layout::leaf(Layout& layout, std::vector<std::string> tabs) {
  auto node = std::make_unique<Node>();
  node->pane = static_cast<int>(layout.panes_.size());
  layout.panes_.push_back({std::move(tabs), 0, false, {}});
  return node;
}

std::unique_ptr<Layout::Node> Layout::split(Layout& layout, bool is_upright, float ratio, std::unique_ptr<Node> first,
                                            std::unique_ptr<Node> second) {
  auto node = std::make_unique<Node>();
  node->splitter = static_cast<int>(layout.splitters_.size());
  layout.splitters_.push_back({is_upright, ratio, {}, {}});
  node->first = std::move(first);
  node->second = std::move(second);
  return node;
}

const std::vector<std::string>& Layout::preset_names() {
  static const std::vector<std::string> names = {"Debug", "Schedule", "Compare", "Chip", "Lesson"};
  return names;
}

Layout::Layout(const std::string& preset) : preset_(preset) {
  // Statements, not nested calls: the order of panes must not be the compiler's.
  if (preset == "Lesson") {
    auto lesson = leaf(*this, {"Lesson"});
    auto kernel = leaf(*this, {"Kernel", "Source", "Console"});
    auto picture = leaf(*this, {"Block", "Offsets", "Mask", "Matmul", "Softmax", "Attention", "Random", "Order", "Chip",
                                "Memory", "Grid", "Coalesce", "Banks", "Limits", "Tuning"});
    auto right = split(*this, false, 0.38f, std::move(kernel), std::move(picture));
    root_ = split(*this, true, 0.38f, std::move(lesson), std::move(right));
    return;
  }
  if (preset == "Chip") {  // which is wide and high
    auto text = leaf(*this, {"Source", "Console"});
    auto chip = leaf(*this, {"Chip"});
    root_ = split(*this, true, 0.28f, std::move(text), std::move(chip));
    return;
  }
  if (preset == "Schedule") {  // the order of programs, and what it does to the chip
    auto order =
        leaf(*this, {"Order", "Grid", "Source", "Console"});  // a kernel without blocks in an order has its grid
    auto chip = leaf(*this, {"Chip", "Timeline", "Limits", "Tuning", "Code", "Memory", "Coalesce", "Banks"});
    root_ = split(*this, true, 0.42f, std::move(order), std::move(chip));
    return;
  }
  auto source = leaf(*this, {"Source"});
  auto console = leaf(*this, {"Console"});
  auto left = split(*this, false, 0.62f, std::move(source), std::move(console));
  float left_share = 0.42f;
  std::unique_ptr<Node> right;
  if (preset == "Debug") {
    right = leaf(*this, {"Offsets", "Mask", "Matmul", "Softmax", "Attention", "Order", "Memory", "Block", "Grid",
                         "Coalesce", "Banks", "Random", "Code"});
  } else if (preset == "Compare") {
    left_share = 0.38f;
    auto upper = leaf(*this, {"Compare"});
    auto lower = leaf(*this, {"Memory", "Block", "Grid"});
    right = split(*this, false, 0.55f, std::move(upper), std::move(lower));
  } else {
    throw Error("there is no preset \"" + preset + "\"", "choose Debug, Schedule, Compare, Chip or Lesson");
  }
  root_ = split(*this, true, left_share, std::move(left), std::move(right));
}

void Layout::place(Box whole, float splitter_width) { place(*root_, whole, splitter_width); }

void Layout::place(const Node& node, Box box, float splitter_width) {
  if (node.pane >= 0) {
    panes_[node.pane].box = box;
    return;
  }
  Splitter& s = splitters_[node.splitter];
  s.whole = box;
  Box a = box, b = box;
  if (s.is_upright) {
    a.width = std::floor((box.width - splitter_width) * s.ratio);
    s.box = {box.x + a.width, box.y, splitter_width, box.height};
    b.x = s.box.x + splitter_width;
    b.width = box.x + box.width - b.x;
  } else {
    a.height = std::floor((box.height - splitter_width) * s.ratio);
    s.box = {box.x, box.y + a.height, box.width, splitter_width};
    b.y = s.box.y + splitter_width;
    b.height = box.y + box.height - b.y;
  }
  place(*node.first, a, splitter_width);
  place(*node.second, b, splitter_width);
}

void Layout::drag(Splitter& splitter, float x, float y) {
  const float share = splitter.is_upright ? (x - splitter.whole.x) / splitter.whole.width
                                          : (y - splitter.whole.y) / splitter.whole.height;
  splitter.ratio = std::clamp(share, 0.1f, 0.9f);
}

bool Layout::show(const std::string& panel) {
  for (Pane& pane : panes_)
    for (std::size_t i = 0; i < pane.tabs.size(); ++i)
      if (pane.tabs[i] == panel) {
        pane.active = static_cast<int>(i);
        pane.is_chosen = true;
        front_ = panel;
        return true;
      }
  return false;
}

void Layout::suggest(const std::string& panel) {
  for (Pane& pane : panes_) {
    const auto tab = std::ranges::find(pane.tabs, panel);
    if (tab != pane.tabs.end() && !pane.is_chosen) pane.active = static_cast<int>(tab - pane.tabs.begin());
  }
}

}  // namespace tl::viz
