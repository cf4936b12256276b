#include "interp/lang/output_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tl {

OutputError not_written(const std::string& name, int error) {
  return OutputError(name + " cannot be written" + (error ? std::string(": ") + std::strerror(error) : ""),
                     error == ENOSPC ? "make room there, or give a path elsewhere"
                                     : "give a path in a folder that exists and is yours");
}

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string name = "\"" + path + "\"";
  if (path.empty()) throw not_written(name, ENOENT);
  if (fs::is_directory(path, error)) throw not_written(name, EISDIR);
  const fs::path folder = fs::absolute(path, error).parent_path();
  if (!fs::exists(folder, error)) throw not_written(name, ENOENT);
  if (::access(fs::exists(path, error) ? path.c_str() : folder.c_str(), W_OK) != 0) throw not_written(name, errno);
}

namespace {

// What a signal handler may look at: it can take no lock and no memory.
char unfinished[4096];
std::atomic<bool> is_unfinished{false};

// A new file beside the old one, which takes its place when it is whole.
class Part {
 public:
  explicit Part(const std::string& path) : path(path + ".part") {
    if (this->path.size() >= sizeof(unfinished)) return;
    std::strcpy(unfinished, this->path.c_str());
    is_unfinished = true;
  }
  ~Part() {
    if (!is_in_place_) std::remove(path.c_str());
    is_unfinished = false;
  }
  Part(const Part&) = delete;
  bool takes_place_of(const std::string& old) { return is_in_place_ = std::rename(path.c_str(), old.c_str()) == 0; }

  const std::string path;

 private:
  bool is_in_place_ = false;
};

void write_whole(const std::string& path, const std::string& name, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw not_written(name, errno);
  write(out);
  out.close();
  if (!out) throw not_written(name, errno);
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const std::string name = "\"" + path + "\"";
  const bool exists = fs::exists(path, unknown);
  // A device or a pipe is written itself: a new file would take its place; so is a file in a folder that takes no new
  // ones.
  if (exists && !fs::is_regular_file(path, unknown)) return write_whole(path, name, write);
  const fs::path target = exists ? fs::canonical(path) : fs::absolute(path);  // what a link leads to
  if (exists && ::access(target.parent_path().c_str(), W_OK) != 0) return write_whole(path, name, write);
  Part part(target);
  write_whole(part.path, name, write);
  if (!part.takes_place_of(target)) throw not_written(name, errno);
}

void write_file(const std::string& path, std::string_view bytes) {
  write_file(path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

void drop_unfinished_file() {
  if (is_unfinished) unlink(unfinished);
}

}  // namespace tl
