// The terminal: colours where a person looks, plain text elsewhere.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

namespace tl::report {

bool is_terminal(std::FILE* stream);
// On a terminal, unless NO_COLOR is set or TERM is dumb.
bool has_colours(std::FILE* stream);

int columns_of(std::FILE* stream);  // of the terminal, 40 to 160; 80 without a terminal
// Breaks text between words into lines of at most `columns`; no newline at its end.
std::string wrapped(const std::string& text, int columns);

// Wraps text in a colour when `on`. Never the only carrier of a meaning.
struct Paint {
  bool on = false;
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string bad(std::string_view text) const { return wrap("1;31", text); }
  std::string hint(std::string_view text) const { return wrap("36", text); }

 private:
  std::string wrap(const char* code, std::string_view text) const;
};

inline Paint paint_of(std::FILE* stream) { return {has_colours(stream)}; }

// One line that replaces itself, on a terminal's stderr only, with the seconds that the work takes; erased when it goes
// out of scope.
class Progress {
 public:
  explicit Progress(std::string text = "");  // shown when a second has passed
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& text);  // at once
  void clear();

 private:
  void write();

  std::string text_;
  bool on_, shown_ = false, is_done_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Progress* outer_ = nullptr;  // waits until this one is gone
  std::condition_variable end_;
  std::thread clock_;
};

}  // namespace tl::report
