// A tensor as the tiles that programs load and store of it.
#pragma once

#include <string>
#include <vector>

#include "interp/machine/access/tiles.h"

namespace tl::viz::film {

struct TileGrid {
  int tensor = -1;
  std::string name;
  std::int64_t tensor_rows = 1, tensor_columns = 1;  // elements; of more than two axes the rows of all planes
  std::int64_t tile_rows = 1, tile_columns = 1;      // elements of a cell
  // For a tensor of planes: the rows of each, and in how many a tile lies, with its rows in each. 0: all is one plane.
  std::int64_t planes = 1, plane_rows = 0;
  std::int64_t rows = 1, columns = 1;  // cells
  bool wraps = false;                  // in one row or column: shown in several
  bool is_loaded = false, is_stored = false;
  std::vector<int> cell_of_tile;  // by the footprint's number of the tile
  std::int64_t cells() const { return rows * columns; }
  std::int64_t count_rows() const;
  std::int64_t row_of(std::int64_t row_of_tensor) const;  // of cells
};

// Of the tensors that are touched.
std::vector<TileGrid> tile_grids(const trace::AccessRecord& record, const machine::Footprint& footprint);
// Where only every `sampled`-th unit of L2 is followed: tiles whose units are neighbours share a cell, so that each
// cell has one that is.
void merge_unfollowed(std::vector<TileGrid>& grids, const machine::Footprint& footprint, std::int64_t sampled);
// For each unit of L2: the grid's number * 2^24 + its cell; -1: of none.
std::vector<std::int64_t> cells_of_units(const machine::Footprint& footprint, const std::vector<TileGrid>& grids);

}  // namespace tl::viz::film
