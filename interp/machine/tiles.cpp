#include "interp/machine/tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace tl::machine {

namespace {

using trace::AccessPattern;
using trace::AccessRecord;

// A pattern as rows of consecutive elements, relative to its lowest active element.
struct Rows {
  std::int64_t lowest = 0;  // offset of that element from the access's base
  std::vector<std::int64_t> starts;
  std::int64_t width = 0;  // elements of a row
  std::int64_t elements = 0;
  bool empty() const { return elements == 0; }
  // Rows at equal distances: the shape that tiles of a matrix have.
  std::int64_t pitch() const { return starts.size() > 1 ? starts[1] - starts[0] : 0; }
  bool is_regular() const {
    for (std::size_t i = 2; i < starts.size(); ++i)
      if (starts[i] - starts[i - 1] != pitch()) return false;
    return true;
  }
};

void merge_touching(Rows& r) {
  std::sort(r.starts.begin(), r.starts.end());
  r.starts.erase(std::unique(r.starts.begin(), r.starts.end()), r.starts.end());
  if (!r.is_regular() || r.starts.size() < 2 || r.pitch() != r.width) return;
  r.width *= static_cast<std::int64_t>(r.starts.size());
  r.starts.erase(r.starts.begin() + 1, r.starts.end());
}

Rows rows_of_tile(const AccessPattern& p) {
  Rows r;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
  for (int d = 0; d < p.shape.rank; ++d) {
    const std::int64_t extent = p.hi[d] - p.lo[d];
    if (extent <= 0) return r;
    r.lowest += p.lo[d] * p.strides[d] + (p.strides[d] < 0 ? (extent - 1) * p.strides[d] : 0);
    if (extent > 1 && p.strides[d] != 0) axes.push_back({std::abs(p.strides[d]), extent});
  }
  std::sort(axes.begin(), axes.end());
  r.width = 1;
  r.starts = {0};
  for (const auto& [stride, extent] : axes) {
    if (r.starts.size() == 1 && stride <= r.width) {
      r.width = std::max(r.width, stride * (extent - 1) + r.width);
      continue;
    }
    const std::size_t n = r.starts.size();
    for (std::int64_t i = 1; i < extent; ++i)
      for (std::size_t j = 0; j < n; ++j) r.starts.push_back(r.starts[j] + i * stride);
  }
  merge_touching(r);
  r.elements = r.width * static_cast<std::int64_t>(r.starts.size());
  return r;
}

Rows rows_of_lanes(const AccessPattern& p) {
  Rows r;
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < p.offsets.size(); ++i)
    if (p.mask.empty() || p.mask[i]) at.push_back(p.offsets[i]);
  if (at.empty()) return r;
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  r.lowest = at.front();
  // One width for all rows: the whole when it is one stretch, else single elements.
  const bool one_stretch = at.back() - at.front() + 1 == static_cast<std::int64_t>(at.size());
  r.width = one_stretch ? static_cast<std::int64_t>(at.size()) : 1;
  for (const std::int64_t a : at)
    if (r.starts.empty() || !one_stretch) r.starts.push_back(a - r.lowest);
  r.elements = static_cast<std::int64_t>(at.size());
  return r;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b > 0 && (b & (b - 1)) == 0) return a >> std::countr_zero(static_cast<std::uint64_t>(b));
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

// visit(block) for every block of `size` bytes that the rows touch; a block that two rows share may come twice, one after the other never.
template <class Visit>
void for_each_block(const Rows& r, std::int64_t first_elem, std::int64_t elem_bytes, std::int64_t size, Visit visit) {
  std::int64_t last = INT64_MIN;
  for (const std::int64_t start : r.starts) {
    const std::int64_t from = (first_elem + start) * elem_bytes, to = from + r.width * elem_bytes - 1;
    for (std::int64_t b = floor_div(from, size); b <= floor_div(to, size); ++b)
      if (b != last) visit(b), last = b;
  }
}

// A number for each key, given by whoever meets it first: a table from the least key to the largest, or a hash where that would be mostly empty.
class Numbers {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  void will_hold(std::int64_t least, std::int64_t most, std::int64_t meetings) {
    least_ = std::min(least_, least), most_ = std::max(most_, most), meetings_ += meetings;
  }
  // After the last will_hold; `none` where the key is new.
  std::uint32_t& operator[](std::int64_t key) {
    if (table_.empty() && most_ - least_ < 4 * meetings_) table_.assign(static_cast<std::size_t>(most_ - least_ + 1), none);
    return table_.empty() ? hash_.try_emplace(key, none).first->second : table_[static_cast<std::size_t>(key - least_)];
  }

