// One slow job at a time beside the window's thread; its outcome is handed over between two frames.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tl::lessons {

class Background {
 public:
  using Outcome = std::function<void()>;                              // called by deliver()
  using Job = std::function<Outcome(const std::atomic<bool>& stop)>;  // called beside; ends early when `stop` is set

  explicit Background(std::function<void()> wake);  // called from the other thread: something is new
  ~Background();                                    // stops the job and waits for it
  Background(const Background&) = delete;

  // `what`: checking your kernel. A job under way is stopped, its outcome dropped.
  void start(const std::string& what, Job job);
  void stop();                         // the outcome still comes: that it was stopped
  void drop();                         // the outcome is not wanted any more
  void tell(const std::string& what);  // from the job: its progress
  bool deliver();                      // in the window's thread; whether there was something
  bool is_busy() const;
  std::string what() const;
  double seconds() const;  // since it was asked for

 private:
  void work();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::optional<Job> job_;
  std::optional<Outcome> outcome_;
  std::string what_;
  int number_ = 0;  // of the latest request; outcomes of others are dropped
  std::chrono::steady_clock::time_point since_;
  std::atomic<bool> stop_ = false;
  bool is_busy_ = false, wants_end_ = false;
  std::thread thread_;
};

}  // namespace tl::lessons
