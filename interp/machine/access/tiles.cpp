#include "interp/machine/access/tiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "interp/machine/access/lattice.h"
#include "interp/machine/access/line_parts.h"
#include "interp/machine/access/numbering.h"
#include "interp/machine/access/request_width.h"
#include "interp/machine/access/rows.h"
#include "interp/machine/access/shared_sectors.h"
#include "interp/machine/access/tile_size.h"

namespace tl::machine {

namespace {

using trace::AccessPattern;
using trace::AccessRecord;

struct RunKey {
  std::uint32_t pattern, iterations;
  std::int64_t base, step;
  auto operator<=>(const RunKey&) const = default;
};
std::uint64_t hash_of(const RunKey& k) {
  std::uint64_t x = static_cast<std::uint64_t>(k.base) * 0x9E3779B97F4A7C15ull ^
                    static_cast<std::uint64_t>(k.step) * 0xff51afd7ed558ccdull;
  x ^= k.pattern * 0xc4ceb9fe1a85ec53ull + k.iterations;
  return (x ^ x >> 29) * 0x9E3779B97F4A7C15ull;
}
class Builder {
 public:
  Builder(const AccessRecord& record, const Device& device)
      : record_(record), device_(device), widths_(request_widths(record)) {
    for (const AccessPattern& p : record.patterns) rows_.push_back(rows_of(p));
    find_runs();
  }

  Footprint build(bool force_lines) {
    const double line = static_cast<double>(device_.line_bytes);
    const auto [smallest_bytes, smallest] = smallest_tile();
    const std::string overlapping = overlapping_tensor();
    if (force_lines) out_.why_lines = "asked for";
    else if (!overlapping.empty()) out_.why_lines = "tiles of \"" + overlapping + "\" overlap in part";
    else if (smallest_bytes < line)
      out_.why_lines = "tiles of \"" + record_.tensors[smallest].name + "\" are smaller than a line";
    out_.by_lines = !out_.why_lines.empty();
    out_.unit_bytes = out_.by_lines ? line : smallest_bytes;
    number_tiles();
    out_.first_reads.resize(record_.tensors.size());
    out_.stored_once.resize(record_.tensors.size(), 1);
    if (!out_.by_lines) {
      find_shared_sectors();
      out_.why_lines = streamed_in_parts();
    }
    if (!out_.by_lines && !out_.why_lines.empty()) {
      out_.by_lines = true;
      out_.unit_bytes = line;
      next_unit_ = 0;
      out_.pieces.clear();
      out_.tile_numbers.clear();
      out_.unit_tensor.clear();
      out_.first_reads.assign(record_.tensors.size(), {});
      out_.stored_once.assign(record_.tensors.size(), 1);
      for (TileRun& run : out_.runs) run.is_one_unit = false;
      number_tiles();
    }
    if (out_.by_lines) split_into_lines();
    find_additions();
    return std::move(out_);
  }

 private:
  std::int64_t elem_bytes(int tensor) const { return size_in_bytes(record_.tensors[tensor].dtype); }
  std::int64_t lowest_of(const RunKey& k, std::int64_t iteration) const {
    return k.base + iteration * k.step + rows_[k.pattern].lowest;
  }

  void find_runs() {
    struct OfPattern {
      Interned<RunKey> keys;
      std::vector<std::uint32_t> runs;
    };
    std::vector<OfPattern> of_pattern(record_.patterns.size());
    std::map<std::pair<std::uint32_t, std::int64_t>, TileSize>
        sizes;  // a pattern, by where in a pair of sectors it begins
    out_.run_of_access.assign(record_.accesses.size(), UINT32_MAX);
    keys_.reserve(record_.accesses.size());
    out_.runs.reserve(record_.accesses.size());  // memory that is not touched costs nothing, growing does
    for (const trace::Segment& s : record_.segments)
      for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
        const trace::PlacedAccess& at = record_.accesses[a];
        if (rows_[at.pattern].empty()) continue;
        const RunKey key{at.pattern, static_cast<std::uint32_t>(s.iterations), at.base, at.step};
        auto& [keys, runs] = of_pattern[at.pattern];
        const std::uint32_t number = keys.number_of(key);
        if (number == runs.size()) {
          const AccessPattern& p = record_.patterns[at.pattern];
          const std::int64_t bytes = elem_bytes(p.tensor), first = lowest_of(key, 0) * bytes,
                             pair = 2 * device_.sector_bytes;
          const auto [size, is_new] = sizes.try_emplace({at.pattern, first - floor_div(first, pair) * pair});
          if (is_new)
            size->second =
                size_of_tile(device_, rows_[at.pattern], p.route, lowest_of(key, 0), bytes, widths_[at.pattern]);
          const auto [sectors, served, later] = size->second;
          runs.push_back(static_cast<std::uint32_t>(out_.runs.size()));
          keys_.push_back(key);
          out_.runs.push_back({p.tensor, p.kind, p.route, served > sectors * static_cast<float>(device_.sector_bytes),
                               false, static_cast<float>(rows_[at.pattern].elements * bytes), sectors, served,
                               later / sectors, 0, key.iterations, 0, 0});
        }
        out_.run_of_access[a] = runs[number];
      }
  }

