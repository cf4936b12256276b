// A shared library opened at run time: the program links against no CUDA library, so that it runs without one.
#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <vector>

#include "interp/lang/error.h"

namespace tl::cuda {

class Library {
 public:
  // The first candidate that opens: a path, or a name for the loader to find. Never closed: CUDA's libraries do not
  // survive it.
  static std::optional<Library> open(const std::vector<std::string>& candidates);

  // Null when the library lacks `name`.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  // Where the library of the function `inside` it was loaded from.
  static std::string path_of(const void* inside);

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

// Folders that may hold a CUDA toolkit, the likeliest first: CUDA_HOME, CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*,
// newest first.
std::vector<std::string> toolkit_folders();

// Candidates for Library::open: the value of `variable` alone where it is set, else each name as the loader finds it
// and in each toolkit.
std::vector<std::string> library_candidates(const char* variable, const std::vector<std::string>& names);

// A library's functions, or why they are not there.
template <class Api>
struct Loaded {
  std::optional<Api> api;
  std::optional<Error> why_not;
};

}  // namespace tl::cuda
