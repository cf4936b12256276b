#include "interp/machine/access/coalescing_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tl::machine {

namespace {

std::int64_t start_of(std::int64_t byte, std::int64_t unit) { return byte - ((byte % unit) + unit) % unit; }
char letter(int lane) { return lane < 10 ? static_cast<char>('0' + lane) : static_cast<char>('a' + lane - 10); }

}  // namespace

int CoalescingPicture::Sector::used_cells() const {
  return static_cast<int>(std::count_if(lanes.begin(), lanes.end(), [](int lane) { return lane >= 0; }));
}

std::string CoalescingPicture::caption() const { return fmt::format("needed {}, fetched {}", needed, fetched); }

CoalescingPicture picture_of(const Request& r, int element_bytes) {
  CoalescingPicture p;
  p.cell_bytes = std::min(element_bytes, sector_bytes);
  p.bytes_a_lane = r.bytes;
  p.lanes = __builtin_popcount(r.active);
  p.needed = static_cast<int>(ideal_sectors(useful_bytes_of(r)));
  std::map<std::int64_t, CoalescingPicture::Sector> by_byte;
  std::map<std::int64_t, std::set<int>> lanes_in;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(r.active >> lane & 1)) continue;
    const std::int64_t from = r.address[lane];
    for (std::int64_t byte = from; byte < from + r.bytes; byte += p.cell_bytes) {
      const std::int64_t start = start_of(byte, sector_bytes);
      auto& sector = by_byte[start];
      sector.byte = start;
      sector.lanes.resize(static_cast<std::size_t>(sector_bytes / p.cell_bytes), -1);
      int& cell = sector.lanes[(byte - start) / p.cell_bytes];
      if (cell < 0) cell = lane;
      lanes_in[start].insert(lane);
    }
  }
  p.fetched = static_cast<int>(by_byte.size());
  std::set<int> wasteful;
  for (auto& [start, sector] : by_byte) {
    const int cells = static_cast<int>(sector.lanes.size());
    if (p.fetched > p.needed && sector.used_cells() < cells)
      wasteful.insert(lanes_in[start].begin(), lanes_in[start].end());
    p.sectors.push_back(std::move(sector));
  }
  p.wasteful_lanes.assign(wasteful.begin(), wasteful.end());
  return p;
}

std::string text_of(const CoalescingPicture& p, int most_lines) {
  constexpr std::int64_t line_bytes = 128;
  if (p.sectors.empty()) return "  no lane asks\n";
  const auto cells = static_cast<std::size_t>(sector_bytes / p.cell_bytes);
  const std::int64_t first = start_of(p.sectors.front().byte, line_bytes);
  std::map<std::int64_t, std::map<std::int64_t, const CoalescingPicture::Sector*>> lines;
  for (const auto& s : p.sectors) lines[start_of(s.byte, line_bytes)][s.byte] = &s;
  std::string text = fmt::format("  {:>7}  ", "byte");
  for (std::int64_t at = 0; at < line_bytes; at += sector_bytes) text += fmt::format("|{:<{}}", at, cells);
  text += "|\n";
  int shown = 0;
  std::int64_t before = first - line_bytes;
  for (const auto& [start, sectors] : lines) {
    if (shown++ == most_lines) {
      text += fmt::format("  {:>7}  {} more lines like these\n", "...", static_cast<int>(lines.size()) - most_lines);
      break;
    }
    if (start != before + line_bytes && shown > 1) text += fmt::format("  {:>7}\n", ":");
    before = start;
    text += fmt::format("  {:>+7}  ", start - first);
    for (std::int64_t at = start; at < start + line_bytes; at += sector_bytes) {
      text += '|';
      const auto it = sectors.find(at);
      if (it == sectors.end()) text += std::string(cells, ' ');
      else
        for (const int lane : it->second->lanes) text += lane < 0 ? '.' : letter(lane);
    }
    text += "|\n";
  }
  return text;
}

}  // namespace tl::machine
