// Numbers and texts as bytes: little-endian, whole numbers in as many bytes as they need. Reading checks every bound.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
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
  // As raw; a long text is not copied and must outlive the writer.
  void raw_in_place(const void* from, std::size_t n) {
    if (n < 4096) return raw(from, n);
    in_place_.push_back({bytes_.size(), {static_cast<const std::byte*>(from), n}});
  }
  void text(const std::string& t) {
    number(t.size());
    raw(t.data(), t.size());
  }
  // visit(bytes), piece by piece.
  template <class Visit>
  void for_each_piece(const Visit& visit) const {
    const std::span<const std::byte> copied = bytes_;
    std::size_t done = 0;
    for (const auto& [before, piece] : in_place_) {
      visit(copied.subspan(done, before - done));
      visit(piece);
      done = before;
    }
    visit(copied.subspan(done));
  }
  void clear() {
    bytes_.clear();
    in_place_.clear();
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::pair<std::size_t, std::span<const std::byte>>> in_place_;  // after how many of bytes_
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
