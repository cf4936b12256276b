// A kernel's file and the kernel in it, as one word: relu.h, softmax.py:softmax_kernel.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tl {

// softmax.py, of softmax.py:softmax_kernel.
inline std::string file_in(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return std::string(word.substr(0, word.find(':', slash == word.npos ? 0 : slash)));
}
// softmax_kernel; "" where none is said.
inline std::string kernel_in(std::string_view word) {
  return std::string(word.substr(std::min(word.size(), file_in(word).size() + 1)));
}
// <ipython-input-3>, <string>: Python's names of texts without a file.
inline bool is_python(std::string_view file) { return file.ends_with(".py") || file.starts_with('<'); }

}  // namespace tl
