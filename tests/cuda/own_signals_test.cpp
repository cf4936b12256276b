// Signals while NVRTC compiles: whoever had them before still has them.
#include "interp/cuda/host/own_signals.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<int> ours, theirs;

}  // namespace

TEST_CASE("signals: during a compilation they reach the program's own handler, whatever NVRTC installs") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    ours = theirs = 0;
    const auto before = std::signal(number, [](int) { ++ours; });
    {
      const tl::cuda::OwnSignals own_signals;
      void (*const intruder)(int) = [](int) { ++theirs; };
      std::signal(number, intruder);
      struct sigaction now{};
      do sigaction(number, nullptr, &now);
      while (now.sa_handler == intruder);
      kill(getpid(), number);
      while (ours + theirs == 0) std::this_thread::yield();
    }
    CHECK(theirs == 0);
    CHECK(ours == 1);
    raise(number);  // afterwards too
    CHECK(ours == 2);
    std::signal(number, before);
  }
}
