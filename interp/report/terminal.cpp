#include "interp/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace tl::report {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

namespace {

// A terminal that knows escape codes.
bool obeys_codes(std::FILE* stream) {
  const char* const term = std::getenv("TERM");
  return is_terminal(stream) && term && *term && std::string_view(term) != "dumb";
}

}  // namespace

bool has_colours(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return obeys_codes(stream) && !(no_color && *no_color);
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
    if (!line.empty() && line.size() + 1 + (end - at) > static_cast<std::size_t>(columns)) {
      out += line + "\n";
      line.clear();
    }
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

namespace {

std::mutex progress_mutex;
Progress* innermost = nullptr;  // the one that may write

}  // namespace

Progress::Progress(std::string text) : text_(std::move(text)), on_(obeys_codes(stderr)) {
  if (!on_) return;
  const std::lock_guard lock(progress_mutex);
  outer_ = std::exchange(innermost, this);
  clock_ = std::thread([this] {
    std::unique_lock waiting(progress_mutex);
    while (!end_.wait_for(waiting, std::chrono::seconds(1), [this] { return is_done_; }))
      if (innermost == this && !text_.empty()) write();
  });
}

Progress::~Progress() {
  clear();
  if (!on_) return;
  {
    const std::lock_guard lock(progress_mutex);
    is_done_ = true;
    if (innermost == this) innermost = outer_;
  }
  end_.notify_all();
  clock_.join();
}

void Progress::write() {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_).count();
  std::string line = text_ + (seconds < 2 ? "" : ", " + std::to_string(seconds) + " s");
  line.resize(std::min(line.size(),
                       static_cast<std::size_t>(columns_of(stderr) - 1)));  // of one line, so that it can be erased
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(const std::string& text) {
  if (!on_) return;
  const std::lock_guard lock(progress_mutex);
  text_ = text;
  write();
}

void Progress::clear() {
  const std::lock_guard lock(progress_mutex);
  text_.clear();
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tl::report
