// A program that multiplies two matrices into a third, tile by tile, found in its accesses.
#pragma once

#include <optional>
#include <vector>

#include "viz/model/moment.h"

namespace tl::viz {

// A tile's place in its matrix, as the kernel's text counts: rows and columns of the block's own axes.
struct Tile {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  std::uint32_t step = 0;
};

struct Operand {
  int tensor = -1;
  std::int64_t rows = 0, columns = 0;              // of the matrix, in the block's axes
  std::int64_t row_stride = 0, column_stride = 0;  // elements
  std::vector<Tile> tiles;                         // in the order of this program
};

struct Product {
  Operand a, b, c;
};

// Where a tile of a matrix that fills `storage` elements stands; sets the matrix's rows and columns.
Tile tile_of(const trace::RecordedAccess& access, std::int64_t storage, std::int64_t& rows, std::int64_t& columns);
std::optional<Product> product_of(debug::Session& session, std::size_t program);
// The row of A and the column of B that make an element of C.
std::vector<About> factors_of(const Product& product, std::int64_t element_of_c);

}  // namespace tl::viz
