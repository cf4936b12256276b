// Ctrl-C stays this program's while NVRTC compiles. Its front end takes SIGINT for itself and would end the program
// with exit(4), in the midst of whatever it does; it asks nobody, so that the signal can only be taken back.
#pragma once

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

namespace tl::cuda {

class OwnInterrupt {
 public:
  OwnInterrupt();
  ~OwnInterrupt();
  OwnInterrupt(const OwnInterrupt&) = delete;

 private:
  struct sigaction own_ {};
  std::mutex mutex_;
  std::condition_variable end_;
  bool is_done_ = false;
  std::thread keeper_;
};

}  // namespace tl::cuda
