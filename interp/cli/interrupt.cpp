#include "interp/cli/interrupt.h"

#include <signal.h>

namespace tl::cli {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

}  // namespace

const std::atomic<bool>& stop_requested() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { stop = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    return true;
  }();
  (void)installed;
  return stop;
}

}  // namespace tl::cli
