// Spaces and caches that tests tune.
#pragma once

#include <cstdlib>

#include "interp/lang/unfinished.h"
#include "interp/tune/space.h"

// A cache of a test's own.
struct OwnCache {
  OwnCache() { setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
  ~OwnCache() { unsetenv("XDG_CACHE_HOME"); }
  tl::TemporaryFolder folder;
};

inline tl::tune::SpaceRequest request_of(const std::string& kernel, std::vector<std::string> settings,
                                         const std::string& configs = "") {
  return {.kernel = {.kernel = kernel, .settings = std::move(settings)}, .configs = configs, .refuse = "", .key = {}};
}
