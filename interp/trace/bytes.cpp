#include "interp/trace/bytes.h"

#include <array>

namespace tl::trace {

// Eight bytes a turn (Intel's slicing-by-8): table[k][b] is what byte b does to the sum k bytes later.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed) {
  using Table = std::array<std::array<std::uint32_t, 256>, 8>;
  static const Table table = [] {
    Table t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[0][i] = c;
    }
    for (std::size_t k = 1; k < 8; ++k)
      for (std::size_t i = 0; i < 256; ++i) t[k][i] = t[0][t[k - 1][i] & 0xFF] ^ (t[k - 1][i] >> 8);
    return t;
  }();
  std::uint32_t c = ~seed;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    c ^= static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8 |
         static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
    c = table[7][c & 0xFF] ^ table[6][c >> 8 & 0xFF] ^ table[5][c >> 16 & 0xFF] ^ table[4][c >> 24] ^ table[3][at[4]] ^
        table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
  }
  for (; at != end; ++at) c = table[0][(c ^ *at) & 0xFF] ^ (c >> 8);
  return ~c;
}

void ByteReader::damaged(const std::string& what) const {
  throw Error("the trace is damaged near byte " + std::to_string(position()) + ": " + what, "record it again");
}

std::uint64_t ByteReader::number() {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) damaged("a number without an end");
    const auto b = static_cast<std::uint64_t>(bytes_[at_++]);
    result |= (b & 0x7F) << shift;
    if (b < 0x80) return result;
  }
  damaged("a number of more than 64 bits");
}

std::int64_t ByteReader::signed_number() {
  const std::uint64_t v = number();
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

std::uint64_t ByteReader::number(std::uint64_t most, const char* what) {
  const std::uint64_t v = number();
  if (v > most) damaged(std::string(what) + " " + std::to_string(v) + ", at most " + std::to_string(most));
  return v;
}

std::size_t ByteReader::count(std::size_t item_bytes, const char* what) {
  return static_cast<std::size_t>(number(left() / item_bytes, what));
}

std::span<const std::byte> ByteReader::raw(std::size_t n, const char* what) {
  if (n > left())
    damaged(std::string(what) + " of " + std::to_string(n) + " bytes, " + std::to_string(left()) + " are left");
  at_ += n;
  return bytes_.subspan(at_ - n, n);
}

std::string ByteReader::text(const char* what) {
  const std::span<const std::byte> bytes = raw(count(1, what), what);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace tl::trace
