// The built program at a terminal, as a person has it: what it shows is waited for, never a time.
#pragma once

#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/cli/run_program.h"

// A chroot without /dev/pts has none; it is said once.
inline bool no_terminal() {
  static const bool none = [] {
    int ours = -1, theirs = -1;
    if (openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) {
      MESSAGE("skipped: no pseudo-terminal can be opened: " << std::strerror(errno));
      return true;
    }
    close(ours);
    close(theirs);
    return false;
  }();
  return none;
}

class Terminal {
 public:
  explicit Terminal(const std::string& arguments) {
    pid_ = forkpty(&fd_, nullptr, nullptr, nullptr);
    if (pid_ != 0) return;
    setenv("HOME", folder_.path.c_str(), 1);
    setenv("TERM", "xterm", 1);
    if (chdir(folder_.path.c_str()) == 0)
      execl("/bin/sh", "sh", "-c", ("exec '" TILESCOPE_PROGRAM "' " + arguments).c_str(), nullptr);
    _exit(127);
  }
  ~Terminal() {
    close(fd_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Terminal(const Terminal&) = delete;

  void type(const std::string& keys) { (void)!write(fd_, keys.data(), keys.size()); }
  // True when `text` has been shown since the last `sees`; false when the program ends without, or hangs.
  bool sees(const std::string& text) {
    while (true) {
      if (const std::size_t at = shown_.find(text, seen_); at != std::string::npos)
        return seen_ = at + text.size(), true;
      if (!read_more(hang_ms)) return false;
    }
  }
  int exit_code() {
    while (read_more(hang_ms)) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string& shown() const { return shown_; }

 private:
  static constexpr int hang_ms = 120'000;

  bool read_more(int ms) {
    pollfd p{fd_, POLLIN, 0};
    char bytes[4096];
    if (poll(&p, 1, ms) <= 0) return false;
    const ssize_t n = read(fd_, bytes, sizeof bytes);
    if (n > 0) shown_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  EmptyFolder folder_;
  int fd_ = -1;
  pid_t pid_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};
