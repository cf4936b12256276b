// The first bytes of every trace. As in PNG: no text file begins so, and a transfer that mangles line ends shows.
#pragma once

#include <string_view>

namespace tl::trace {

inline constexpr std::string_view file_magic("\x89TLT\r\n\x1a\n", 8);

}  // namespace tl::trace
