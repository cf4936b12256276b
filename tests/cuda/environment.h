// Environment variables and folders that last as long as a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "interp/sources/sources.h"

namespace tl::test {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
      had_ = true;
    }
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

class Folder {
 public:
  Folder() : path((std::filesystem::temp_directory_path() / "tilescope-test-XXXXXX").string()) {
    made_ = mkdtemp(path.data()) != nullptr;
  }
  ~Folder() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;

 private:
  bool made_ = false;
};

// The folder that stands in for the program's own sources: an executor of a few lines and its kernels.
inline std::string fixture() {
  const char* moved = std::getenv("TILESCOPE_CUDA_FIXTURE");  // where the tests run on another machine than the build's
  return moved ? moved : TILESCOPE_CUDA_FIXTURE;
}

// Compiles what a folder holds.
struct SourcesFrom {
  explicit SourcesFrom(const std::string& folder) { sources::use_sources_from(folder); }
  ~SourcesFrom() { sources::use_built_in_sources(); }
  SourcesFrom(const SourcesFrom&) = delete;
};

// Every compiled kernel of a test is its own.
struct EmptyCache {
  Folder folder;
  Variable cache{"XDG_CACHE_HOME", folder.path};
};

struct Fixture : EmptyCache {
  SourcesFrom kernels{fixture()};
};

}  // namespace tl::test
