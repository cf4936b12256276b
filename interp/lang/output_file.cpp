#include "interp/lang/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tl {

OutputError not_written(const std::string& name, int error) {
  return OutputError(name + " cannot be written" + (error ? std::string(": ") + std::strerror(error) : ""),
                     error == ENOSPC ? "make room there, or give a path elsewhere" : "give a path in a folder that exists and is yours");
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

void write_file(const std::string& path, std::string_view bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw not_written("\"" + path + "\"", errno);
}

}  // namespace tl
