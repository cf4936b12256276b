#include "lessons/runner/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "interp/lang/error.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path in_home(const char* xdg, const char* usual, const char* what) {
  if (const std::string folder = variable(xdg); folder.starts_with('/'))
    return folder;  // the XDG rule: relative ones are ignored
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / usual;
  throw Error(std::string("there is no home folder to keep ") + what + " in: neither " + xdg + " nor HOME is set",
              std::string("set HOME, or ") + xdg + " to a folder");
}

[[noreturn]] void cannot_write(const fs::path& file, int error) {
  if (error == ENOSPC || error == EDQUOT)
    throw Error("the disk is full: \"" + file.string() + "\" was not written, what it held is as it was",
                "make room and try again");
  throw Error("cannot write \"" + file.string() + "\": " + std::strerror(error),
              "check the folder's owner and rights, or set a folder of yours: TILESCOPE_LESSONS for the lessons, "
              "XDG_CACHE_HOME for what is compiled");
}

}  // namespace

fs::path learners_folder() {
  if (const std::string folder = variable("TILESCOPE_LESSONS"); !folder.empty()) return fs::absolute(folder);
  return in_home("XDG_DATA_HOME", ".local/share", "your kernels") / "tilescope" / "lessons";
}

fs::path cache_folder() { return in_home("XDG_CACHE_HOME", ".cache", "compiled kernels") / "tilescope" / "learn"; }

fs::path kernel_file(const Lesson& lesson) { return learners_folder() / lesson.folder / "kernel.h"; }

fs::path started_kernel_file(const Lesson& lesson) {
  const fs::path file = kernel_file(lesson);
  if (!fs::exists(file)) write_file(file, lesson.text("kernel.h"));
  return file;
}

fs::path reset_kernel_file(const Lesson& lesson) {
  const fs::path file = started_kernel_file(lesson);
  const std::string text = read_file(file);
  if (text == lesson.text("kernel.h")) return {};
  const fs::path kept = keep_aside(file, "before_reset", text);
  write_file(file, lesson.text("kernel.h"));
  return kept;
}

fs::path keep_aside(const fs::path& file, const std::string& why, const std::string& text) {
  fs::path kept;
  for (int n = 1; kept.empty() || fs::exists(kept); ++n)
    kept = file.parent_path() / (file.stem().string() + "." + why + "_" + std::to_string(n) + ".h");
  write_file(kept, text);
  return kept;
}

std::string read_file(const fs::path& file) {
  if (fs::is_directory(file))
    throw Error("\"" + file.string() + "\" is a folder, not a file", "give the path of a kernel's text");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw Error("cannot read \"" + file.string() + "\": " + std::strerror(errno), "check the path and its rights");
  return std::move(text).str();
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) cannot_write(file, error.value());
  std::string name = file.string() + ".XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) cannot_write(file, errno);
  fchmod(fd, 0644);
  int failed = 0;
  for (std::size_t done = 0; done < text.size() && !failed;) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n >= 0) done += static_cast<std::size_t>(n);
    else if (errno != EINTR) failed = errno;
  }
  if (!failed && fsync(fd) != 0 && errno != EINVAL) failed = errno;  // a full disk may say so only now
  if (::close(fd) != 0 && !failed) failed = errno;
  if (!failed && std::rename(name.c_str(), file.c_str()) != 0) failed = errno;
  if (!failed) return;
  unlink(name.c_str());
  cannot_write(file, failed);
}

std::string short_path(const fs::path& path) {
  const std::string text = path.string(), home = variable("HOME");
  return home.size() > 1 && text.starts_with(home + "/") ? std::string("~").append(text, home.size()) : text;
}

}  // namespace tl::lessons
