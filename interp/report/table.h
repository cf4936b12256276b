// A table in plain text: the first column to the left, the others to the right, as wide as they need.
#pragma once

#include <string>
#include <vector>

namespace tl::report {

struct Table {
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::size_t> left = {0};  // columns aligned to the left
  // Ends with a newline; `indent` spaces before each line.
  std::string text(int indent = 2) const;
};

}  // namespace tl::report
