// Only regular files below a size are read; nothing else is even opened.
#include "interp/lang/input_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/lang/unfinished.h"

namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, std::uintmax_t most = 100) {
  try {
    tl::read_regular_file(path, most, "", "it");
    return "none";
  } catch (const tl::Error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a regular file is read whole, through a link as well") {
  const tl::TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  tl::write_file(folder.path() / "file", bytes);
  fs::create_symlink("file", folder.path() / "link");
  CHECK(tl::read_regular_file(folder.path() / "link") == bytes);
  CHECK(tl::read_regular_file("/proc/self/status").starts_with("Name:"));  // one whose size is told as 0
  CHECK(tl::regular_file_if_any(folder.path() / "none") == std::nullopt);
}

TEST_CASE("devices, pipes, folders, and links to them are refused without waiting") {
  const tl::TemporaryFolder folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder.path() / "to_pipe");
  fs::create_symlink("/dev/zero", folder.path() / "to_zero");
  CHECK(refusal("/dev/zero") == "it cannot be read: it is a device");
  CHECK(refusal(folder.path() / "to_zero") == "it cannot be read: it is a device");
  CHECK(refusal(folder.path() / "to_pipe") == "it cannot be read: it is a pipe");
  CHECK(refusal(folder.path()) == "it cannot be read: it is a folder");
  CHECK(refusal(folder.path() / "none") == "it cannot be read: No such file or directory");
}

TEST_CASE("a file larger than its reader expects is refused with both sizes") {
  const tl::TemporaryFolder folder;
  tl::write_file(folder.path() / "file", std::string(1024, 'x'));
  CHECK(tl::read_regular_file(folder.path() / "file", 1024).size() == 1024);
  CHECK(truncate((folder.path() / "file").c_str(), std::int64_t{1} << 40) == 0);
  CHECK(refusal(folder.path() / "file", 1024) ==
        "it cannot be read: it has 1099511627776 bytes, and at most 1 KiB are read");
  CHECK(refusal("/proc/self/status", 16) == "it cannot be read: it has more than 16 bytes");
}
