// Opens a file in the user's own editor, beside the window.
#pragma once

#include <filesystem>
#include <string>

namespace tl::lessons {

// $VISUAL or $EDITOR, in a terminal of its own where it needs one; else what the desktop opens such files with.
// Returns what was started; throws Error where there is nothing to start.
std::string open_in_editor(const std::filesystem::path& file);

}  // namespace tl::lessons
