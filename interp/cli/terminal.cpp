#include "interp/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tl::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool has_colours(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && !(no_color && *no_color) && term && std::string_view(term) != "dumb";
}

int columns_of(std::FILE* stream) {
  winsize size{};
  const bool known = is_terminal(stream) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::clamp<int>(size.ws_col, 40, 160) : 80;
}

std::string wrapped(const std::string& text, int columns) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (!line.empty() && line.size() + 1 + (end - at) > static_cast<std::size_t>(columns)) out += line + "\n", line.clear();
    line += (line.empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  return out + line;
}

std::string Paint::wrap(const char* code, std::string_view text) const {
  std::string out;
  if (on) out.append("\x1b[").append(code).append("m");
  out.append(text);
  if (on) out.append("\x1b[0m");
  return out;
}

void Progress::show(const std::string& text) {
  if (!on_) return;
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tl::cli
