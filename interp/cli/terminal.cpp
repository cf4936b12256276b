#include "interp/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace tl::cli {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool has_colours(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && !(no_color && *no_color) && term && std::string_view(term) != "dumb";
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
