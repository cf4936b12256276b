#include "viz/model/film/tile_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interp/machine/access/rows.h"

namespace tl::viz::film {

namespace {

constexpr std::int64_t most_cells = 32768;  // of a grid: more are merged

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / std::max<std::int64_t>(1, part);
}

// Rows of the matrix that all axes but the last make together.
std::int64_t pitch_of(const trace::RecordedTensor& t) {
  const std::size_t rank = t.shape.size();
  if (rank < 2) return std::max<std::int64_t>(1, t.storage_elems);
  const std::int64_t row = t.strides[rank - 2];
  return row > 0 && t.strides[rank - 1] == 1 ? row : std::max<std::int64_t>(1, t.shape[rank - 1]);
}

// For a tensor of three axes or more; 0: it has fewer, or its planes are no whole rows apart.
std::int64_t rows_of_plane(const trace::RecordedTensor& t) {
  const std::size_t rank = t.shape.size();
  const std::int64_t pitch = pitch_of(t);
  return rank > 2 && t.strides[rank - 3] > 0 && t.strides[rank - 3] % pitch == 0 ? t.strides[rank - 3] / pitch : 0;
}

void size_cells(TileGrid& g, const trace::RecordedTensor& t) {
  const std::int64_t pitch = pitch_of(t);
  g.tensor_columns = std::min(pitch, std::max<std::int64_t>(1, t.shape.empty() ? t.storage_elems : t.shape.back()));
  g.tensor_rows = std::max<std::int64_t>(1, parts(t.storage_elems, pitch));
  const auto count = [&] {
    g.rows = g.count_rows();
    g.columns = parts(g.tensor_columns, g.tile_columns);
  };
  count();
  while (g.cells() > most_cells) {
    const bool is_whole = g.plane_rows > 0 && g.tile_rows >= g.plane_rows;
    (g.rows < g.columns ? g.tile_columns : is_whole ? g.planes : g.tile_rows) *= 2;
    count();
  }
  g.wraps = std::min(g.rows, g.columns) == 1 && std::max(g.rows, g.columns) > 12;
}

// A tile's runs as groups of rows that follow one another, the groups equally far apart: how many there are, and how
// far. None: 1 and 0.
std::pair<std::int64_t, std::int64_t> planes_of(const std::vector<std::int64_t>& starts, std::int64_t step) {
  const auto runs = static_cast<std::int64_t>(starts.size());
  std::int64_t in_group = 1;
  while (in_group < runs && starts[in_group] - starts[in_group - 1] == step) ++in_group;
  if (in_group == runs || runs % in_group != 0) return {1, 0};
  const std::int64_t apart = starts[in_group] - starts[0];
  for (std::int64_t i = 0; i < runs; ++i)
    if (starts[i] != starts[0] + i / in_group * apart + i % in_group * step) return {1, 0};
  return {runs / in_group, apart};
}

}  // namespace

std::int64_t TileGrid::count_rows() const {
  return plane_rows > 0 ? parts(parts(tensor_rows, plane_rows), planes) * parts(plane_rows, tile_rows)
                        : parts(tensor_rows, tile_rows);
}

std::int64_t TileGrid::row_of(std::int64_t r) const {
  return plane_rows > 0 ? r / plane_rows / planes * parts(plane_rows, tile_rows) + r % plane_rows / tile_rows
                        : r / tile_rows;
}

