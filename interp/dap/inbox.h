// Reads the client's requests on a thread of its own, so that `pause` and `disconnect` reach work that is under way.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <thread>

#include "interp/dap/protocol.h"

namespace tl::dap {

class Inbox {
 public:
  explicit Inbox(std::istream& in);
  ~Inbox();  // waits for the input to end, or for `disconnect`, after which nothing is read
  Inbox(const Inbox&) = delete;

  // The next message; none at the end. Throws Error in place of a damaged one.
  std::optional<Json> next();
  // True from when a message that ends work is read until `next` returns it.
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  struct Item {
    Json message;
    std::optional<Error> damage;
    bool ends_work = false;
  };
  void read_all(std::istream& in);
  void put(Item item);

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Item> items_;
  bool is_closed_ = false;
  std::atomic<bool> stop_{false};
  std::thread reader_;
};

}  // namespace tl::dap
