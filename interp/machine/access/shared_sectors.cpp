#include "interp/machine/access/shared_sectors.h"

#include <algorithm>

namespace tl::machine {

double found_by_later_requests(const Device& d, std::int64_t from, std::int64_t end, std::int64_t width) {
  constexpr std::int64_t sector = 32, pair = 2 * sector;
  if (width <= 0 || end - from <= width) return 0;
  const auto meetings = static_cast<double>((end - from - 1) / width);
  if (from % sector != 0) return meetings * (width > sector ? d.pair_within_sector : d.pair_within_narrow);
  if (width % pair == 0) return from % pair == 0 ? 0 : meetings * d.pair_at_edge;
  return width >= sector ? meetings / 2 * d.pair_at_edge : static_cast<double>((end - from) / pair) * d.pair_at_edge;
}

void SharedSectors::add_tile(std::size_t tensor, std::uint32_t number, const Rows& rows, std::int64_t first,
                             std::int64_t elem_bytes, std::int64_t width) {
  Tensor& t = tensors_[tensor];
  if (number >= t.seen.size()) t.seen.resize(number + 1);
  if (t.seen[number]) return;
  t.seen[number] = true;
  const std::int64_t bytes = rows.width * elem_bytes, pair = 2 * sector;
  const auto is_even = [&](std::int64_t at) { return at % pair == 0; };
  if (is_even(first * elem_bytes) && is_even(bytes) && rows.is_regular && is_even(rows.pitch() * elem_bytes)) {
    t.even += static_cast<double>(bytes / sector) * static_cast<double>(rows.starts.size());
    t.requests_apart += found_by_later_requests(device_, 0, bytes, width) * static_cast<double>(rows.starts.size());
    return;
  }
  for (std::size_t i = 0; i < rows.starts.size(); ++i) {
    const std::int64_t from = (first + rows.starts[i]) * elem_bytes;
    std::int64_t end = from + bytes;
    while (i + 1 < rows.starts.size() &&
           (first + rows.starts[i + 1]) * elem_bytes < (floor_div(end - 1, sector) + 1) * sector)
      end = (first + rows.starts[++i]) * elem_bytes + bytes;  // within its last sector
    t.uneven += static_cast<double>(floor_div(end - 1, sector) - floor_div(from, sector) + 1);
    t.requests_apart += found_by_later_requests(device_, from, end, width);
    t.stretches.push_back({from, end});
  }
}

std::vector<FirstRead> SharedSectors::first_reads(double fetch_bytes) const {
  std::vector<FirstRead> all;
  for (const Tensor& t : tensors_) {
    FirstRead& read = all.emplace_back();
    if (t.stretches.empty()) {
      if (t.even > 0) read.missing = std::clamp(1 - t.requests_apart / t.even, device_.first_read_least, 1.0);
      continue;
    }
    const auto [low, high] = std::ranges::minmax(t.stretches, {}, &Stretch::from);
    const std::int64_t origin = floor_div(low.from, 2 * sector) * 2;
    std::vector<bool> touched(static_cast<std::size_t>(floor_div(high.end, sector) - origin + 4));
    for (const Stretch& s : t.stretches)
      for (std::int64_t b = floor_div(s.from, sector); b * sector < s.end; ++b) touched[b - origin] = true;
    double distinct = 0, pairs = 0;
    for (std::size_t i = 0; i + 1 < touched.size(); i += 2) {
      distinct += touched[i] + touched[i + 1];
      pairs += touched[i] || touched[i + 1];
    }
    // A pair that two rows share, each a sector of it: the second to come hits.
    double halves = 0;
    const auto is_touched = [&](std::int64_t b) { return b >= origin && touched[b - origin]; };
    for (const Stretch& s : t.stretches) {
      if (s.from % (2 * sector) == sector && is_touched(floor_div(s.from, sector) - 1)) halves += 0.5;
      if (s.end % (2 * sector) == sector && is_touched(floor_div(s.end, sector))) halves += 0.5;
    }
    const double asked = t.even + t.uneven, shared = t.uneven - distinct;
    const double hits = shared + 0.5 * std::min(shared, static_cast<double>(t.stretches.size())) + halves +
                        t.requests_apart;  // of two that meet, one finds the pair's other half, too
    read.missing = std::clamp(1 - hits / asked, device_.first_read_least, 1.0);
    read.distinct = (t.even + distinct) / asked;
    double alone = 0;
    for (const Stretch& s : t.stretches)
      alone += static_cast<double>(floor_div(s.end - 1, 2 * sector) - floor_div(s.from, 2 * sector) + 1);
    read.alone = (t.even + 2 * alone) / asked;
    read.fetched = (t.even + (fetch_bytes >= 2 * sector ? 2 * pairs : distinct)) / asked;
  }
  return all;
}

}  // namespace tl::machine
