// Numbers and texts as bytes: little-endian, whole numbers in as many bytes as they need. Reading checks every bound.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "interp/lang/error.h"

namespace tl::trace {

// CRC-32 of IEEE 802.3, as zip and PNG use it.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed = 0);

class ByteWriter {
 public:
  void number(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<std::byte>(v | 0x80));
    bytes_.push_back(static_cast<std::byte>(v));
  }
  void signed_number(std::int64_t v) {
    number((static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63));
  }
  void raw(const void* from, std::size_t n) {
    const auto* const p = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), p, p + n);
  }
  void text(const std::string& t) {
    number(t.size());
    raw(t.data(), t.size());
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  // `offset`: where these bytes stand in the file, for errors.
  ByteReader(std::span<const std::byte> bytes, std::size_t offset) : bytes_(bytes), offset_(offset) {}

  std::uint64_t number();
  std::int64_t signed_number();
  // A number of at most `most`; `what` names it when it is more.
  std::uint64_t number(std::uint64_t most, const char* what);
  // How many items follow, each of at least `item_bytes`: bounded by what is left, so that a damaged count allocates
  // nothing.
  std::size_t count(std::size_t item_bytes, const char* what);
  std::span<const std::byte> raw(std::size_t n, const char* what);
  std::string text(const char* what);
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t position() const { return offset_ + at_; }
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  std::span<const std::byte> bytes_;
  std::size_t offset_ = 0, at_ = 0;
};

}  // namespace tl::trace
