#include "interp/machine/access/request_width.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "interp/rules/access.h"

namespace tl::machine {

namespace {

constexpr std::int64_t sector = 32;

// Elements that divide the place of every access of a pattern, as far as a compiler knows what divides the strides.
std::vector<std::int64_t> known_places(const trace::AccessRecord& record) {
  std::vector<std::int64_t> places(record.patterns.size(), 0);
  for (const trace::PlacedAccess& a : record.accesses)
    places[a.pattern] = std::gcd(std::gcd(places[a.pattern], a.base), a.step);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const trace::AccessPattern& p = record.patterns[i];
    const auto& strides = record.tensors[p.tensor].strides;
    const auto divide_by = [&](std::int64_t stride) {
      if (stride != 1) places[i] = std::gcd(places[i], rules::known_divisibility(stride, record.least_divisor));
    };
    if (places[i] % rules::widest_access != 0) std::ranges::for_each(strides, divide_by);
    for (int d = 0; d < p.shape.rank && p.is_tile; ++d)
      if (p.shape[d] > 1) divide_by(p.strides[d]);
  }
  return places;
}

// How a pattern's elements are shared.
struct Shared {
  int elements = 1, along;  // in all; beside each other in memory
  Shared(const trace::AccessPattern& p, int scattered) : along(p.is_tile ? 1 : scattered) {
    for (int d = 0; d < p.shape.rank; ++d) {
      elements *= static_cast<int>(p.shape[d]);
      if (p.is_tile && p.strides[d] == 1) along = std::max(along, static_cast<int>(p.shape[d]));
    }
  }
  int of_thread(int vector, int num_warps) const {
    return rules::neighbours_of_thread(vector, along, elements, num_warps);
  }
};

int vector_of(const trace::AccessRecord& record) {
  int narrowest = 0;
  for (const auto& t : record.tensors) {
    const int size = size_in_bytes(t.dtype);
    narrowest = narrowest == 0 ? size : std::min(narrowest, size);
  }
  return rules::vector_of(narrowest);
}

}  // namespace

// A lane's neighbours are in its own registers, and each of them is a request of its own: 32 lanes that are as far
// apart as they hold elements.
double additions_of(const trace::AccessRecord& record, const trace::AccessPattern& p) {
  const Shared shared(p, 1);
  const double lanes = static_cast<double>(p.active_lanes());
  if (shared.along == 1) return lanes;
  const int apart =
      shared.of_thread(vector_of(record), record.num_warps) * size_in_bytes(record.tensors[p.tensor].dtype);
  return lanes * std::min(1.0, static_cast<double>(apart) / static_cast<double>(sector));
}

static std::vector<int> lane_elements(const trace::AccessRecord& record) {
  const int vector = vector_of(record);
  const auto places = known_places(record);
  std::vector<int> elements(record.patterns.size(), 1);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const trace::AccessPattern& p = record.patterns[i];
    const Shared shared(p, 32);
    if (p.route != trace::Route::registers || shared.along == 1) continue;
    const int bytes = size_in_bytes(record.tensors[p.tensor].dtype);
    const auto aligned = static_cast<int>(std::gcd(places[i] * bytes, std::int64_t{rules::widest_access}));
    const int wanted = p.is_tile ? rules::vector_at(aligned, bytes, vector) : 1;
    elements[i] = shared.of_thread(wanted, record.num_warps);
  }
  return elements;
}

std::int64_t copied_at_once(const trace::AccessPattern& p, std::int64_t element_bytes) {
  std::int64_t bytes = rules::widest_access;
  for (int d = 0; d < p.shape.rank && p.is_tile; ++d)
    if (p.shape[d] > 1 && p.strides[d] != 1) bytes = std::gcd(bytes, p.strides[d] * element_bytes);
  return bytes;
}

LaneRequests lane_requests(const trace::AccessRecord& record) {
  std::map<std::tuple<std::string_view, int, int>, std::uint32_t> met;  // by place: two bits an axis
  const auto place_of = [](const trace::AccessPattern& p) {
    return std::tuple(std::string_view(p.site.file), p.site.line, p.site.column);
  };
  for (const trace::AccessPattern& p : record.patterns)
    for (int d = 0; d < p.shape.rank && p.is_tile; ++d)
      met[place_of(p)] |= (p.lo[d] > 0 ? 1u << 2 * d : 0) | (p.hi[d] < p.shape[d] ? 2u << 2 * d : 0);
  LaneRequests r{lane_elements(record), {}};
  for (const trace::AccessPattern& p : record.patterns) r.bounds.push_back(std::popcount(met[place_of(p)]));
  return r;
}

std::vector<std::int64_t> request_widths(const trace::AccessRecord& record) {
  const std::vector<int> elements = lane_elements(record);
  std::vector<std::int64_t> widths(record.patterns.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const trace::AccessPattern& p = record.patterns[i];
    if (p.kind != trace::AccessKind::load || p.route != trace::Route::registers) continue;
    const Shared shared(p, 32);
    if (shared.along == 1) continue;
    widths[i] = std::int64_t{std::min(shared.along, 32 * elements[i])} * size_in_bytes(record.tensors[p.tensor].dtype);
  }
  return widths;
}

}  // namespace tl::machine
