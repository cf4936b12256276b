#include "interp/machine/shared_sectors.h"

#include <algorithm>

namespace tl::machine {

namespace {

// Of two requests that meet within a sector, the one that needs only the other half of the pair comes second in 45 of 100 cases (calibration/sectors.cu).
constexpr double second_comes_second = 0.45;

}  // namespace

void SharedSectors::add_tile(std::size_t tensor, std::uint32_t number, const Rows& rows, std::int64_t first, std::int64_t elem_bytes, bool by_requests) {
  Tensor& t = tensors_[tensor];
  if (number >= t.seen.size()) t.seen.resize(number + 1);
  if (t.seen[number]) return;
  t.seen[number] = true;
  const std::int64_t bytes = rows.width * elem_bytes, request = 32 * elem_bytes, pair = 2 * sector;
  const auto is_even = [&](std::int64_t at) { return at % pair == 0; };
  if (is_even(first * elem_bytes) && is_even(bytes) && rows.is_regular && is_even(rows.pitch() * elem_bytes)) {
    t.even += static_cast<double>(bytes / sector) * static_cast<double>(rows.starts.size());
    return;
  }
  for (const std::int64_t start : rows.starts) {
    const std::int64_t from = (first + start) * elem_bytes, end = from + bytes;
    t.uneven += static_cast<double>(floor_div(end - 1, sector) - floor_div(from, sector) + 1);
    if (by_requests && !is_even(from)) {
      const std::int64_t stretch = from % 16 == 0 ? 32 * 16 : request;  // where rows are aligned to 16 bytes lanes take that much each
      t.requests_apart += static_cast<double>((bytes - 1) / stretch) * (from % sector == 0 ? 1 : second_comes_second);
    }
    t.stretches.push_back({from, end});
  }
}

std::vector<FirstRead> SharedSectors::first_reads(double fetch_bytes) const {
  std::vector<FirstRead> all;
  for (const Tensor& t : tensors_) {
    FirstRead& read = all.emplace_back();
    if (t.stretches.empty()) continue;
    const auto [low, high] = std::ranges::minmax(t.stretches, {}, &Stretch::from);
    const std::int64_t origin = floor_div(low.from, 2 * sector) * 2;
    std::vector<bool> touched(static_cast<std::size_t>(floor_div(high.end, sector) - origin + 4));
    for (const Stretch& s : t.stretches)
      for (std::int64_t b = floor_div(s.from, sector); b * sector < s.end; ++b) touched[static_cast<std::size_t>(b - origin)] = true;
    double distinct = 0, pairs = 0;
    for (std::size_t i = 0; i + 1 < touched.size(); i += 2) {
      distinct += touched[i] + touched[i + 1];
      pairs += touched[i] || touched[i + 1];
    }
    // A pair that two rows share, each a sector of it: the second to come hits.
    double halves = 0;
    const auto is_touched = [&](std::int64_t b) { return b >= origin && touched[static_cast<std::size_t>(b - origin)]; };
    for (const Stretch& s : t.stretches) {
      if (s.from % (2 * sector) == sector && is_touched(floor_div(s.from, sector) - 1)) halves += 0.5;
      if (s.end % (2 * sector) == sector && is_touched(floor_div(s.end, sector))) halves += 0.5;
    }
    const double asked = t.even + t.uneven, hits = 1.5 * (t.uneven - distinct) + halves + t.requests_apart;
    read.missing = std::clamp(1 - hits / asked, 0.1, 1.0);
    read.fetched = (t.even + (fetch_bytes >= 2 * sector ? 2 * pairs : distinct)) / asked;
  }
  return all;
}

}  // namespace tl::machine
