// The commands that a lesson's text names, as window and terminal carry them out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// As a shell splits them: quotes, and a \ at a line's end.
std::vector<std::string> words_of(const std::string& command);
// Whether the window can do it: tilescope and a command, nothing left open by "...", nothing that asks at a terminal.
bool is_command(const std::string& text);
// What opens in the panels instead of a terminal: tilescope debug KERNEL name=value, tilescope view KERNEL --panel
// order.
std::optional<Picture> picture_of(const std::string& command);

}  // namespace tl::lessons
