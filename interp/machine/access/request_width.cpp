#include "interp/machine/access/request_width.h"

#include <algorithm>
#include <numeric>

namespace tl::machine {

namespace {

constexpr std::int64_t sector = 32, pair = 2 * sector, known_divisibility = 16, widest = 16;

// Chances that the half which comes later finds its pair there, by where two requests meet: at a sector's edge; within
// a sector, which both ask for, so that either may be the first; and the latter where a request is no wider than a
// sector.
constexpr double at_an_edge = 0.93, within_a_sector = 0.45, within_a_narrow_one = 0.33;

// Elements that divide the place of every access of a pattern, as far as a compiler can know: an int that is no
// multiple of 16 may be anything.
std::vector<std::int64_t> known_places(const trace::AccessRecord& record) {
  std::vector<std::int64_t> places(record.patterns.size(), 0);
  for (const trace::PlacedAccess& a : record.accesses)
    places[a.pattern] = std::gcd(std::gcd(places[a.pattern], a.base), a.step);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const trace::AccessPattern& p = record.patterns[i];
    const auto& strides = record.tensors[static_cast<std::size_t>(p.tensor)].strides;
    const auto is_known = [](std::int64_t stride) { return stride == 1 || stride % known_divisibility == 0; };
    if (places[i] % known_divisibility != 0 && !std::ranges::all_of(strides, is_known)) places[i] = 1;
    for (int d = 0; d < p.shape.rank && p.is_tile; ++d)
      if (p.shape[d] > 1 && p.strides[d] != 1)
        places[i] = is_known(p.strides[d]) ? std::gcd(places[i], p.strides[d]) : 1;
  }
  return places;
}

// Elements of the narrowest tensor in 16 bytes.
std::int64_t widest_of_a_lane(const trace::AccessRecord& record) {
  std::int64_t narrowest = widest;
  for (const auto& t : record.tensors) narrowest = std::min<std::int64_t>(narrowest, size_in_bytes(t.dtype));
  return narrowest == widest ? 4 : widest / narrowest;
}

}  // namespace

// A lane's neighbours are in its own registers, and each of them is a request of its own: 32 lanes that are as far
// apart as they hold elements.
double additions_of(const trace::AccessRecord& record, const trace::AccessPattern& p) {
  std::int64_t elements = 1, neighbours = 1;
  for (int d = 0; d < p.shape.rank; ++d) {
    elements *= p.shape[d];
    if (p.is_tile && p.strides[d] == 1) neighbours = std::max(neighbours, p.shape[d]);
  }
  const double lanes = static_cast<double>(active_lanes(p));
  if (neighbours == 1) return lanes;
  const std::int64_t a_lane =
      std::min({widest_of_a_lane(record), neighbours, std::max<std::int64_t>(1, elements / (32 * record.num_warps))});
  const std::int64_t apart = a_lane * size_in_bytes(record.tensors[static_cast<std::size_t>(p.tensor)].dtype);
  return lanes * std::min(1.0, static_cast<double>(apart) / static_cast<double>(sector));
}

std::vector<std::int64_t> request_widths(const trace::AccessRecord& record) {
  const std::int64_t most = widest_of_a_lane(record);
  const auto places = known_places(record);
  std::vector<std::int64_t> widths(record.patterns.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const trace::AccessPattern& p = record.patterns[i];
    if (p.kind != trace::AccessKind::load || p.route != trace::Route::registers) continue;
    std::int64_t elements = 1, neighbours = p.is_tile ? 1 : 32;
    for (int d = 0; d < p.shape.rank; ++d) {
      elements *= p.shape[d];
      if (p.is_tile && p.strides[d] == 1) neighbours = std::max(neighbours, p.shape[d]);
    }
    if (neighbours == 1) continue;
    const std::int64_t bytes = size_in_bytes(record.tensors[static_cast<std::size_t>(p.tensor)].dtype);
    const std::int64_t aligned = places[i] == 0 ? widest : std::gcd(places[i] * bytes, widest);
    const std::int64_t wanted = !p.is_tile          ? 1
                                : aligned >= widest ? most
                                                    : std::clamp<std::int64_t>(aligned / bytes, 1, most);
    const std::int64_t a_lane = std::min(wanted, std::max<std::int64_t>(1, elements / (32 * record.num_warps)));
    widths[i] = std::min(neighbours, 32 * a_lane) * bytes;
  }
  return widths;
}

double found_by_later_requests(std::int64_t from, std::int64_t end, std::int64_t width) {
  if (width <= 0 || end - from <= width) return 0;
  const auto meetings = static_cast<double>((end - from - 1) / width);
  if (from % sector != 0) return meetings * (width > sector ? within_a_sector : within_a_narrow_one);
  if (width % pair == 0) return from % pair == 0 ? 0 : meetings * at_an_edge;
  return width >= sector ? meetings / 2 * at_an_edge : static_cast<double>((end - from) / pair) * at_an_edge;
}

}  // namespace tl::machine
