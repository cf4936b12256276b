// The copy of a kernel's text that the host compiler sees: names, functions and blocks are declared to who observes.
#pragma once

#include <string>
#include <string_view>

namespace tl::text {

// Behind each declaration stands a call that gives the name, at the beginning of each body an object that marks where
// it begins and ends (interp/cpu/names.h). What the author wrote keeps its line and column, and `file` is what
// compilers call it: where something follows on a line, the line is begun again. Unfinished text comes back as it is,
// but for its name.
std::string declared(const std::string& file, const std::string& text);

}  // namespace tl::text
