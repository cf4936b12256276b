#include "kernels/triton/originals.h"

#include <span>
#include <string>

#include "interp/sources/sources.h"

namespace tl::kernels {

extern const std::span<const sources::SourceFile> embedded_originals;  // generated

std::string_view triton_original(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos || !path.ends_with(".h") || !path.substr(0, slash).ends_with("kernels"))
    return "";
  const std::string name = "kernels/triton/" + std::string(path.substr(slash + 1, path.size() - slash - 3)) + ".py";
  for (const sources::SourceFile& file : embedded_originals)
    if (file.path == name) return file.text;
  return "";
}

}  // namespace tl::kernels
