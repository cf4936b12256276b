#include "interp/cuda/host/sources.h"

#include <regex>
#include <vector>

#include "interp/lang/error.h"
#include "interp/sources/sources.h"

namespace tl::cuda {

namespace {

void gather(const std::string& path, Sources& sources) {
  if (sources.contains(path)) return;
  const std::string text(sources::source(path));
  if (text.empty()) return;  // a header of CUDA's; NVRTC complains about one that is nowhere
  sources[path] = text;
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"]+)")re", std::regex::multiline);
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) gather((*it)[1], sources);
}

}  // namespace

Sources gather_sources(const std::vector<std::string>& roots) {
  Sources sources;
  for (const auto& root : roots) {
    gather(root, sources);
    if (!sources.contains(root))
      throw Error("there is no source file \"" + root + "\"", "check the path, or name the folder that holds it with --sources");
  }
  return sources;
}

}  // namespace tl::cuda
