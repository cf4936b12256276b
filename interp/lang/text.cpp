#include "interp/lang/text.h"

#include <cctype>
#include <sstream>

namespace tl {

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string_view project_path(std::string_view reported) {
  for (const std::string_view folder : {"kernels/", "lessons/", "interp/"})
    if (const auto at = reported.rfind(folder); at != std::string_view::npos && (at == 0 || reported[at - 1] == '/'))
      return reported.substr(at);
  return reported;
}

}  // namespace tl
