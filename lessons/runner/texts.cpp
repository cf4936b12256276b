#include "lessons/runner/texts.h"

#include <string>

namespace tl::lessons {

extern const std::span<const sources::SourceFile> embedded_files;  // of the generated file

std::string_view text_of(std::string_view path) {
  for (const sources::SourceFile& f : embedded_files)
    if (f.path == path) return f.text;
  return sources::source(path);
}

std::vector<std::string_view> kept_kernels(std::string_view folder, std::string_view kind) {
  const std::string prefix = "lessons/" + std::string(folder) + "/" + std::string(kind) + "/";
  std::vector<std::string_view> found;
  for (const sources::SourceFile& f : embedded_files)
    if (f.path.starts_with(prefix)) found.push_back(f.path);
  return found;
}

}  // namespace tl::lessons
