// Programs that wait for each other, one at a time: a program that polls gives its turn to the others, and those that
// have not begun begin then. A GPU holds many at once; here each has a thread, and one of them runs.
#pragma once

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
  Turns(std::int64_t programs, std::function<bool(std::int64_t)> run) : programs_(programs), run_(std::move(run)) {}
  void run_all();

  // For a program that polls, with how often it has written so far. Returns when it is its turn again. `stuck`: all
  // that run wait, and for many rounds none of them has written.
  enum class Passed : unsigned char { to_others, alone, stuck };
  Passed pass(std::int64_t writes);

 private:
  static constexpr std::size_t most_at_once = 512;
  static constexpr std::int64_t rounds_of_the_stuck = 300;

  void work(std::unique_lock<std::mutex>&);  // begins programs until none is left
  void hand_on();                            // to the program that has waited longest
  bool begins_another();
  void wait(std::unique_lock<std::mutex>&, std::int64_t ticket);

  const std::int64_t programs_;
  const std::function<bool(std::int64_t)> run_;
  std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::deque<std::int64_t> waiting_;  // tickets
  std::int64_t next_ = 0, next_ticket_ = 0, turn_ = -1;
  std::int64_t passes_ = 0;  // since something last changed
  std::size_t live_ = 0;     // threads that have a program under way
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tl::cpu