 private:
  std::int64_t least_ = INT64_MAX / 4, most_ = INT64_MIN / 4, meetings_ = 0;
  std::vector<std::uint32_t> table_;
  std::unordered_map<std::int64_t, std::uint32_t> hash_;
};

// Whether tiles at `bases` of one tensor coincide or are disjoint: all patterns have the same pitch, and bases stand on a lattice of the
// largest rows x columns.
class Lattice {
 public:
  void add_pattern(const Rows& r) {
    if (!r.is_regular()) regular_ = false;
    if (r.pitch() != 0) {
      if (pitch_ != 0 && pitch_ != r.pitch()) regular_ = false;
      pitch_ = r.pitch();
    }
    rows_ = std::max(rows_, static_cast<std::int64_t>(r.starts.size()));
    width_ = std::max(width_, r.width);
  }
  void add_tile(std::int64_t lowest) {
    if (!started_) origin_ = lowest, started_ = true;
    const std::int64_t from = lowest - origin_;
    const std::int64_t row = pitch_ ? floor_div(from, pitch_) : 0, column = from - row * pitch_;
    if (row % rows_ != 0 || column % width_ != 0) fits_ = false;
  }
  bool fits() const { return regular_ && fits_; }

 private:
  std::int64_t pitch_ = 0, rows_ = 1, width_ = 1, origin_ = 0;
  bool regular_ = true, fits_ = true, started_ = false;
};

struct RunKey {
  std::uint32_t pattern;
  std::int64_t base, step, iterations;
  bool operator==(const RunKey&) const = default;
};
struct RunKeyHash {
  std::size_t operator()(const RunKey& k) const {
    std::uint64_t x = static_cast<std::uint64_t>(k.base) * 0x9E3779B97F4A7C15ull ^ static_cast<std::uint64_t>(k.step) * 0xff51afd7ed558ccdull;
    x ^= k.pattern * 0xc4ceb9fe1a85ec53ull + static_cast<std::uint64_t>(k.iterations);
    return x ^ x >> 29;
  }
};

class Builder {
 public:
  Builder(const AccessRecord& record, const Device& device) : record_(record), device_(device) {
    for (const AccessPattern& p : record.patterns) rows_.push_back(p.is_tile ? rows_of_tile(p) : rows_of_lanes(p));
    find_runs();
  }

  Footprint build(bool force_lines) {
    const double line = static_cast<double>(device_.line_bytes);
    const auto [smallest_bytes, smallest] = smallest_tile();
    out_.why_lines = force_lines ? "asked for" : overlapping_tensor();
    if (out_.why_lines.empty() && smallest_bytes < line) out_.why_lines = record_.tensors[static_cast<std::size_t>(smallest)].name;
    out_.by_lines = !out_.why_lines.empty();
    out_.unit_bytes = smallest_bytes;
    if (out_.by_lines) out_.unit_bytes = smallest_bytes < line ? static_cast<double>(device_.sector_bytes) : line;  // tiles that share a line are fetched by sectors
    number_tiles();
    if (out_.by_lines) split_into_lines();
    return std::move(out_);
  }

 private:
  std::int64_t elem_bytes(int tensor) const { return size_in_bytes(record_.tensors[static_cast<std::size_t>(tensor)].dtype); }
  std::int64_t lowest_of(const RunKey& k, std::int64_t iteration) const { return k.base + iteration * k.step + rows_[k.pattern].lowest; }

