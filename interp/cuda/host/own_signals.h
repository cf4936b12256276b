// Keeps Ctrl-C and SIGTERM for this program while NVRTC compiles. NVRTC's front end installs handlers of its own, which
// would call exit(4) in the middle of any work, or wait for its own locks.
#pragma once

#include <array>
#include <csignal>
#include <stop_token>
#include <thread>

namespace tl::cuda {

// While one lives, these signals are blocked in this thread, and a thread of its own receives them and runs the
// handlers that were there before.
class OwnSignals {
 public:
  OwnSignals();
  ~OwnSignals();
  OwnSignals(const OwnSignals&) = delete;

 private:
  static constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP};
  void receive(const std::stop_token& end) const;

  std::array<struct sigaction, 3> own_{};
  sigset_t all_{}, before_{};
  std::jthread receiver_;
};

}  // namespace tl::cuda
