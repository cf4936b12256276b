// Colours, where the reader is a terminal that wants them.
#pragma once

#include <string>
#include <string_view>

namespace tl::debug {

enum class Color : unsigned char { bold, faint, red, green, yellow, blue, cyan };

struct Paint {
  bool is_on = false;
  std::string operator()(Color color, std::string_view text) const {
    static constexpr const char* codes[] = {"1", "2", "31", "32", "33", "34", "36"};
    if (!is_on) return std::string(text);
    return "\033[" + std::string(codes[static_cast<int>(color)]) + "m" + std::string(text) + "\033[0m";
  }
};

}  // namespace tl::debug