std::vector<TileGrid> tile_grids(const trace::AccessRecord& record, const machine::Footprint& footprint) {
  std::vector<machine::Rows> rows;
  for (const trace::AccessPattern& p : record.patterns) rows.push_back(machine::rows_of(p));
  std::vector<TileGrid> of_tensor(record.tensors.size());
  for (std::size_t p = 0; p < rows.size(); ++p) {
    if (rows[p].empty()) continue;
    const trace::AccessPattern& pattern = record.patterns[p];
    TileGrid& g = of_tensor[pattern.tensor];
    g.tensor = pattern.tensor;
    g.name = record.tensors[pattern.tensor].name;
    const auto runs = static_cast<std::int64_t>(rows[p].starts.size());
    const std::int64_t width = rows[p].width, pitch = pitch_of(record.tensors[pattern.tensor]),
                       whole = width > pitch ? width / pitch : 1;  // rows that one run goes over
    const auto [planes, apart] = planes_of(rows[p].starts, whole * pitch);
    if (planes > 1 && apart % pitch == 0 && apart / pitch > runs / planes * whole && g.tile_rows == 1) {
      g.planes = planes;
      g.plane_rows = apart / pitch;
    } else if (g.planes > 1 && planes != g.planes) {
      g.tile_rows *= std::exchange(g.planes, 1);
      g.plane_rows = 0;  // another access takes other tiles
    }
    g.tile_rows = std::max(g.tile_rows, runs * whole / g.planes);
    g.tile_columns = std::max(g.tile_columns, std::min(width, pitch));
    (pattern.kind == trace::AccessKind::load ? g.is_loaded : g.is_stored) = true;
  }
  for (TileGrid& g : of_tensor)
    if (g.tensor >= 0) {
      if (const std::int64_t rows_a_plane = rows_of_plane(record.tensors[g.tensor]);
          g.plane_rows == 0 && g.tile_rows < rows_a_plane)
        g.plane_rows = rows_a_plane;  // a plane's last tile may be cut: the next plane begins a tile of its own
      size_cells(g, record.tensors[g.tensor]);
      g.cell_of_tile.assign(footprint.tensor_tiles[g.tensor], 0);
    }
  std::vector<bool> seen(footprint.runs.size());
  for (const trace::Segment& s : record.segments)
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const std::uint32_t r = footprint.run_of_access[a];
      if (r == UINT32_MAX || seen[r]) continue;
      seen[r] = true;
      const machine::TileRun& run = footprint.runs[r];
      TileGrid& g = of_tensor[run.tensor];
      const std::int64_t pitch = pitch_of(record.tensors[g.tensor]);
      for (std::uint32_t i = 0; i < run.iterations; ++i) {
        const std::int64_t e =
            record.accesses[a].base + i * record.accesses[a].step + rows[record.accesses[a].pattern].lowest;
        const std::int64_t row = std::clamp<std::int64_t>(g.row_of(e / pitch), 0, g.rows - 1),
                           column = std::clamp<std::int64_t>(e % pitch / g.tile_columns, 0, g.columns - 1);
        g.cell_of_tile[footprint.tile_numbers[run.first_piece + i]] = static_cast<int>(row * g.columns + column);
      }
    }
  std::erase_if(of_tensor, [](const TileGrid& g) { return g.tensor < 0; });
  return of_tensor;
}

void merge_unfollowed(std::vector<TileGrid>& grids, const machine::Footprint& footprint, std::int64_t sampled) {
  if (sampled < 2) return;
  const auto cells = cells_of_units(footprint, grids);
  for (std::size_t n = 0; n < grids.size(); ++n) {
    TileGrid& g = grids[n];
    if (g.is_stored) continue;  // what is stored is known of each
    std::int64_t across = 0, down = 0;
    for (std::size_t u = 0; u + 1 < cells.size(); ++u) {
      if (cells[u] < 0 || cells[u] >> 24 != static_cast<std::int64_t>(n)) continue;
      across += cells[u + 1] == cells[u] + 1;
      down += cells[u + 1] == cells[u] + g.columns;
    }
    const std::int64_t by_rows = down > across ? sampled : 1, by_columns = down > across ? 1 : sampled,
                       columns = g.columns;
    g.tile_rows *= by_rows;
    g.tile_columns *= by_columns;
    g.rows = parts(g.rows, by_rows);
    g.columns = parts(g.columns, by_columns);
    for (int& cell : g.cell_of_tile)
      cell = static_cast<int>(cell / columns / by_rows * g.columns + cell % columns / by_columns);
  }
}

std::vector<std::int64_t> cells_of_units(const machine::Footprint& f, const std::vector<TileGrid>& grids) {
  std::vector<std::int64_t> cells(f.unit_count, -1);
  std::vector<int> grid_of(f.tensor_tiles.size(), -1);
  for (std::size_t g = 0; g < grids.size(); ++g) grid_of[grids[g].tensor] = static_cast<int>(g);
  for (const machine::TileRun& run : f.runs)
    for (std::uint32_t i = 0; i < run.iterations; ++i) {
      const machine::Piece& piece = f.pieces[run.first_piece + i];
      const std::int64_t g = grid_of[run.tensor],
                         cell = g << 24 | grids[g].cell_of_tile[f.tile_numbers[run.first_piece + i]];
      for (std::uint32_t u = piece.first; u < piece.first + piece.units; ++u) {
        std::int64_t& of = cells[piece.is_scattered ? f.line_units[u] : u];
        if (of < 0) of = cell;
      }
    }
  return cells;
}

}  // namespace tl::viz::film
