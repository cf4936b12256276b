#include "interp/trace/bytes.h"

#include <array>

namespace tl::trace {

// Sixteen bytes a turn (Intel's slicing-by-8, twice as far): table[k][b] is what byte b does to the sum k bytes later.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed) {
  using Table = std::array<std::array<std::uint32_t, 256>, 16>;
  static const Table table = [] {
    Table t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[0][i] = c;
    }
    for (std::size_t k = 1; k < t.size(); ++k)
      for (std::size_t i = 0; i < 256; ++i) t[k][i] = t[0][t[k - 1][i] & 0xFF] ^ (t[k - 1][i] >> 8);
    return t;
  }();
  std::uint32_t c = ~seed;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = at + bytes.size();
  for (; end - at >= 16; at += 16) {
    std::uint32_t sum = 0;
    for (int k = 0; k < 16; ++k) sum ^= table[15 - k][k < 4 ? (at[k] ^ c >> 8 * k) & 0xFF : at[k]];
    c = sum;
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
