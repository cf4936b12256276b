// The accesses of a record as L2 units: each (pattern, base, step) of the record becomes a run of units, one entry an
// iteration, shared by all programs that make it. A unit is a piece of a tile, all of one size, where the tiles of
// every tensor either coincide or are disjoint, and none that matters is smaller than a line; else it is a line, of
// which a tile touches some quarters. Loops stay loops: the runs of an m x n x k product have (m / bm + n / bn) k / bk
// entries, not one a tile load.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/machine/device.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

// One iteration's tile of a run.
struct Piece {
  std::uint32_t first = 0;  // the tile's first unit, the others follow; scattered: index in Footprint::line_units
  std::uint32_t units : 31 = 0;
  std::uint32_t is_scattered : 1 = 0;  // by lines: not all its units follow each other
};

struct TileRun {
  int tensor = 0;
  trace::AccessKind kind = trace::AccessKind::load;
  trace::Route route = trace::Route::registers;
  bool is_unaligned = false;     // a copy whose rows begin within sectors: no SM's request joins another's
  bool is_one_unit = false;      // loads, each of a tile that is one unit, and these follow each other
  float bytes = 0, sectors = 0;  // of a whole tile
  float served_bytes = 0;        // that L2 is at work for: its sectors, or more where a copy's rows begin within one
  float found_later =
      0;  // of the sectors that DRAM gives, the part that its later requests find there (request_width.h)
  std::uint32_t first_piece = 0, iterations = 0;
  std::uint32_t first_unit = 0, unit_step = 0;  // where it is one unit: of iteration i it is first_unit + i * unit_step
  float additions = 0;  // of an atomic access's tile: sectors that L2 adds to, one after the other
};

// The first read of a tile whose rows share sectors with neighbouring tiles: each a part of the sectors that it asks
// for.
struct FirstRead {
  double missing = 1;   // miss in L2
  double fetched = 1;   // are read from DRAM, which gives whole pairs of sectors
  double distinct = 1;  // are asked for by no tile before it
  double alone = 1;     // would miss if L2 held nothing of the neighbours' any more
};

struct Footprint {
  bool by_lines = false;
  bool in_quarters = false;  // by lines, of which some tile does not cover all
  std::string why_lines;     // a sentence without its end
  double unit_bytes = 0;
  std::uint32_t unit_count = 0;
  std::vector<TileRun> runs;
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> tile_numbers;  // of each piece: which distinct tile it is, for counting; by tensor from 0
  std::vector<std::uint32_t> line_units;    // of the scattered pieces
  std::vector<std::uint8_t> line_parts;     // beside them, in quarters: four bits for the quarters of the line that are
                                            // touched, four for those that are covered
  std::vector<FirstRead> first_reads;       // by tiles: of each tensor
  std::vector<double>
      stored_once;  // by tiles: of each tensor's stored sectors, those that no neighbour has counted already
  std::vector<std::uint32_t> tensor_tiles;  // distinct tiles of each tensor
  std::vector<double>
      added_lines;                // of each tensor: lines that atomic accesses add to, a quarter where it is one sector
  std::vector<bool> adds_floats;  // and whether floats
  std::vector<std::uint16_t> unit_tensor;    // of each unit
  std::vector<std::uint32_t> run_of_access;  // beside AccessRecord::accesses; UINT32_MAX: it touches nothing
};

Footprint footprint_of(const trace::AccessRecord& record, const Device& device, bool force_lines = false);

}  // namespace tl::machine
