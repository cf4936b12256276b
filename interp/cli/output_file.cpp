#include "interp/cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "interp/lang/error.h"

namespace tl::cli {

namespace {

Error not_writable(const std::string& path) {
  return Error(fmt::format("\"{}\" cannot be written", path), "give a path in a folder that exists and is yours");
}

}  // namespace

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool exists = fs::exists(path, error);
  const std::string asked = exists ? path : fs::absolute(path, error).parent_path().string();
  if (path.empty() || fs::is_directory(path, error) || !fs::exists(asked, error) || ::access(asked.c_str(), W_OK) != 0) throw not_writable(path);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw not_writable(path);
}

}  // namespace tl::cli
