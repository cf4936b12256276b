#include "interp/lang/text.h"

#include <algorithm>
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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  return nearest(name, names, std::max<std::size_t>(2, name.size() / 2));  // beyond that it is a guess
}

std::string nearest(std::string_view name, const std::vector<std::string>& names, std::size_t most) {
  const auto lower = [](std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  std::string best;
  std::size_t below = most + 1;
  for (const std::string& candidate : names)
    if (const std::size_t d = edit_distance(lower(name), lower(candidate)); d < below) {
      below = d;
      best = candidate;
    }
  return best;
}

std::string short_name(const std::string& qualified) { return qualified.substr(qualified.rfind(':') + 1); }

std::string_view project_path(std::string_view reported) {
  for (const std::string_view folder : {"kernels/", "lessons/", "interp/"})
    if (const auto at = reported.rfind(folder); at != std::string_view::npos && (at == 0 || reported[at - 1] == '/'))
      return reported.substr(at);
  return reported;
}

}  // namespace tl
