// The Triton kernels that ours were written after, line by line where they can: what a window shows beside them.
#pragma once

#include <string_view>

namespace tl::kernels {

// Of `kernels/add.h`, as compilers report it too: kernels/triton/add.py. "": there is none.
std::string_view triton_original(std::string_view source_path);

}  // namespace tl::kernels
