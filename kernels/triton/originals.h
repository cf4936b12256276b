// The Triton kernels that ours were written after, line by line where they can: what a window shows beside them.
#pragma once

#include <string_view>

namespace tl::kernels {

// kernels/triton/add.py for kernels/add.h, also as compilers report the path; "": it has no original.
std::string_view triton_original(std::string_view source_path);

}  // namespace tl::kernels
