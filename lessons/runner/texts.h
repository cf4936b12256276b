// The lessons' files: embedded at build time, so that the program needs no clone.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "interp/sources/sources.h"

namespace tl::lessons {

// The text of `lessons/01_copy/README.md`, or of a text in sources/; "": no such text.
std::string_view text_of(std::string_view path);
// The paths of a lesson's kernels of a kind, "wrong" or "right": lessons/01_copy/wrong/no_program_id.h
std::vector<std::string_view> kept_kernels(std::string_view folder, std::string_view kind);

}  // namespace tl::lessons
