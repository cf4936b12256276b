#include "interp/cpu/turns.h"

#include <system_error>

namespace tl::cpu {

namespace {
thread_local std::int64_t seen_writes = 0;  // of the program under way, when it last passed
}

void Turns::run_all() {
  {
    std::unique_lock lock(mutex_);
    ++live_;
    work(lock);
    turn_changed_.wait(lock, [&] { return live_ == 0; });
  }
  for (std::thread& t : threads_) t.join();
}

void Turns::work(std::unique_lock<std::mutex>& lock) {
  while (next_ < programs_ && !is_over_) {
    const std::int64_t i = next_++;
    seen_writes = 0;
    lock.unlock();
    bool goes_on = true;
    try {
      goes_on = run_(i);
    } catch (const Abandoned&) {
      lock.lock();
      break;
    }
    lock.lock();
    passes_ = 0;
    if (!goes_on) is_over_ = true;
  }
  --live_;
  hand_on();
}

void Turns::hand_on() {
  turn_ = waiting_.empty() ? -1 : waiting_.front();
  if (!waiting_.empty()) waiting_.pop_front();
  turn_changed_.notify_all();
}

bool Turns::begins_another() {
  if (next_ >= programs_ || live_ >= most_at_once || is_over_) return false;
  try {
    threads_.emplace_back([this] {
      std::unique_lock lock(mutex_);
      work(lock);
    });
  } catch (const std::system_error&) {  // as many threads as there can be; a browser has none
    return false;
  }
  ++live_;
  passes_ = 0;
  return true;
}

void Turns::wait(std::unique_lock<std::mutex>& lock, std::int64_t ticket) {
  turn_changed_.wait(lock, [&] { return turn_ == ticket; });
}

Turns::Passed Turns::pass(std::int64_t writes) {
  std::unique_lock lock(mutex_);
  passes_ = writes == seen_writes ? passes_ + 1 : 0;
  seen_writes = writes;
  if (waiting_.empty() && next_ >= programs_) return Passed::alone;
  if (passes_ > rounds_of_the_stuck * static_cast<std::int64_t>(live_)) return Passed::stuck;
  const std::int64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  if (begins_another()) turn_ = -1;
  else hand_on();
  wait(lock, ticket);
  if (is_over_) throw Abandoned();
  return Passed::to_others;
}

}  // namespace tl::cpu
