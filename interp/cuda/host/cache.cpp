#include "interp/cuda/host/cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tl::cuda {

namespace fs = std::filesystem;

namespace {

constexpr const char* magic = "tilescope kernel 1\n";
constexpr std::size_t most_files = 4000;

fs::path folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "tilescope";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache/tilescope";
  return {};
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

// Removes the files that were not used for longest, half of all, when there are too many.
void prune(const fs::path& dir) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(dir, ignored))
    files.emplace_back(entry.last_write_time(ignored), entry.path());
  if (files.size() <= most_files) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, ignored);
}

}  // namespace

std::string fingerprint(const std::string& bytes) {
  using Word = unsigned __int128;
  constexpr Word prime = (Word{1} << 88) + 0x13b;
  Word hash = (Word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * prime;
  std::string digits;
  for (int shift = 124; shift >= 0; shift -= 4) digits += "0123456789abcdef"[static_cast<int>(hash >> shift) & 15];
  return digits;
}

std::optional<std::vector<std::string>> read_fields(const std::string& recipe, std::size_t count) {
  const auto path = folder() / fingerprint(recipe);
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  const std::string file = std::move(text).str();
  const std::size_t check = 32;
  if (!file.starts_with(magic) || file.size() < check) return std::nullopt;
  const std::string content = file.substr(0, file.size() - check);
  if (fingerprint(content) != file.substr(content.size())) return std::nullopt;
  std::string_view rest = std::string_view(content).substr(std::char_traits<char>::length(magic));
  std::string stored_recipe;
  if (!take_field(rest, stored_recipe) || stored_recipe != recipe) return std::nullopt;
  std::vector<std::string> fields(count);
  for (std::string& field : fields)
    if (!take_field(rest, field)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // what is used stays longest
  return fields;
}

void write_fields(const std::string& recipe, const std::vector<std::string>& fields) {
  const auto dir = folder();
  if (dir.empty()) return;
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) return;
  std::string content = magic;
  append_field(content, recipe);
  for (const auto& field : fields) append_field(content, field);
  content += fingerprint(content);

  static std::atomic<int> counter{0};
  const auto name = fingerprint(recipe);
  const auto temporary = dir / (name + '.' + std::to_string(getpid()) + '.' + std::to_string(counter++));
  std::ofstream out(temporary, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (out) fs::rename(temporary, dir / name, error);
  if (!out || error) fs::remove(temporary, error);
  prune(dir);
}

std::optional<Compiled> read_cache(const std::string& recipe) {
  auto fields = read_fields(recipe, 4);
  if (!fields) return std::nullopt;
  Compiled c;
  c.entry = std::move((*fields)[0]), c.cubin = std::move((*fields)[1]), c.ptx = std::move((*fields)[2]),
  c.log = std::move((*fields)[3]);
  c.from_cache = true;
  return c;
}

void write_cache(const std::string& recipe, const Compiled& c) {
  write_fields(recipe, {c.entry, c.cubin, c.ptx, c.log});
}

}  // namespace tl::cuda
