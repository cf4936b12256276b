#include "interp/cuda/host/own_signals.h"

#include <ctime>
#include <mutex>

namespace tl::cuda {

namespace {

// The handlers as they were before the first of several compilations at once: a later one would find NVRTC's.
std::mutex shared;
int compilations = 0;
std::array<struct sigaction, 3> before{};

}  // namespace

OwnSignals::OwnSignals() {
  {
    const std::lock_guard lock(shared);
    for (std::size_t i = 0; compilations == 0 && i < numbers.size(); ++i) sigaction(numbers[i], nullptr, &before[i]);
    ++compilations;
    own_ = before;
  }
  sigemptyset(&all_);
  for (const int number : numbers) sigaddset(&all_, number);
  pthread_sigmask(SIG_BLOCK, &all_, &before_);
  receiver_ = std::jthread([this](const std::stop_token& end) { receive(end); });
}

// Receives the signals unless another thread does, one of OpenMP's for example; restores our handlers for that case.
void OwnSignals::receive(const std::stop_token& end) const {
  constexpr timespec moment{0, 1'000'000};
  while (!end.stop_requested()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &own_[i], nullptr);
    const int number = sigtimedwait(&all_, nullptr, &moment);
    if (number < 0) continue;
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &own_[i], nullptr);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);  // pending in this thread until it is unblocked
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
  }
}

OwnSignals::~OwnSignals() {
  receiver_.request_stop();
  receiver_.join();
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &own_[i], nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  const std::lock_guard lock(shared);
  --compilations;
}

}  // namespace tl::cuda
