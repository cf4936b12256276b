// An X server of the test's own, without a screen, and real key and mouse events in it.
#pragma once

#include <string>

class XServer {
 public:
  XServer();  // starts Xvfb on a free display and points DISPLAY at it
  ~XServer();
  const std::string& why_not() const { return why_not_; }  // "": it runs
  // xdotool's arguments, such as "mousemove 10 20 click 1" or "key shift+F10".
  void send(const std::string& events) const;

 private:
  int pid_ = -1;
  std::string why_not_;
};
