#include "interp/cuda/host/nvrtc_api.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "interp/cuda/host/library.h"

namespace tl::cuda {

namespace fs = std::filesystem;

namespace {

// The headers come with the toolkit whose NVRTC was loaded (lib64/../include, or .../targets/x86_64-linux/include),
// else from any toolkit.
std::vector<std::string> find_include_folders(const std::string& library) {
  const fs::path lib = fs::path(library).parent_path();
  std::vector<fs::path> candidates = {lib.parent_path() / "include", lib.parent_path() / "targets/x86_64-linux/include",
                                      lib.parent_path().parent_path() / "cuda_runtime/include"};
  for (const auto& folder : toolkit_folders()) candidates.push_back(fs::path(folder) / "include");
  candidates.push_back("/usr/include");
  std::error_code ignored;
  for (const auto& folder : candidates) {
    if (!fs::exists(folder / "cuda_fp16.h", ignored)) continue;
    if (fs::exists(folder / "cccl/cuda/ptx", ignored)) return {folder.string(), (folder / "cccl").string()};
    if (fs::exists(folder / "cuda/ptx", ignored)) return {folder.string()};
  }
  return {};
}

std::vector<std::string> nvrtc_names() { return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}; }
std::vector<std::string> nvrtc_candidates() { return library_candidates("TILESCOPE_NVRTC", nvrtc_names()); }

Loaded<Nvrtc> load_nvrtc() {
  const std::string fix = "install CUDA 12.4 or newer and set CUDA_HOME, or use --device cpu";
  const auto candidates = nvrtc_candidates();
  const auto library = Library::open(candidates);
  if (!library)
    return {std::nullopt, Error("no CUDA toolkit: its compiler NVRTC (" + candidates.front() + ") was not found", fix)};
  Nvrtc api{};
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    library->find(function, name);
    complete = complete && function;
  };
  find(api.nvrtcVersion, "nvrtcVersion");
  find(api.nvrtcGetErrorString, "nvrtcGetErrorString");
  find(api.nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs");
  find(api.nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs");
  find(api.nvrtcCreateProgram, "nvrtcCreateProgram");
  find(api.nvrtcDestroyProgram, "nvrtcDestroyProgram");
  find(api.nvrtcAddNameExpression, "nvrtcAddNameExpression");
  find(api.nvrtcCompileProgram, "nvrtcCompileProgram");
  find(api.nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize");
  find(api.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  find(api.nvrtcGetLoweredName, "nvrtcGetLoweredName");
  find(api.nvrtcGetPTXSize, "nvrtcGetPTXSize");
  find(api.nvrtcGetPTX, "nvrtcGetPTX");
  find(api.nvrtcGetCUBINSize, "nvrtcGetCUBINSize");
  find(api.nvrtcGetCUBIN, "nvrtcGetCUBIN");
  if (complete) api.nvrtcVersion(&api.major, &api.minor);
  if (!complete || api.major < 12) return {std::nullopt, Error("NVRTC is older than CUDA 12", fix)};
  const auto path = Library::path_of(reinterpret_cast<const void*>(api.nvrtcVersion));
  // NVRTC looks for its builtins by name alone, and fails where the loader does not know the toolkit's folder: found
  // first here, they are there.
  const auto builtins = "libnvrtc-builtins.so." + std::to_string(api.major) + "." + std::to_string(api.minor);
  Library::open({(fs::path(path).parent_path() / builtins).string(), builtins});
  api.include_folders = find_include_folders(path);
  if (api.include_folders.empty())
    return {std::nullopt, Error("CUDA's headers (cuda_fp16.h, cuda/ptx) were not found near " + path, fix)};
  return {api, {}};
}

}  // namespace

const Nvrtc* nvrtc(std::optional<Error>* why_not) {
  static const Loaded<Nvrtc> loaded = load_nvrtc();
  if (why_not) *why_not = loaded.why_not;
  return loaded.api ? &*loaded.api : nullptr;
}

std::string nvrtc_fingerprint() {
  std::vector<std::string> files = nvrtc_candidates();
  files.push_back("/etc/ld.so.cache");  // for the names without a folder
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      for (const auto& name : nvrtc_names()) files.push_back(folder + '/' + name);
  }
  std::string text;
  for (const auto& file : files) {
    std::error_code missing;
    const auto size = fs::file_size(file, missing);
    text += file + (missing ? " -\n"
                            : ' ' + std::to_string(size) + ' ' +
                                  std::to_string(fs::last_write_time(file, missing).time_since_epoch().count()) + '\n');
  }
  return text;
}

}  // namespace tl::cuda
