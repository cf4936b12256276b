// What all parts do with texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

// Without the white space around it.
std::string trimmed(std::string_view text);

// Its lines, without their ends.
std::vector<std::string> lines_of(const std::string& text);

// kernels/add.h, of ../kernels/add.h or /home/me/tilescope/kernels/add.h, however the compiler was told to find it;
// what follows stays.
std::string_view project_path(std::string_view reported);

}  // namespace tl
