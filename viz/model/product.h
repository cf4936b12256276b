// Products of two matrices that a program sums tile by tile, found in its recorded dots. The source of a tile and the
// store of the sum are followed through casts, transposes and arithmetic.
#pragma once

#include <vector>

#include "viz/model/moment.h"

namespace tl::viz {

// A block's place in its matrix.
struct Tile {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

// A matrix as dot takes it: rows times columns, however it is stored.
struct Operand {
  int tensor = -1;  // none: a block that the program computes, such as attention's scores
  std::string name;
  std::int64_t rows = 0, columns = 0;
  std::int64_t origin = 0, row_stride = 0, column_stride = 0;  // elements; of a tensor
  bool is_transposed = false;  // the kernel loads tiles of columns x rows and transposes them
  bool is_read() const { return tensor >= 0; }
};

struct Turn {  // one dot
  std::uint32_t step = 0;
  Tile a, b;
  std::int32_t left = -1, result = -1;  // values of the program
};

// Dots that add to one block.
struct Sum {
  std::vector<Turn> turns;
  Tile c;
  std::vector<std::uint32_t> stores;    // steps; none: the block is not stored
  std::int32_t mask = -1, masked = -1;  // values: the condition of a `where` over the block, and what it gave
  std::uint32_t masked_at = 0;          // its step
};

struct Product {
  Operand a, b, c;
  // The tiles are no rectangles of tensors (an image gathered by a convolution), or nothing says of which: they stand
  // one beside the other, as the loop takes them, and a, b and c are of no tensor.
  bool is_by_loop = false;
  std::int64_t batch = 1;  // a dot of three axes multiplies as many pairs; the tiles are those of one, by the loop
  std::vector<Sum> sums;   // in the order of their first dot
};

// A program of which only accesses are recorded has none.
std::vector<Product> products_of(debug::Session& session, std::size_t program);
// The matrix that an access of two axes goes over, and its tile; `is_transposed`: as its transpose.
std::pair<Operand, Tile> operand_of(const trace::RecordedAccess& access, const trace::RecordedTensor& tensor,
                                    bool is_transposed);
// Where an access of two axes to the operand's tensor stands; false: elsewhere, in another plane.
bool place_tile(const trace::RecordedAccess& access, const Operand& operand, Tile& tile);
// The tile from its first row and column to the last with an active lane: what follows is padding.
Tile without_padding(const trace::RecordedAccess& access, Tile tile);
// The row of A and the column of B that make an element of C, where these are tensors.
std::vector<About> factors_of(const Product& product, std::int64_t element_of_c);

}  // namespace tl::viz
