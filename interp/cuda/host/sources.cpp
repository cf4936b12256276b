#include "interp/cuda/host/sources.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <vector>

#include "interp/lang/error.h"
#include "interp/sources/sources.h"

namespace tl::cuda {

namespace {

std::optional<std::string> read_source(const std::string& path) {
  if (const char* folder = std::getenv("TILESCOPE_SOURCES"); folder && *folder) {
    std::ifstream in(std::string(folder) + '/' + path, std::ios::binary);
    if (in) return std::string{std::istreambuf_iterator<char>(in), {}};
    return std::nullopt;
  }
  const auto text = sources::source(path);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

void gather(const std::string& path, Sources& sources) {
  if (sources.contains(path)) return;
  const auto text = read_source(path);
  if (!text) return;  // a header of CUDA's; NVRTC complains about one that is nowhere
  sources[path] = *text;
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"]+)")re", std::regex::multiline);
  for (std::sregex_iterator it(text->begin(), text->end(), include), end; it != end; ++it) gather((*it)[1], sources);
}

}  // namespace

Sources gather_sources(const std::vector<std::string>& roots) {
  Sources sources;
  for (const auto& root : roots) {
    gather(root, sources);
    if (!sources.contains(root))
      throw Error("there is no source file \"" + root + "\"", "check the path, and TILESCOPE_SOURCES if it is set");
  }
  return sources;
}

}  // namespace tl::cuda
