#include "lessons/window/file_watch.h"

#include <chrono>
#include <utility>

#include "lessons/runner/files.h"

namespace tl::lessons {

namespace fs = std::filesystem;

FileWatch::FileWatch(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    wants_end_ = true;
  }
  moved_.notify_one();
  thread_.join();
}

void FileWatch::watch(const fs::path& file) {
  {
    const std::lock_guard lock(mutex_);
    file_ = file;
    seen_ = stamp_of(file);
    has_changed_ = false;
  }
  moved_.notify_one();
}

bool FileWatch::take_change() { return has_changed_.exchange(false); }

void FileWatch::work() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  bool is_settling = false;
  while (!wants_end_) {
    if (const auto now = stamp_of(file_); now != seen_) {
      seen_ = now;
      is_settling = true;
    } else if (is_settling) {
      is_settling = false;
      has_changed_ = true;
      wake_();
    }
    moved_.wait_for(lock, is_settling ? 50ms : 150ms);
  }
}

}  // namespace tl::lessons
