// A word of a command that a shell reads.
#pragma once

#include <string>

namespace tl {

inline std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace tl