  void find_runs() {
    std::unordered_map<RunKey, std::uint32_t, RunKeyHash> seen;
    out_.run_of_access.assign(record_.accesses.size(), UINT32_MAX);
    for (const trace::Segment& s : record_.segments)
      for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
        const trace::PlacedAccess& at = record_.accesses[a];
        if (rows_[at.pattern].empty()) continue;
        const RunKey key{at.pattern, at.base, at.step, s.iterations};
        const auto [found, is_new] = seen.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
        if (is_new) {
          keys_.push_back(key);
          const AccessPattern& p = record_.patterns[at.pattern];
          const Rows& r = rows_[at.pattern];
          double sectors = 0;
          for_each_block(r, lowest_of(key, 0), elem_bytes(p.tensor), device_.sector_bytes, [&](std::int64_t) { sectors += 1; });
          out_.runs.push_back({p.tensor, p.kind, p.route, static_cast<float>(r.elements * elem_bytes(p.tensor)), static_cast<float>(sectors), 0,
                               static_cast<std::uint32_t>(s.iterations), 0});
        }
        out_.run_of_access[a] = found->second;
      }
  }

  // The first tensor of which two tiles share a part; "" when there is none.
  std::string overlapping_tensor() const {
    std::vector<Lattice> lattices(record_.tensors.size());
    for (std::size_t p = 0; p < rows_.size(); ++p)
      if (!rows_[p].empty()) lattices[static_cast<std::size_t>(record_.patterns[p].tensor)].add_pattern(rows_[p]);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k) lattices[static_cast<std::size_t>(out_.runs[i].tensor)].add_tile(lowest_of(keys_[i], k));
    for (std::size_t t = 0; t < lattices.size(); ++t)
      if (!lattices[t].fits()) return record_.tensors[t].name;
    return "";
  }

  // The bytes, up to 16 KiB, and the tensor of the smallest tile that carries traffic: tiles are about whole numbers of such pieces.
  std::pair<double, int> smallest_tile() const {
    double traffic = 0;
    for (const Run& r : out_.runs) traffic += double(r.sectors) * r.iterations;
    std::pair<double, int> least{16384, 0};
    for (const Run& r : out_.runs)
      if (double(r.sectors) * r.iterations * static_cast<double>(out_.runs.size()) > 0.02 * traffic)
        least = std::min(least, {double(r.sectors) * static_cast<double>(device_.sector_bytes), r.tensor});
    return least;
  }

  void number_tiles() {
    std::vector<std::unordered_map<std::int64_t, std::pair<std::uint32_t, std::uint32_t>>> tiles(record_.tensors.size());  // -> unit, number
    out_.tensor_tiles.assign(record_.tensors.size(), 0);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      Run& run = out_.runs[i];
      run.first_piece = static_cast<std::uint32_t>(out_.pieces.size());
      const auto t = static_cast<std::size_t>(run.tensor);
      const double bytes = double(run.sectors) * static_cast<double>(device_.sector_bytes);
      const auto units = static_cast<std::uint32_t>(std::max(1.0, std::round(bytes / out_.unit_bytes)));
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k) {
        const auto [at, is_new] = tiles[t].try_emplace(lowest_of(keys_[i], k), std::pair{next_unit_, out_.tensor_tiles[t]});
        if (is_new) {
          ++out_.tensor_tiles[t];
          if (!out_.by_lines) {
            next_unit_ += units;
            out_.unit_tensor.insert(out_.unit_tensor.end(), units, run.tensor);
          }
        }
        out_.pieces.push_back({at->second.first, units});
        out_.tile_numbers.push_back(at->second.second);
      }
    }
    out_.unit_count = next_unit_;
  }

  // Lines are numbered in the order in which they are first met, tensor by tensor.
  void split_into_lines() {
    const auto line_bytes = static_cast<std::int64_t>(out_.unit_bytes);
    std::vector<Numbers> lines(record_.tensors.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::int64_t n = keys_[i].iterations, ends[] = {lowest_of(keys_[i], 0), lowest_of(keys_[i], n - 1)};
      const Rows& rows = rows_[keys_[i].pattern];
      const auto line_of = [&](std::int64_t element) { return floor_div(element * elem_bytes(out_.runs[i].tensor), line_bytes); };
      lines[static_cast<std::size_t>(out_.runs[i].tensor)].will_hold(line_of(std::min(ends[0], ends[1])), line_of(std::max(ends[0], ends[1]) + rows.starts.back() + rows.width),
                                                                     n * static_cast<std::int64_t>(rows.starts.size()) * (1 + line_of(rows.width)));
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Run& run = out_.runs[i];
      const auto t = static_cast<std::size_t>(run.tensor);
      for (std::int64_t k = 0; k < keys_[i].iterations; ++k) {
        Piece& piece = out_.pieces[run.first_piece + static_cast<std::size_t>(k)];
        piece.first = static_cast<std::uint32_t>(out_.line_units.size());
        for_each_block(rows_[keys_[i].pattern], lowest_of(keys_[i], k), elem_bytes(run.tensor), line_bytes, [&](std::int64_t line) {
          std::uint32_t& number = lines[t][line];
          if (number == Numbers::none) number = next_unit_++, out_.unit_tensor.push_back(run.tensor);
          out_.line_units.push_back(number);
        });
        piece.units = static_cast<std::uint32_t>(out_.line_units.size()) - piece.first;
      }
    }
    out_.unit_count = next_unit_;
  }

  const AccessRecord& record_;
  const Device& device_;
  std::vector<Rows> rows_;
  std::vector<RunKey> keys_;
  std::uint32_t next_unit_ = 0;
  Footprint out_;
};

}  // namespace

Footprint footprint_of(const AccessRecord& record, const Device& device, bool force_lines) { return Builder(record, device).build(force_lines); }

}  // namespace tl::machine
