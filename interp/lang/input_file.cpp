#include "interp/lang/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interp/lang/error.h"

namespace tl {

namespace {

// "" for a regular file.
const char* kind_of(const struct stat& s) {
  switch (s.st_mode & S_IFMT) {
    case S_IFREG: return "";
    case S_IFDIR: return "it is a folder";
    case S_IFIFO: return "it is a pipe";
    case S_IFSOCK: return "it is a socket";
    default: return "it is a device";
  }
}

std::string size_text(std::uintmax_t bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + units[unit];
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& path, std::uintmax_t most_bytes, const std::string& fix,
                         std::string name)
    : most_bytes_(most_bytes), fix_(fix), name_(name.empty() ? '"' + path.string() + '"' : std::move(name)) {
  struct stat s{};
  const auto require_regular = [&](bool known) {
    if (!known) refuse(std::strerror(errno));
    if (const char* kind = kind_of(s); *kind) refuse(kind);
  };
  require_regular(stat(path.c_str(), &s) == 0);
  file_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  try {
    require_regular(file_ >= 0 && fstat(file_, &s) == 0);  // checked again: the name may lead to another file by now
    bytes_ = static_cast<std::uintmax_t>(s.st_size);
    if (bytes_ > most_bytes)
      refuse("it has " + std::to_string(bytes_) + " bytes, and at most " + size_text(most_bytes) + " are read");
  } catch (...) {
    if (file_ >= 0) close(file_);
    throw;
  }
}

RegularFile::~RegularFile() { close(file_); }

std::string RegularFile::read() {
  std::string text;
  for (std::size_t size = std::max<std::size_t>(bytes_ + 1, 4096);; size = text.size() * 2) {  // /proc's files tell 0
    const std::size_t before = text.size();
    text.resize(static_cast<std::size_t>(std::min<std::uintmax_t>(size, most_bytes_ + 1)));
    std::size_t end = before;
    while (end < text.size()) {
      const ssize_t n = ::read(file_, text.data() + end, text.size() - end);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse(std::strerror(errno));
      if (n == 0) return text.resize(end), text;
      end += static_cast<std::size_t>(n);
    }
    if (end > most_bytes_) refuse("it has more than " + size_text(most_bytes_));
  }
}

void RegularFile::refuse(const std::string& why) const { throw Error(name_ + " cannot be read: " + why, fix_); }

std::string read_regular_file(const std::filesystem::path& path, std::uintmax_t most_bytes, const std::string& fix,
                              const std::string& name) {
  return RegularFile(path, most_bytes, fix, name).read();
}

std::optional<std::string> regular_file_if_any(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  try {
    return RegularFile(path, most_bytes).read();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace tl
