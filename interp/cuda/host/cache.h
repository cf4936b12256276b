// The cache of compiled kernels on disk: $XDG_CACHE_HOME/tilescope, else ~/.cache/tilescope. A cache that cannot be
// used is no error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"

namespace tl::cuda {

// FNV-1a with 128 bits, as 32 hexadecimal digits.
std::string fingerprint(const std::string& bytes);

// `recipe` is everything that the result depends on; it is stored and compared. A damaged file counts as absent.
std::optional<std::vector<std::string>> read_fields(const std::string& recipe, std::size_t count);
// Whole or not at all, also beside other writers.
void write_fields(const std::string& recipe, const std::vector<std::string>& fields);

std::optional<Compiled> read_cache(const std::string& recipe);
void write_cache(const std::string& recipe, const Compiled& compiled);

}  // namespace tl::cuda
