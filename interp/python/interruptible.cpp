#include "interp/python/interruptible.h"

#include <csignal>
#include <mutex>

namespace tl::python {

namespace {

std::atomic<bool> stop_now{false};
std::mutex mutex;
int alive = 0;  // all share one handler
struct sigaction python_has{};
bool passes_on =
    false;  // a handler of C's has Python answer; where there is none, or it is ignored, all stays as it is

void on_interrupt(int signal, siginfo_t* info, void* context) {
  stop_now = true;
  if (python_has.sa_flags & SA_SIGINFO) python_has.sa_sigaction(signal, info, context);
  else python_has.sa_handler(signal);
}

}  // namespace

Interruptible::Interruptible() {
  const std::lock_guard lock(mutex);
  if (alive++ > 0) return;
  stop_now = false;
  sigaction(SIGINT, nullptr, &python_has);
  passes_on = python_has.sa_handler != SIG_DFL && python_has.sa_handler != SIG_IGN;
  if (!passes_on) return;
  struct sigaction ours{};
  ours.sa_sigaction = on_interrupt;
  ours.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &ours, nullptr);
}

Interruptible::~Interruptible() {
  const std::lock_guard lock(mutex);
  if (--alive == 0 && passes_on) sigaction(SIGINT, &python_has, nullptr);
}

const std::atomic<bool>& Interruptible::stop() { return stop_now; }

}  // namespace tl::python
