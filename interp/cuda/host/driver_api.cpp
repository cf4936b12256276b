#include "interp/cuda/host/driver_api.h"

#include <optional>

#include "interp/cuda/host/library.h"

namespace tl::cuda {

namespace {

Loaded<Driver> load_driver() {
  const std::string fix = "install NVIDIA's driver on a machine with a GPU, or use --device cpu";
  const auto library = Library::open(library_candidates("TILESCOPE_LIBCUDA", {"libcuda.so.1"}));
  if (!library) return {std::nullopt, Error("no CUDA driver: libcuda.so.1 was not found", fix)};
  Driver api;
  bool complete = true;
#define TILESCOPE_FIND(name, symbol, parameters) library->find(api.name, symbol), complete = complete && api.name;
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_FIND)
#undef TILESCOPE_FIND
  if (!complete) return {std::nullopt, Error("the CUDA driver is older than CUDA 12", fix)};
  int count = 0;
  if (const CUresult result = api.cuInit(0);
      result != CUDA_SUCCESS || api.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
    const char* name = nullptr;
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NO_DEVICE) api.cuGetErrorName(result, &name);
    return {std::nullopt,
            Error("no GPU: the CUDA driver finds none" + (name ? " (" + std::string(name) + ")" : std::string()), fix)};
  }
  return {api, {}};
}

}  // namespace

const Driver* driver(std::optional<Error>* why_not) {
  static const Loaded<Driver> loaded = load_driver();
  if (why_not) *why_not = loaded.why_not;
  return loaded.api ? &*loaded.api : nullptr;
}

}  // namespace tl::cuda
