#include "interp/run/interrupt.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "interp/lang/unfinished.h"
#include "interp/report/exit_codes.h"

namespace tl::run {

using namespace report;

namespace {

std::atomic<bool> stop{false}, is_polled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes them");

void on_interrupt(int) {
  if (is_polled && !stop.exchange(true)) return;
  constexpr std::string_view text = "\ntilescope: interrupted\n";
  remove_unfinished();
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  _exit(exit_interrupted);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

const std::atomic<bool>& stop_requested() {
  static const bool installed = (catch_interrupts(), is_polled = true);
  (void)installed;
  return stop;
}

FaultError interruption() {
  Fault stopped;
  stopped.kind = FaultKind::stopped;
  return FaultError(stopped);
}

int interrupted(const std::string& what) {
  std::fputs(fmt::format("tilescope: interrupted{}{}\n", what.empty() ? "" : ": ", what).c_str(), stderr);
  return exit_interrupted;
}

}  // namespace tl::run
