#include "tests/window/x_server.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

XServer::XServer() {
  if (std::system("command -v Xvfb >/dev/null") != 0) {
    why_not_ = "Xvfb is not installed (package xvfb)";
    return;
  }
  if (std::system("command -v xdotool >/dev/null") != 0) {
    why_not_ = "xdotool is not installed (package xdotool)";
    return;
  }
  int ends[2];
  if (pipe(ends) != 0) {
    why_not_ = "no pipe";
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    execlp("Xvfb", "Xvfb", "-displayfd", std::to_string(ends[1]).c_str(), "-screen", "0", "1280x800x24", "-noreset",
           "-nolisten", "tcp", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string number;
  for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) number += c;
  close(ends[0]);
  if (number.empty()) {
    why_not_ = "Xvfb does not start";
    return;
  }
  setenv("DISPLAY", (":" + number).c_str(), 1);
}

XServer::~XServer() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

void XServer::send(const std::string& events) const {
  if (std::system(("xdotool " + events).c_str()) != 0) throw std::runtime_error("xdotool " + events + " failed");
}
