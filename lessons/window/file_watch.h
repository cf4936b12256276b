// Notices that a file was saved, by whatever program: a thread looks at its time and size, and waits until an editor
// has finished writing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tl::lessons {

class FileWatch {
 public:
  explicit FileWatch(std::function<void()> wake);  // called from the other thread after a change
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;

  void watch(const std::filesystem::path& file);
  bool take_change();  // since the last call

 private:
  void work();

  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::filesystem::path file_;
  std::pair<std::filesystem::file_time_type, std::uintmax_t> seen_;
  bool wants_end_ = false;
  std::atomic<bool> has_changed_ = false;
  std::thread thread_;
};

}  // namespace tl::lessons
