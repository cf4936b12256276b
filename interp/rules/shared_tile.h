// Where a tile's elements lie in shared memory for TMA and the tensor cores.
#pragma once

namespace tl::rules {

// Boxes of up to 128 bytes a row, one behind the other; in each, 16-byte chunks XORed with the row.
struct SwizzledTile {
  int element_bytes, rows, columns;

  constexpr int row_bytes() const { return columns * element_bytes < 128 ? columns * element_bytes : 128; }
  constexpr int box_columns() const { return row_bytes() / element_bytes; }
  constexpr int box_bytes() const { return rows * row_bytes(); }
  constexpr int bytes() const { return columns / box_columns() * box_bytes(); }
  constexpr int chunk_mask() const { return row_bytes() < 32 ? 0 : row_bytes() / 16 - 1; }
  constexpr int plain(int row, int column) const {
    return column / box_columns() * box_bytes() + row * row_bytes() + column % box_columns() * element_bytes;
  }
  constexpr int swizzled(int plain_offset) const { return plain_offset ^ (plain_offset >> 7 & chunk_mask()) << 4; }
  constexpr int offset(int row, int column) const { return swizzled(plain(row, column)); }
};

}  // namespace tl::rules