  // The first tensor with two overlapping tiles; "": no tensor has any.
  std::string overlapping_tensor() const {
    std::vector<Lattice> lattices(record_.tensors.size());
    for (std::size_t p = 0; p < rows_.size(); ++p)
      if (!rows_[p].empty())
        lattices[record_.patterns[p].tensor].add_pattern(rows_[p], elem_bytes(record_.patterns[p].tensor));
    for (std::size_t i = 0; i < keys_.size(); ++i)
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k)
        lattices[out_.runs[i].tensor].add_tile(lowest_of(keys_[i], k));
    for (std::size_t t = 0; t < lattices.size(); ++t)
      if (!lattices[t].fits()) return record_.tensors[t].name;
    return "";
  }

  // The bytes, up to 16 KiB, and the tensor of the smallest tile that carries traffic: tiles are about whole numbers of
  // such pieces.
  std::pair<double, int> smallest_tile() const {
    double traffic = 0;
    for (const TileRun& r : out_.runs) traffic += double(r.sectors) * r.iterations;
    std::pair<double, int> least{16384, 0};
    for (const TileRun& r : out_.runs)
      if (double(r.sectors) * r.iterations * static_cast<double>(out_.runs.size()) > 0.02 * traffic)
        least = std::min(least, {double(r.sectors) * static_cast<double>(device_.sector_bytes), r.tensor});
    return least;
  }

