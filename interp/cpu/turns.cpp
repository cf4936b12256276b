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
    all_ended_.wait(lock, [&] { return live_ == 0; });
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
  if (--live_ == 0) all_ended_.notify_all();
  hand_on();
}

void Turns::hand_on() {
  if (waiting_.empty()) return;
  Waiting* const next = waiting_.front();
  waiting_.pop_front();
  next->has_come = true;
  next->turn.notify_one();
}

bool Turns::begins_another() {
  if (next_ >= programs_ || live_ >= at_once_ || is_over_) return false;
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

Turns::Passed Turns::pass(std::int64_t writes) {
  std::unique_lock lock(mutex_);
  passes_ = writes == seen_writes ? passes_ + 1 : 0;
  seen_writes = writes;
  if (waiting_.empty() && next_ >= programs_) return Passed::alone;
  if (passes_ > rounds_of_the_stuck() * live_) return Passed::stuck;
  Waiting me;
  waiting_.push_back(&me);
  if (!begins_another()) hand_on();
  me.turn.wait(lock, [&] { return me.has_come; });
  if (is_over_) throw Abandoned();
  return Passed::to_others;
}

}  // namespace tl::cpu
