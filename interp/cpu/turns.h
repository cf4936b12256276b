// Programs that wait for each other, one at a time: a program that polls gives its turn to the others, and those that
// have not begun begin then, as many as the chip holds. Here each has a thread, and one of them runs.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tl::cpu {

class Turns {
 public:
  // Thrown through a program that another one's fault ends.
  struct Abandoned {};

  // `run(i)` runs the i-th program to its end, on the thread that calls it; false: no other is to run.
  // At most `at_once` of them are under way.
  Turns(std::int64_t programs, std::int64_t at_once, std::function<bool(std::int64_t)> run)
      : programs_(programs), at_once_(at_once), run_(std::move(run)) {}
  void run_all();

  // For a program that polls, with how often it has written so far. Returns when it is its turn again. `stuck`: all
  // that run wait, and for many rounds none of them has written.
  enum class Passed : unsigned char { to_others, alone, stuck };
  Passed pass(std::int64_t writes);
  std::int64_t not_begun() const { return programs_ - next_; }  // of the program whose turn it is

 private:
  // How often a program passes in vain before all are called stuck: fewer times where many wait.
  std::int64_t rounds_of_the_stuck() const { return std::clamp<std::int64_t>(4'000 / live_, 2, 300); }

  struct Waiting {  // its turn comes by a signal of its own: waking all of thousands would take seconds
    std::condition_variable turn;
    bool has_come = false;
  };

  void work(std::unique_lock<std::mutex>&);  // begins programs until none is left
  void hand_on();                            // to the program that has waited longest
  bool begins_another();

  const std::int64_t programs_, at_once_;
  const std::function<bool(std::int64_t)> run_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::deque<Waiting*> waiting_;  // the longest first
  std::int64_t next_ = 0;
  std::int64_t passes_ = 0;  // since something last changed
  std::int64_t live_ = 0;    // threads that have a program under way
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tl::cpu
