// Results that took long to make, kept on disk for the next run: in tilescope/SHELF of $XDG_CACHE_HOME, by default
// ~/.cache. A cache that cannot be used is no error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

// FNV-1a with 128 bits, as 32 hexadecimal digits.
std::string fingerprint(std::string_view bytes);

// `recipe` is everything that the result depends on; it is stored and compared. An entry that is damaged, or that other
// users can write, counts as absent. `shelf`: the name of a folder.
std::optional<std::vector<std::string>> read_cache(const std::string& recipe, std::size_t fields,
                                                   const std::string& shelf = "made");
// Writes the entry whole or not at all, also while other processes write it.
void write_cache(const std::string& recipe, const std::vector<std::string>& fields, const std::string& shelf = "made");

// A large file that another program opens where it lies: its path, or "" where it is absent. Behind its bytes stands
// their checksum, in 32 digits.
std::filesystem::path cached_file(const std::string& recipe, const std::string& shelf);
void write_cached_file(const std::string& recipe, std::string bytes, const std::string& shelf);

struct CacheEntry {
  std::string recipe;
  std::vector<std::string> fields;
};
// The undamaged entries of a shelf that have so many fields.
std::vector<CacheEntry> cache_entries(std::size_t fields, const std::string& shelf);
void forget_cache(const std::string& recipe, const std::string& shelf);

}  // namespace tl
