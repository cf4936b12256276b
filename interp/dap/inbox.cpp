#include "interp/dap/inbox.h"

#include <algorithm>

namespace tl::dap {

Inbox::Inbox(std::istream& in) : reader_([this, &in] { read_all(in); }) {}

Inbox::~Inbox() { reader_.join(); }

void Inbox::read_all(std::istream& in) {
  bool is_last = false;
  while (!is_last) {
    Item item;
    try {
      std::optional<Json> message = read_message(in);
      if (!message) break;
      item.message = std::move(*message);
      const auto command = item.message.is_object() ? item.message.find("command") : item.message.end();
      const bool is_known = item.message.is_object() && command != item.message.end();
      is_last = is_known && *command == "disconnect";
      item.ends_work = is_last || (is_known && (*command == "pause" || *command == "terminate"));
    } catch (const Error& e) {
      item.damage = e;
    }
    put(std::move(item));
  }
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  if (!is_last) stop_ = true;  // nobody is there any more
  came_.notify_one();
}

void Inbox::put(Item item) {
  const std::lock_guard lock(mutex_);
  if (item.ends_work) stop_ = true;
  items_.push_back(std::move(item));
  came_.notify_one();
}

std::optional<Json> Inbox::next() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return is_closed_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  const Item item = std::move(items_.front());
  items_.pop_front();
  if (item.ends_work) stop_ = std::ranges::any_of(items_, &Item::ends_work);
  if (item.damage) throw Error(*item.damage);
  return item.message;
}

}  // namespace tl::dap
