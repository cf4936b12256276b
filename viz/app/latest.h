// A thread that answers requests. A new request cancels the one under way, whose answer is dropped.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tl::viz {

template <class Request, class Answer>
class Latest {
 public:
  using Post = std::function<void(Answer)>;  // may be called several times: better answers replace earlier ones
  using Work = std::function<void(const Request&, const std::atomic<bool>& stop, const Post&)>;

  // `wake` is called from the thread when there is an answer.
  Latest(Work work, std::function<void()> wake)
      : work_(std::move(work)), wake_(std::move(wake)), thread_([this] { run(); }) {}
  Latest(const Latest&) = delete;
  ~Latest() {
    {
      const std::lock_guard lock(mutex_);
      wants_end_ = true;
      stop_ = true;
    }
    has_request_.notify_one();
    thread_.join();
  }

  void ask(Request request) {
    {
      const std::lock_guard lock(mutex_);
      request_ = std::move(request);
      answer_.reset();
      stop_ = true;
      is_busy_ = true;
      since_ = std::chrono::steady_clock::now();
    }
    has_request_.notify_one();
  }
  // Ends the work soon; its result so far is the answer.
  void stop() { stop_ = true; }
  // Drops a waiting request and an answer that was not taken.
  void forget() {
    const std::lock_guard lock(mutex_);
    request_.reset();
    answer_.reset();
    stop_ = true;
    is_busy_ = is_working_;  // a request that nobody had taken up yet is gone
    ++discarded_;
  }
  bool is_busy() const { return is_busy_; }
  bool is_stopping() const { return is_busy_ && stop_; }
  // Neither at work nor with an answer that nobody took.
  bool is_done() const {
    const std::lock_guard lock(mutex_);
    return !is_busy_ && !answer_;
  }
  double busy_seconds() const {
    const std::lock_guard lock(mutex_);
    return is_busy_ ? std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count() : 0;
  }
  std::optional<Answer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answer_, std::nullopt);
  }

 private:
  void run() {
    while (true) {
      std::optional<Request> request;
      std::uint64_t discarded = 0;
      {
        std::unique_lock lock(mutex_);
        has_request_.wait(lock, [&] { return request_ || wants_end_; });
        if (wants_end_) return;
        request = std::exchange(request_, std::nullopt);
        stop_ = false;
        is_working_ = true;
        discarded = discarded_;
      }
      work_(*request, stop_, [&](Answer answer) {
        {
          const std::lock_guard lock(mutex_);
          if (request_ || wants_end_ || discarded != discarded_) return;
          answer_ = std::move(answer);
        }
        wake_();
      });
      {
        const std::lock_guard lock(mutex_);
        is_working_ = false;
        is_busy_ = request_.has_value();
      }
      wake_();  // it is done, says the status line
    }
  }

  Work work_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable has_request_;
  std::optional<Request> request_;
  std::optional<Answer> answer_;
  std::atomic<bool> stop_ = false, is_busy_ = false;
  bool wants_end_ = false, is_working_ = false;
  std::uint64_t discarded_ = 0;
  std::chrono::steady_clock::time_point since_;
  std::thread thread_;
};

}  // namespace tl::viz
