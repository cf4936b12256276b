#include "interp/cuda/host/sources.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "interp/lang/error.h"
#include "interp/sources/sources.h"

namespace tl::cuda {

namespace {

// What a line includes in quotes; "" where it is no such line.
std::string_view included_by(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_there = line.starts_with(word);
    if (is_there) line.remove_prefix(word.size());
    return is_there;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  return line.substr(0, std::min(line.find('"'), line.size()));
}

void gather(const std::string& path, Sources& sources) {
  if (sources.contains(path)) return;
  const std::string_view text = sources::source(path);
  if (text.empty()) return;  // a header of CUDA's; NVRTC complains about one that is nowhere
  sources[path] = text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (const auto included = included_by(text.substr(begin, end - begin)); !included.empty())
      gather(std::string(included), sources);
    begin = end + 1;
  }
}

}  // namespace

Sources gather_sources(const std::vector<std::string>& roots) {
  Sources sources;
  for (const auto& root : roots) {
    gather(root, sources);
    if (!sources.contains(root))
      throw Error("there is no source file \"" + root + "\"",
                  "check the path, or name the folder that holds it with --sources");
  }
  return sources;
}

KernelSource source_of(const Launch& launch, std::vector<std::string> with) {
  if (!launch.in_cpp) {
    with.push_back(launch.source);
    return {launch.kernel, launch.source, gather_sources(with)};
  }
  const CppText cpp = launch.in_cpp({.has_lines = true});
  KernelSource made{cpp.functor, launch.source + ".h", gather_sources(with)};
  gather(launch.source, made.texts);  // for messages
  made.texts[made.file] = cpp.text;
  return made;
}

}  // namespace tl::cuda
