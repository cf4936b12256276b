#include "interp/cuda/host/own_interrupt.h"

#include <chrono>

namespace tl::cuda {

namespace {

// Of the first of several compilations at once: a later one would find NVRTC's.
std::mutex shared;
int compilations = 0;
struct sigaction before {};

}  // namespace

OwnInterrupt::OwnInterrupt() {
  {
    const std::lock_guard lock(shared);
    if (compilations++ == 0) sigaction(SIGINT, nullptr, &before);
    own_ = before;
  }
  keeper_ = std::thread([this] {
    std::unique_lock waiting(mutex_);
    do sigaction(SIGINT, &own_, nullptr);
    while (!end_.wait_for(waiting, std::chrono::milliseconds(1), [this] { return is_done_; }));
  });
}

OwnInterrupt::~OwnInterrupt() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  end_.notify_one();
  keeper_.join();
  sigaction(SIGINT, &own_, nullptr);
  const std::lock_guard lock(shared);
  --compilations;
}

}  // namespace tl::cuda
