#include "interp/lang/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <streambuf>

#include "interp/lang/unfinished.h"

namespace tl {

namespace fs = std::filesystem;

OutputError not_written(const std::string& name, int error) {
  return OutputError(name + " cannot be written" + (error ? std::string(": ") + std::strerror(error) : ""),
                     error == ENOSPC || error == EDQUOT ? "make room there, or give a path elsewhere"
                     : error == EFBIG                   ? "raise the limit on a file's size (ulimit -f)"
                     : error == EISDIR                  ? "give a file's name in that folder"
                                                        : "give a path in a folder that exists and is yours");
}

namespace {

std::string quoted(const std::string& path) { return '"' + path + '"'; }

// Where a path leads, all links followed.
struct Target {
  fs::path folder, name;
  struct stat old{};  // what is there
  bool exists = false;
  int stream = -1;  // an open one of this program: /dev/stdout, /dev/fd/3

  fs::path path() const { return folder / name; }
  bool is_file() const { return stream < 0 && (!exists || S_ISREG(old.st_mode)); }
};

// In a folder like /tmp a link of somebody else's may lead anywhere: the system follows none there, either.
bool is_trap(const struct stat& link, const fs::path& folder) {
  struct stat of{};
  return stat(folder.c_str(), &of) == 0 && (of.st_mode & S_ISVTX) && (of.st_mode & S_IWOTH) &&
         link.st_uid != geteuid() && link.st_uid != of.st_uid;
}

Target end_of_links(const std::string& path, const std::string& name) {
  if (path.empty()) throw not_written(name, ENOENT);
  Target t;
  fs::path at = path;
  for (int links = 0; links < 40; ++links) {
    std::error_code error;
    if (!at.has_filename()) throw not_written(name, EISDIR);
    t.name = at.filename();
    t.folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) throw not_written(name, error.value());
    if (t.folder == "/proc/" + std::to_string(getpid()) + "/fd") {
      t.stream = std::atoi(t.name.c_str());
      return t;
    }
    t.exists = lstat(t.path().c_str(), &t.old) == 0;
    if (!t.exists && errno != ENOENT) throw not_written(name, errno);
    if (!t.exists || !S_ISLNK(t.old.st_mode)) {
      if (t.exists && S_ISDIR(t.old.st_mode)) throw not_written(name, EISDIR);
      if (t.exists && S_ISBLK(t.old.st_mode))
        throw OutputError(name + " cannot be written: it is a disk", "give a file's name");
      return t;
    }
    if (is_trap(t.old, t.folder)) throw not_written(name, EACCES);
    at = t.folder / fs::read_symlink(t.path(), error);
    if (error) throw not_written(name, error.value());
  }
  throw not_written(name, ELOOP);
}

Target target_of(const std::string& path, const std::string& name) {
  Target t = end_of_links(path, name);
  if (t.stream < 0 && access(t.exists ? t.path().c_str() : t.folder.c_str(), W_OK) != 0) throw not_written(name, errno);
  return t;
}

// An open file, written through a stream: what fails is thrown with the system's reason.
class Stream : public std::streambuf {
 public:
  Stream(int file, const std::string& name) : file_(file), name_(name) {
    if (file_ < 0) throw not_written(name_, errno);
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Stream() override { ::close(file_); }

  void write(const std::function<void(std::ostream&)>& write) {
    std::ostream out(this);
    out.exceptions(std::ios::badbit);
    write(out);
    out.flush();
  }
  void finish() { check(fsync(file_) == 0 || errno == EINVAL || errno == ENOSYS); }
  // The owner and the mode of the file that it takes the place of.
  void become_like(const struct stat& old) {
    (void)!fchown(file_, old.st_uid, old.st_gid);  // only the administrator can give files away
    check(fchmod(file_, old.st_mode & 0777) == 0);
  }

 protected:
  int_type overflow(int_type c) override {
    sync();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* from, std::streamsize n) override {
    if (n < static_cast<std::streamsize>(bytes_.size())) return std::streambuf::xsputn(from, n);
    sync();
    put(from, from + n);
    return n;
  }
  int sync() override {
    put(pbase(), pptr());
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return 0;
  }

 private:
  void put(const char* from, const char* end) {
    while (from < end) {
      const ssize_t n = ::write(file_, from, static_cast<std::size_t>(end - from));
      check(n >= 0 || errno == EINTR);
      from += std::max<ssize_t>(n, 0);
    }
  }
  void check(bool ok) {
    if (!ok) throw not_written(name_, errno);
  }

  const int file_;
  const std::string& name_;
  std::array<char, 1 << 16> bytes_;
};

// A device, a pipe, or a file in a folder that takes no new ones.
void write_in_place(const Target& t, const std::string& name, const std::function<void(std::ostream&)>& write) {
  std::fflush(stdout);  // what was printed stands before it, where both go to one place
  Stream out(t.stream >= 0 ? fcntl(t.stream, F_DUPFD_CLOEXEC, 3)
                           : open(t.path().c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | (t.is_file() ? O_TRUNC : 0)),
             name);
  out.write(write);
  if (t.is_file()) out.finish();
}

}  // namespace

void require_writable(const std::string& path) { target_of(path, quoted(path)); }

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write, unsigned mode) {
  const std::string name = quoted(path);
  const Target t = target_of(path, name);
  if (!t.is_file() || (t.exists && access(t.folder.c_str(), W_OK) != 0)) return write_in_place(t, name, write);
  Unfinished part(t.folder);
  {
    Stream out(openat(part.folder(), part.name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      t.exists ? 0600 : mode),
               name);
    out.write(write);
    if (t.exists) out.become_like(t.old);
    out.finish();
  }
  if (renameat(part.folder(), part.name(), part.folder(), t.name.c_str()) != 0) throw not_written(name, errno);
  part.keep();
  fsync(part.folder());  // not all file systems can, and the file is written
}

void write_file(const std::string& path, std::string_view bytes, unsigned mode) {
  write_file(
      path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); }, mode);
}

}  // namespace tl
