// Variables that outlive a program: static ones, and those outside of every function. On a GPU programs run side by
// side, and none may leave anything to another.
#pragma once

#include <optional>
#include <string>

#include "interp/hostcc/finding.h"

namespace tl::lessons {

// `library`: the compiled kernel's bytes; `text`: the kernel. What is constant stays out.
std::optional<hostcc::Finding> lasting_variable(const std::string& library, const std::string& text);

}  // namespace tl::lessons
