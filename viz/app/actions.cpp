#include "viz/app/actions.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace tl::viz {

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string key_text(const KeyPress& key) {
  std::string text;
  if (key.modifiers & control) text += "Ctrl+";
  if (key.modifiers & alt) text += "Alt+";
  if (key.modifiers & shift) text += "Shift+";
  switch (key.key) {
    case key_escape: return text + "Esc";
    case key_enter: return text + "Enter";
    case key_tab: return text + "Tab";
    case key_backspace: return text + "Backspace";
    case key_space: return text + "Space";
    case key_left: return text + "Left";
    case key_right: return text + "Right";
    case key_up: return text + "Up";
    case key_down: return text + "Down";
    case key_home: return text + "Home";
    case key_end: return text + "End";
    case key_page_up: return text + "PageUp";
    case key_page_down: return text + "PageDown";
    default: break;
  }
  if (key.key >= key_f1 && key.key < key_f1 + 12) return text + "F" + std::to_string(key.key - key_f1 + 1);
  const char sign = static_cast<char>(key.key);
  return text + (key.modifiers == 0 ? static_cast<char>(std::tolower(sign)) : sign);
}

std::vector<const Action*> matching(const std::vector<Action>& actions, const std::string& query) {
  std::istringstream in(lower(query));
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  std::vector<const Action*> found;
  for (const Action& action : actions) {
    const std::string title = lower(action.title);
    if (std::ranges::all_of(words, [&](const std::string& w) { return title.find(w) != std::string::npos; }))
      found.push_back(&action);
  }
  std::stable_partition(found.begin(), found.end(),
                        [&](const Action* a) { return lower(a->title).starts_with(lower(query)); });
  return found;
}

}  // namespace tl::viz
