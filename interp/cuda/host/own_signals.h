// Ctrl-C and SIGTERM stay this program's while NVRTC compiles. Its front end takes them for itself and would end the
// program with exit(4) in the midst of whatever it does, or wait for its own locks; it asks nobody.
#pragma once

#include <array>
#include <csignal>
#include <stop_token>
#include <thread>

namespace tl::cuda {

// While one lives, a thread of its own waits for these signals, which this one does not take, and does with them what
// was to be done before.
class OwnSignals {
 public:
  OwnSignals();
  ~OwnSignals();
  OwnSignals(const OwnSignals&) = delete;

 private:
  static constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP};
  void keep(const std::stop_token& end) const;

  std::array<struct sigaction, 3> own_{};
  sigset_t all_{}, before_{};
  std::jthread keeper_;
};

}  // namespace tl::cuda