  void number_tiles() {
    struct Tiles {
      Interned<std::int64_t> lowest;
      std::vector<std::uint32_t> units;  // the first of each
    };
    std::vector<Tiles> tiles(record_.tensors.size());
    out_.tensor_tiles.assign(record_.tensors.size(), 0);
    std::size_t pieces = 0;
    for (const RunKey& key : keys_) pieces += key.iterations;
    out_.pieces.reserve(pieces);
    out_.tile_numbers.reserve(pieces);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      TileRun& run = out_.runs[i];
      run.first_piece = static_cast<std::uint32_t>(out_.pieces.size());
      const auto t = static_cast<std::size_t>(run.tensor);
      const double bytes = double(run.sectors) * static_cast<double>(device_.sector_bytes);
      const auto units = static_cast<std::uint32_t>(std::max(1.0, std::round(bytes / out_.unit_bytes)));
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k) {
        const std::uint32_t number = tiles[t].lowest.number_of(lowest_of(keys_[i], k));
        if (number == out_.tensor_tiles[t]) {
          ++out_.tensor_tiles[t];
          tiles[t].units.push_back(next_unit_);
          if (!out_.by_lines) {
            next_unit_ += units;
            out_.unit_tensor.insert(out_.unit_tensor.end(), units, static_cast<std::uint16_t>(run.tensor));
          }
        }
        out_.pieces.push_back({tiles[t].units[number], units, false});
        out_.tile_numbers.push_back(number);
      }
      if (run.kind == trace::AccessKind::load && units == 1 && !out_.by_lines) find_step(run);
    }
    out_.unit_count = next_unit_;
  }

  void find_step(TileRun& run) const {
    const std::span<const Piece> tiles(&out_.pieces[run.first_piece], run.iterations);
    run.first_unit = tiles[0].first,
    run.unit_step = tiles.size() > 1 ? tiles[1].first - tiles[0].first : 0;  // modulo 2^32, as steps may be negative
    run.is_one_unit = std::ranges::adjacent_find(tiles, [&](const Piece& a, const Piece& b) {
                        return b.first - a.first != run.unit_step;
                      }) == tiles.end();
  }

  // Neighbours that share much of a pair of sectors find it in L2 only where they come at about the same time. Where
  // each tile is read once, by programs far apart, nothing keeps them together; and the tensor has no more lines than
  // it has tiles' lines, so that following them costs little.
  std::string streamed_in_parts() const {
    struct Read {
      std::int64_t lowest;
      std::uint32_t program;
    };
    std::vector<std::vector<Read>> reads(record_.tensors.size());
    for (std::uint32_t n = 0; n < record_.programs.size(); ++n)
      for (std::uint32_t s = record_.programs[n].first; s < record_.programs[n].first + record_.programs[n].size; ++s)
        for (std::uint32_t a = record_.segments[s].first; a < record_.segments[s].first + record_.segments[s].size;
             ++a) {
          const std::uint32_t r = out_.run_of_access[a];
          if (r == UINT32_MAX || out_.runs[r].kind != trace::AccessKind::load) continue;
          const auto t = static_cast<std::size_t>(out_.runs[r].tensor);
          if (out_.first_reads[t].alone <= device_.shared_pairs_from * out_.first_reads[t].fetched ||
              reads[t].size() > out_.tensor_tiles[t])
            continue;
          for (std::int64_t k = 0; k < keys_[r].iterations; ++k) reads[t].push_back({lowest_of(keys_[r], k), n});
        }
    for (std::size_t t = 0; t < reads.size(); ++t) {
      if (reads[t].size() < 2 || reads[t].size() > out_.tensor_tiles[t]) continue;
      std::ranges::sort(reads[t], {}, &Read::lowest);
      std::int64_t far = 0;
      for (std::size_t i = 1; i < reads[t].size(); ++i)
        far += std::abs(double(reads[t][i].program) - double(reads[t][i - 1].program)) >
               device_.far_programs_per_sm * static_cast<double>(device_.sms);
      if (2 * far > static_cast<std::int64_t>(reads[t].size()))
        return "tiles of \"" + record_.tensors[t].name + "\" share parts of lines with programs far away";
    }
    return "";
  }

  void find_additions() {
    out_.added_lines.assign(record_.tensors.size(), 0);
    for (const auto& t : record_.tensors) out_.adds_floats.push_back(!is_integer(t.dtype));
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      TileRun& run = out_.runs[i];
      if (run.kind != trace::AccessKind::atomic) continue;
      const auto t = static_cast<std::size_t>(run.tensor);
      run.additions = static_cast<float>(additions_of(record_, record_.patterns[keys_[i].pattern]));
      if (out_.added_lines[t] > 0) continue;
      out_.added_lines[t] = out_.tensor_tiles[t] * double(run.sectors) * static_cast<double>(device_.sector_bytes) /
                            static_cast<double>(device_.line_bytes);
      if (out_.by_lines)
        out_.added_lines[t] =
            std::min(out_.added_lines[t], static_cast<double>(std::ranges::count(out_.unit_tensor, run.tensor)));
    }
  }

  // Where rows of tiles begin or end within 64 bytes.
  void find_shared_sectors() {
    SharedSectors loaded(device_, record_.tensors.size()), stored(device_, record_.tensors.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const TileRun& run = out_.runs[i];
      SharedSectors& shared = run.kind == trace::AccessKind::load ? loaded : stored;
      const Rows& rows = rows_[keys_[i].pattern];
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k)
        shared.add_tile(static_cast<std::size_t>(run.tensor),
                        out_.tile_numbers[run.first_piece + static_cast<std::size_t>(k)], rows, lowest_of(keys_[i], k),
                        elem_bytes(run.tensor), widths_[keys_[i].pattern]);
    }
    out_.first_reads = loaded.first_reads(static_cast<double>(device_.fetch_bytes));
    for (std::size_t t = 0; const FirstRead& s : stored.first_reads(static_cast<double>(device_.sector_bytes)))
      out_.stored_once[t++] = s.distinct;
  }

  // Lines are numbered in the order in which they are first met, tensor by tensor.
  void split_into_lines() {
    std::vector<Numbers> lines(record_.tensors.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::int64_t n = keys_[i].iterations, ends[] = {lowest_of(keys_[i], 0), lowest_of(keys_[i], n - 1)};
      const Rows& rows = rows_[keys_[i].pattern];
      const auto line_of = [&](std::int64_t element) {
        return floor_div(element * elem_bytes(out_.runs[i].tensor), device_.line_bytes);
      };
      lines[out_.runs[i].tensor].will_hold(
          line_of(std::min(ends[0], ends[1])), line_of(std::max(ends[0], ends[1]) + rows.starts.back() + rows.width),
          n * static_cast<std::int64_t>(rows.starts.size()) * (1 + line_of(rows.width)));
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const TileRun& run = out_.runs[i];
      const auto t = static_cast<std::size_t>(run.tensor);
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k) {
        Piece& piece = out_.pieces[run.first_piece + static_cast<std::size_t>(k)];
        piece.first = static_cast<std::uint32_t>(out_.line_units.size());
        for_each_line(rows_[keys_[i].pattern], lowest_of(keys_[i], k), elem_bytes(run.tensor), device_.line_bytes,
                      [&](std::int64_t line, std::uint8_t parts) {
                        std::uint32_t& number = lines[t][line];
                        if (number == Numbers::none) {
                          number = next_unit_++;
                          out_.unit_tensor.push_back(static_cast<std::uint16_t>(run.tensor));
                        }
                        out_.line_units.push_back(number);
                        out_.line_parts.push_back(parts);
                      });
        piece.units = static_cast<std::uint32_t>(out_.line_units.size()) - piece.first;
        piece.is_scattered = true;
      }
    }
    out_.in_quarters = std::ranges::any_of(out_.line_parts, [](std::uint8_t parts) { return parts != 0xff; });
    out_.unit_count = next_unit_;
    if (!out_.in_quarters) keep_scattered_alone(out_);
  }

  const AccessRecord& record_;
  const Device& device_;
  const std::vector<std::int64_t> widths_;  // of each pattern: bytes of a warp's request; 0: not by registers
  std::vector<Rows> rows_;
  std::vector<RunKey> keys_;
  std::uint32_t next_unit_ = 0;
  Footprint out_;
};

}  // namespace

Footprint footprint_of(const AccessRecord& record, const Device& device, bool force_lines) {
  return Builder(record, device).build(force_lines);
}

}  // namespace tl::machine
