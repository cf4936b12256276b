#include "interp/cuda/host/library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tl::cuda {

namespace fs = std::filesystem;

std::optional<Library> Library::open(const std::vector<std::string>& candidates) {
  for (const auto& name : candidates)
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(handle);
  return std::nullopt;
}

std::string Library::path_of(const void* inside) {
  Dl_info info;
  if (!dladdr(inside, &info) || !info.dli_fname) return "";
  std::error_code ignored;
  const auto path = fs::canonical(info.dli_fname, ignored);
  return ignored ? info.dli_fname : path.string();
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(variable); value && *value) folders.push_back(value);
  folders.push_back("/usr/local/cuda");
  std::vector<std::string> versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-")) versions.push_back(entry.path().string());
  std::sort(versions.rbegin(), versions.rend());
  folders.insert(folders.end(), versions.begin(), versions.end());
  return folders;
}

std::vector<std::string> library_candidates(const char* variable, const std::vector<std::string>& names) {
  if (const char* value = std::getenv(variable); value && *value) return {value};
  std::vector<std::string> candidates;
  for (const auto& name : names) {
    candidates.push_back(name);
    for (const auto& folder : toolkit_folders())
      for (const char* lib : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
        candidates.push_back(folder + lib + name);
  }
  return candidates;
}

}  // namespace tl::cuda
