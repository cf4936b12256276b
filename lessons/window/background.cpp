#include "lessons/window/background.h"

#include <utility>

namespace tl::lessons {

Background::Background(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    wants_end_ = true;
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void Background::start(const std::string& what, Job job) {
  {
    const std::lock_guard lock(mutex_);
    ++number_;
    job_ = std::move(job);
    outcome_.reset();
    stop_ = true;  // the running job's
    what_ = what;
    is_busy_ = true;
    since_ = std::chrono::steady_clock::now();
  }
  asked_.notify_one();
}

void Background::stop() { stop_ = true; }

void Background::drop() {
  const std::lock_guard lock(mutex_);
  ++number_;
  job_.reset();
  outcome_.reset();
  stop_ = true;
  is_busy_ = false;
}

void Background::tell(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (!job_) what_ = what;
  }
  wake_();
}

bool Background::deliver() {
  std::optional<Outcome> outcome;
  {
    const std::lock_guard lock(mutex_);
    outcome = std::exchange(outcome_, std::nullopt);
    if (outcome) is_busy_ = false;
  }
  if (outcome) (*outcome)();
  return outcome.has_value();
}

bool Background::is_busy() const {
  const std::lock_guard lock(mutex_);
  return is_busy_;
}

std::string Background::what() const {
  const std::lock_guard lock(mutex_);
  return what_;
}

double Background::seconds() const {
  const std::lock_guard lock(mutex_);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
}

void Background::work() {
  while (true) {
    Job job;
    int number = 0;
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [&] { return job_ || wants_end_; });
      if (wants_end_) return;
      job = *std::exchange(job_, std::nullopt);
      number = number_;
      stop_ = false;
    }
    Outcome outcome = job(stop_);
    {
      const std::lock_guard lock(mutex_);
      if (number != number_) continue;  // a later request replaced it
      outcome_ = std::move(outcome);
    }
    wake_();
  }
}

}  // namespace tl::lessons
