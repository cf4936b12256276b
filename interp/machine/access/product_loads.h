// What a matrix product loads and which block of the output each program computes, read from the access record.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/trace/access_record.h"

namespace tl::machine {

// The naive product of an M x N by an N x K matrix, a row times a column for each element: 2 M K vectors of N elements;
// where the row is kept while it meets all columns, M (K + 1). Beside it, what the tiles of the record load.
struct ProductLoads {
  std::int64_t rows = 0, columns = 0,
               length = 0;   // of the output, and of the vectors; 0: the record is no product of two matrices
  std::int64_t vectors = 0;  // rows (columns + 1)
  double element_bytes = 0, bytes = 0, tile_bytes = 0;  // of the 2 M K vectors, of the M (K + 1), of the tiles
};
ProductLoads product_loads_of(const trace::AccessRecord& record);

// A stored tile, by the place of its block in the output.
struct OutputBlock {
  int tensor = 0;
  std::int64_t row = 0, column = 0;
  std::uint32_t program = 0;
};
// Of the last tensor that is stored by 2-D tiles, in launch order (programs by linear id, each program's in turn);
// empty: no tensor is stored so.
std::vector<OutputBlock> output_blocks(const trace::AccessRecord& record);

}  // namespace tl::machine
