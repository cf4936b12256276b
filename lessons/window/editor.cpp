#include "lessons/window/editor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <vector>

#include "interp/hostcc/child.h"
#include "interp/lang/error.h"

namespace tl::lessons {

namespace {

bool needs_terminal(const std::string& command) {
  static constexpr std::array names{"vi",    "vim", "nvim", "nano",   "pico", "micro",    "hx",
                                    "helix", "kak", "joe",  "mcedit", "ed",   "emacs-nox"};
  const std::string name = std::filesystem::path(command).filename().string();
  return std::ranges::any_of(names, [&](const char* n) { return name == n; });
}

// Two forks: the editor belongs to nobody here, and outlives the window.
void start(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw Error("no process for " + words.front(), "close some programs");
  if (child == 0) {
    setsid();
    if (const int nothing = open("/dev/null", O_RDWR); nothing >= 0)
      for (const int fd : {0, 1, 2}) dup2(nothing, fd);
    if (fork() == 0) execvp(argv[0], argv.data());
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

std::string open_in_editor(const std::filesystem::path& file) {
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    const char* value = std::getenv(variable);
    std::istringstream in(value ? value : "");
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (words.empty() || hostcc::in_path(words.front()).empty()) continue;
    if (needs_terminal(words.front())) {
      if (hostcc::in_path("x-terminal-emulator").empty()) continue;
      words.insert(words.begin(), {"x-terminal-emulator", "-e"});
    }
    words.push_back(file.string());
    start(words);
    return words.front();
  }
  if (hostcc::in_path("xdg-open").empty())
    throw Error("there is no editor to open: " + file.string(),
                "set VISUAL to one with a window of its own, such as gedit or `code`, or edit the text here");
  start({"xdg-open", file.string()});
  return "xdg-open";
}

}  // namespace tl::lessons
