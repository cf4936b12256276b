#include "interp/run/interrupt.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "interp/hostcc/ending.h"
#include "interp/lang/unfinished.h"
#include "interp/report/exit_codes.h"

namespace tl::run {

using namespace report;

namespace {

using Second = KeepOnInterrupt::Second;

std::atomic<bool> stop{false};
std::atomic<int> active_scopes{0};
std::atomic<Second> second_one{Second::ends_program};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes them");

void on_interrupt(int signal) {
  if (active_scopes > 0 && (!stop.exchange(true) || second_one == Second::is_nothing_more)) {
    if (second_one == Second::comes_alone) alarm(2);
    return;
  }
  if (signal == SIGALRM && active_scopes == 0) return;  // it has stopped meanwhile
  constexpr std::string_view text = "\ntilescope: interrupted\n";
  remove_unfinished();
  hostcc::has_returned();
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  _exit(exit_interrupted);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGALRM, &action, nullptr);
}

KeepOnInterrupt::KeepOnInterrupt(Second second) : before_(second_one.exchange(second)) {
  if (active_scopes == 0) stop = false;
  ++active_scopes;
}

KeepOnInterrupt::~KeepOnInterrupt() {
  --active_scopes;
  alarm(0);
  second_one = before_;
}

const std::atomic<bool>& stop_requested() { return stop; }
void forget_interrupt() { stop = false; }

bool done_before_interrupt(std::function<void()> work) {
  using namespace std::chrono_literals;
  std::packaged_task<void()> task(std::move(work));
  std::future<void> result = task.get_future();
  std::thread worker(std::move(task));
  const auto is_done_in = [&](auto time) { return result.wait_for(time) == std::future_status::ready; };
  while (!is_done_in(10ms))
    if (stop && !is_done_in(200ms)) {
      worker.detach();
      return false;
    }
  worker.join();
  result.get();
  return true;
}

void leave(int exit_code) {
  // Writing to a pipe whose reader has stopped reading would block the program for ever.
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (!std::ferror(stdout) && poll(&out, 1, 0) > 0) std::fflush(stdout);
  remove_unfinished();
  hostcc::has_returned();
  _exit(exit_code);
}

int interrupted(const std::string& what) {
  std::fputs(fmt::format("tilescope: interrupted{}{}\n", what.empty() ? "" : ": ", what).c_str(), stderr);
  return exit_interrupted;
}

}  // namespace tl::run
