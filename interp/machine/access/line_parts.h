// Tiles as lines of L2: which lines a tile touches, and which quarters of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "interp/machine/access/rows.h"
#include "interp/machine/access/tiles.h"

namespace tl::machine {

// visit(line, quarters): the low four bits are the line's quarters that a tile touches, the high four those that it
// covers.
template <class Visit>
void for_each_line(const Rows& rows, std::int64_t first_elem, std::int64_t elem_bytes, std::int64_t line_bytes,
                   Visit visit) {
  const std::int64_t quarter = line_bytes / 4;
  std::int64_t last = INT64_MIN;
  unsigned parts = 0;
  for (const std::int64_t start : rows.starts) {
    const std::int64_t from = (first_elem + start) * elem_bytes, end = from + rows.width * elem_bytes;
    const std::int64_t first = floor_div(from, line_bytes), beyond = floor_div(end, line_bytes);
    if (first * line_bytes == from && beyond * line_bytes == end) {  // whole lines, as most tiles have them
      if (parts) visit(last, static_cast<std::uint8_t>(parts));
      last = INT64_MIN;
      parts = 0;
      for (std::int64_t line = first; line < beyond; ++line) visit(line, std::uint8_t{0xff});
      continue;
    }
    for (std::int64_t q = floor_div(from, quarter); q * quarter < end; ++q) {
      const std::int64_t line = floor_div(q, 4);
      if (line != last) {
        if (parts) visit(last, static_cast<std::uint8_t>(parts));
        last = line;
        parts = 0;
      }
      const unsigned bit = 1u << (q - 4 * line);
      // two pieces of one quarter, as columns of single elements leave them: taken to cover it together
      parts |= bit | ((parts & bit) || (from <= q * quarter && end >= (q + 1) * quarter) ? bit << 4 : 0);
    }
  }
  if (parts) visit(last, static_cast<std::uint8_t>(parts));
}

// Lines that follow each other need no list.
inline void keep_scattered_alone(Footprint& footprint) {
  std::uint32_t kept = 0;
  for (Piece& piece : footprint.pieces) {
    const auto units = footprint.line_units.begin() + piece.first, end = units + piece.units;
    piece.is_scattered =
        std::adjacent_find(units, end, [](std::uint32_t a, std::uint32_t b) { return b != a + 1; }) != end;
    if (piece.is_scattered) {
      std::copy(units, end, footprint.line_units.begin() + kept);
      piece.first = kept;
      kept += piece.units;
    } else piece.first = piece.units > 0 ? *units : 0;
  }
  footprint.line_units.resize(kept);
  footprint.line_units.shrink_to_fit();
  footprint.line_parts = {};
}

}  // namespace tl::machine
