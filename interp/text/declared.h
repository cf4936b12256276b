// The copy of a kernel's text that the host compiler sees: it tells an observer of names, functions and blocks.
#pragma once

#include <string>
#include <string_view>

namespace tl::text {

// After each declaration stands a call that gives the variable's name, at the start of each body an object that marks
// its beginning and end (interp/cpu/names.h). The author's code keeps its lines and columns, under the name `file`.
// Unfinished text is returned unchanged but for a #line directive with that name.
std::string declared(const std::string& file, const std::string& text);

}  // namespace tl::text
