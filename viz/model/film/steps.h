// The tables of a film: what happened at each place of an SM, and on the chip as a whole.
#pragma once

#include "viz/model/film/launch.h"
#include "viz/model/film/tile_grid.h"

namespace tl::viz::film {

// Two tables a place (SM after SM, on each its resident programs): its steps, its programs. Fills film.programs.
void add_place_tables(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops,
                      const std::vector<TileGrid>& grids);

// Columns: time, then these.
enum TrafficColumn : int {
  time,
  dram_read,
  dram_written,
  dram_busy,
  from_l2,
  l1,
  merged,
  near,
  far,
  missed,
  stored,
  dram_so_far,
  dram_written_so_far,
  loads_so_far,
  hit_rate
};
// Rates in GB/s; dram_busy: the part of what DRAM can move; from_l2: all that SMs get from it, missed or not. Returns
// the table's number.
int add_traffic_table(Film& film, const LaunchToPlay& launch);

// What tensors' tiles and L2's halves hold when: events of cells.
struct CellEvents {
  std::vector<float> at;
  std::vector<std::uint32_t> cell;
  std::vector<std::uint8_t> state;
  void add(float us, std::uint32_t of, std::uint8_t becomes) {
    at.push_back(us);
    cell.push_back(of);
    state.push_back(becomes);
  }
  void sort();  // by time, those of one time in the order in which they were added
};
enum TileState : std::uint8_t { untouched, coming, in_l2, left_l2, computing, written };
struct TileStory {
  CellEvents tiles;          // TileState
  CellEvents halves[2];      // 0: not there, 1: there
  std::vector<int> program;  // that stores the cell first; -1: none
  std::vector<float> begun;  // when it began to compute it
};
std::vector<TileStory> stories_of(const LaunchToPlay& launch, const machine::Footprint& footprint,
                                  const std::vector<TileGrid>& grids);

}  // namespace tl::viz::film
