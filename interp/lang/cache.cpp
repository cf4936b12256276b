#include "interp/lang/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/user_folders.h"

namespace tl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view magic = "tilescope kernel 1\n";
constexpr std::size_t check_digits = 32;
constexpr std::size_t most_files = 4000;
constexpr std::uintmax_t most_bytes = std::uintmax_t{512} << 20, most_file_bytes = std::uintmax_t{64} << 20;

// "": there is no cache.
fs::path folder(const std::string& shelf) {
  const fs::path home = cache_home();
  return home.empty() ? home : home / "tilescope" / shelf;
}

bool is_ours_alone(const struct stat& s) { return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

bool is_ours_alone(const fs::path& path) {
  struct stat s{};
  return stat(path.c_str(), &s) == 0 && is_ours_alone(s);
}

void append_field(std::string& out, const std::string& field) { out += std::to_string(field.size()) + '\n' + field; }

// Takes the next field off `rest`; false when the text is not one.
bool take_field(std::string_view& rest, std::string& field) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || digits >= rest.size() || rest[digits] != '\n' || size > rest.size() - digits - 1)
    return false;
  field = rest.substr(digits + 1, size);
  rest.remove_prefix(digits + 1 + size);
  return true;
}

// Removes the files that were not used for longest, half of all, when there is too much.
void prune(const fs::path& dir) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(dir, ignored)) {
    files.emplace_back(entry.last_write_time(ignored), entry.path());
    if (const auto size = entry.file_size(ignored); !ignored) bytes += size;
  }
  if (files.size() <= most_files && bytes <= most_bytes) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, ignored);
}

// The recipe and the fields behind it; nothing where the text is not what was written.
std::optional<CacheEntry> entry_of(std::string_view file, std::size_t count) {
  if (!file.starts_with(magic) || file.size() < check_digits) return std::nullopt;
  std::string_view rest = file.substr(0, file.size() - check_digits);
  if (fingerprint(rest) != file.substr(rest.size())) return std::nullopt;
  rest.remove_prefix(magic.size());
  CacheEntry entry;
  if (!take_field(rest, entry.recipe)) return std::nullopt;
  entry.fields.resize(count);
  for (std::string& field : entry.fields)
    if (!take_field(rest, field)) return std::nullopt;
  return rest.empty() ? std::optional(std::move(entry)) : std::nullopt;
}

// The entries used last are removed last: `uses` one.
std::optional<CacheEntry> read_entry(const fs::path& path, std::size_t count, bool uses) {
  try {
    RegularFile file(path, most_file_bytes);
    struct stat s{};
    if (fstat(file.descriptor(), &s) != 0 || !is_ours_alone(s)) return std::nullopt;
    auto entry = entry_of(file.read(), count);
    if (entry && uses) futimens(file.descriptor(), nullptr);
    return entry;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_entry(const std::string& recipe, const std::string& content, const std::string& shelf) {
  const fs::path dir = folder(shelf);
  if (dir.empty() || content.size() > most_file_bytes) return;
  std::error_code error;
  fs::create_directories(dir.parent_path(), error);
  mkdir(dir.c_str(), 0700);
  if (!is_ours_alone(dir)) return;
  try {
    write_file(dir / fingerprint(recipe), content, 0600);
  } catch (const OutputError&) {
  }
  prune(dir);
}

// FNV-1a takes each byte in turn, and a large file as long as its use: here eight words are taken beside each other.
class Checksum {
 public:
  static constexpr std::size_t row = 64;
  void add(std::string_view bytes) {  // whole rows, but for the last call
    for (; bytes.size() >= row; bytes.remove_prefix(row)) {
      std::uint64_t words[8];
      std::memcpy(words, bytes.data(), row);
      for (std::size_t i = 0; i < 8; ++i) sums_[i] = (sums_[i] ^ words[i]) * 0x100000001b3;
    }
    rest_ = bytes;
  }
  std::string digits() const {
    return fingerprint(std::string(reinterpret_cast<const char*>(sums_.data()), sizeof sums_) + rest_);
  }

 private:
  std::array<std::uint64_t, 8> sums_{};
  std::string rest_;
};

}  // namespace

std::string fingerprint(std::string_view bytes) {
  using Word = unsigned __int128;
  constexpr Word prime = (Word{1} << 88) + 0x13b;
  Word hash = (Word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * prime;
  std::string digits;
  for (int shift = 124; shift >= 0; shift -= 4) digits += "0123456789abcdef"[static_cast<int>(hash >> shift) & 15];
  return digits;
}

std::optional<std::vector<std::string>> read_cache(const std::string& recipe, std::size_t count,
                                                   const std::string& shelf) {
  const fs::path dir = folder(shelf);
  if (dir.empty() || !is_ours_alone(dir)) return std::nullopt;
  auto entry = read_entry(dir / fingerprint(recipe), count, true);
  return entry && entry->recipe == recipe ? std::optional(std::move(entry->fields)) : std::nullopt;
}

std::vector<CacheEntry> cache_entries(std::size_t count, const std::string& shelf) {
  const fs::path dir = folder(shelf);
  std::vector<CacheEntry> entries;
  if (dir.empty() || !is_ours_alone(dir)) return entries;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(dir, ignored))
    if (auto entry = read_entry(file.path(), count, false)) entries.push_back(std::move(*entry));
  return entries;
}

void forget_cache(const std::string& recipe, const std::string& shelf) {
  std::error_code ignored;
  fs::remove(folder(shelf) / fingerprint(recipe), ignored);
}

void write_cache(const std::string& recipe, const std::vector<std::string>& fields, const std::string& shelf) {
  std::string content(magic);
  append_field(content, recipe);
  for (const auto& field : fields) append_field(content, field);
  content += fingerprint(content);
  write_entry(recipe, content, shelf);
}

fs::path cached_file(const std::string& recipe, const std::string& shelf) {
  const fs::path dir = folder(shelf), path = dir / fingerprint(recipe);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (dir.empty() || error || size < check_digits || !is_ours_alone(dir) || !is_ours_alone(path)) return {};
  std::ifstream in(path, std::ios::binary);
  std::vector<char> block(1024 * Checksum::row);
  Checksum sum;
  for (std::uintmax_t rest = size - check_digits; rest > 0; rest -= static_cast<std::uintmax_t>(in.gcount())) {
    if (!in.read(block.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(block.size(), rest)))) return {};
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  std::string digits(check_digits, ' ');
  if (!in.read(digits.data(), check_digits) || digits != sum.digits()) return {};
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // used
  return path;
}

void write_cached_file(const std::string& recipe, std::string bytes, const std::string& shelf) {
  Checksum sum;
  sum.add(bytes);
  write_entry(recipe, bytes += sum.digits(), shelf);
}

}  // namespace tl
