// A name in a folder that does not outlive the program: a file that is not whole yet, a folder of intermediate files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tl {

// Chooses a free name and creates nothing. A file of that name is removed with the object, and by SIGINT, SIGTERM,
// SIGHUP or SIGPIPE where nothing else handles them.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& folder);  // throws OutputError where it cannot be opened
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;

  int folder() const { return folder_; }  // its descriptor, for openat and its kin
  const char* name() const { return name_; }
  void keep() { is_kept_ = true; }  // it has another name now

 private:
  int folder_ = -1, slot_ = -1;
  char name_[32] = {};
  bool is_kept_ = false;
};

// Removes all unfinished files. For a signal handler that ends the program: takes no lock and no memory.
void remove_unfinished();

// Removes a file, or a folder with all that is in it; takes no lock and no memory either.
void remove_entry(int folder, const char* name);

// A private folder in TMPDIR, by default /tmp, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  Unfinished entry_;
  std::filesystem::path path_;
};

}  // namespace tl
