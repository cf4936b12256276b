// Files that the program reads: regular ones, and none larger than its reader expects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tl {

constexpr std::uintmax_t most_text_bytes = 16 << 20;  // of a kernel, a list, a file of settings

// A regular file, open for reading; a device, a pipe or a folder is not even opened, as that may wait or do something.
class RegularFile {
 public:
  // Throws Error: "NAME cannot be read: it is a folder", and `fix`; the name is the quoted path where none is given.
  explicit RegularFile(const std::filesystem::path& path, std::uintmax_t most_bytes = most_text_bytes,
                       const std::string& fix = "give the path of a file", std::string name = "");
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;

  int descriptor() const { return file_; }
  std::uintmax_t bytes() const { return bytes_; }
  std::string read();  // all of it; throws Error likewise, also where it has grown too large meanwhile

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::uintmax_t most_bytes_, bytes_ = 0;
  std::string fix_, name_;
  int file_ = -1;
};

std::string read_regular_file(const std::filesystem::path& path, std::uintmax_t most_bytes = most_text_bytes,
                              const std::string& fix = "give the path of a file", const std::string& name = "");
// The same for a file that may be missing: nothing where it cannot be read.
std::optional<std::string> regular_file_if_any(const std::filesystem::path& path,
                                               std::uintmax_t most_bytes = most_text_bytes);

}  // namespace tl
