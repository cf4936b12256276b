// What the window can do by name: one list for keys, the command palette and the help page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "viz/app/glfw_window.h"

namespace tl::viz {

struct Action {
  std::string title;  // Step over
  std::vector<KeyPress> keys;
  std::function<void()> run;
  bool is_letter = false;  // its first key works only while no text field has the focus
};

std::string key_text(const KeyPress& key);  // Shift+F10
// Case-insensitive: every word of `query` occurs in the title. Best first: those that begin with it.
std::vector<const Action*> matching(const std::vector<Action>& actions, const std::string& query);

}  // namespace tl::viz
