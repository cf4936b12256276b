#include "interp/report/access_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tl::report {

namespace {

using trace::AccessPattern;

constexpr std::size_t widest = 120;
constexpr std::uint32_t most_in_a_segment = 12;

const char* verb_of(const AccessPattern& p) {
  switch (p.kind) {
    case trace::AccessKind::load:
      return p.route == trace::Route::descriptor ? "tma load" : p.route == trace::Route::staged ? "stage" : "load";
    case trace::AccessKind::store: return p.route == trace::Route::descriptor ? "tma store" : "store";
    default: return "atomic";
  }
}

// One axis of a tensor: where the tile begins on it in iteration i, and how it goes on.
struct Along {
  std::int64_t first = 0, step = 0;  // first + step i
  std::int64_t extent = 1, active = 1, stride = 1;
  int tile_axis = -1;  // -1: one index
};

std::string text_of(const Along& a) {
  if (a.tile_axis < 0) return linear_text(a.first, a.step);
  std::string text = linear_text(a.first, a.step) + ":" +
                     linear_text(a.first + (a.active - 1) * a.stride + (a.stride > 0 ? 1 : -1), a.step);
  if (a.stride != 1) text += fmt::format(":{}", a.stride);
  if (a.active != a.extent) text += fmt::format(" of {}", a.extent);
  return text;
}

// The tile in the tensor's coordinates; none where its axes lie along none of the tensor's, or it wraps around one.
std::optional<std::vector<Along>> along_axes(const trace::RecordedTensor& t, const AccessPattern& p,
                                             const trace::PlacedAccess& at) {
  const std::size_t rank = t.shape.size();
  std::vector<Along> axes(rank);
  // By falling stride, so that an offset falls apart into coordinates.
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return t.strides[a] > t.strides[b]; });
  std::int64_t first = at.base, step = at.step;
  for (int i = 0; i < p.shape.rank; ++i) first += p.lo[i] * p.strides[i];
  if (first < 0) return {};
  for (const std::size_t d : order) {
    if (t.strides[d] <= 0) return {};
    axes[d].first = first / t.strides[d];
    first %= t.strides[d];
    axes[d].step = step / t.strides[d];
    step %= t.strides[d];
  }
  if (first != 0 || step != 0) return {};
  for (int i = 0; i < p.shape.rank; ++i) {
    const std::int64_t stride = p.strides[i];
    if (p.shape[i] == 1) continue;
    if (stride == 0) return {};
    std::optional<std::size_t> axis;
    for (const std::size_t d : order)
      if (axes[d].tile_axis < 0 && stride % t.strides[d] == 0 &&
          std::abs(stride / t.strides[d]) * (p.hi[i] - p.lo[i] - 1) < t.shape[d]) {
        axis = d;
        break;
      }
    if (!axis) return {};
    Along& a = axes[*axis];
    a.tile_axis = i;
    a.stride = stride / t.strides[*axis];
    a.extent = p.shape[i];
    a.active = p.hi[i] - p.lo[i];
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t last = axes[d].first + (axes[d].active - 1) * axes[d].stride;
    if (last < 0 || (last >= t.shape[d] && d != order[0])) return {};
  }
  return axes;
}

std::string lanes_text(std::int64_t active, std::int64_t lanes) {
  return active == lanes ? fmt::format("{} lanes", lanes) : fmt::format("{} of {} lanes", active, lanes);
}

std::string flat_text(const AccessPattern& p, const trace::PlacedAccess& at) {
  std::int64_t base = at.base;
  for (int i = 0; i < p.shape.rank; ++i) base += p.lo[i] * p.strides[i];
  if (p.shape.rank == 0) return linear_text(base, at.step);
  if (p.shape.rank == 1 && p.strides[0] == 0)
    return fmt::format("{} in {}", linear_text(base, at.step), lanes_text(p.hi[0] - p.lo[0], p.shape[0]));
  if (p.shape.rank == 1) return text_of({base, at.step, p.shape[0], p.hi[0] - p.lo[0], p.strides[0], 0});
  std::string text = linear_text(base, at.step);
  for (int i = 0; i < p.shape.rank; ++i) {
    text += fmt::format(" + (0:{})", p.hi[i] - p.lo[i]);
    if (p.strides[i] != 1) text += fmt::format("*{}", p.strides[i]);
    if (p.hi[i] - p.lo[i] != p.shape[i]) text += fmt::format(" of {}", p.shape[i]);
  }
  return text;
}

std::string list_text(const AccessPattern& p, const trace::PlacedAccess& at) {
  constexpr std::int64_t shown = 6;
  const std::int64_t lanes = p.lanes();
  std::string text;
  for (std::int64_t i = 0; i < std::min(lanes, shown); ++i) text += (i ? ", " : "") + std::to_string(p.offsets[i]);
  if (lanes > shown) text += ", ...";
  return fmt::format("{} + {{{}}}], {}", linear_text(at.base, at.step), text, lanes_text(p.active_lanes(), lanes));
}

}  // namespace

std::string linear_text(std::int64_t base, std::int64_t step) {
  if (step == 0) return std::to_string(base);
  const std::string moved = step == 1 ? "i" : step == -1 ? "-i" : std::to_string(step) + "i";
  return base == 0 ? moved : moved + (base > 0 ? "+" : "") + std::to_string(base);
}

std::string access_text(const trace::AccessRecord& record, const trace::PlacedAccess& at) {
  const AccessPattern& p = record.patterns[at.pattern];
  const trace::RecordedTensor& t = record.tensors[p.tensor];
  const std::string head = fmt::format("{} {}", verb_of(p), t.name);
  if (!p.is_tile) return p.active_lanes() == 0 ? head + "[nothing]" : head + ".flat[" + list_text(p, at);
  if (p.active_lanes() == 0) {
    std::string shape;
    for (int i = 0; i < p.shape.rank; ++i) shape += (i ? " x " : "") + std::to_string(p.shape[i]);
    return head + "[nothing of " + shape + "]";
  }
  const auto axes = along_axes(t, p, at);
  if (!axes) return head + ".flat[" + flat_text(p, at) + "]";
  std::string text;
  bool turned = false;
  int last = -1;
  for (const Along& a : *axes) {
    text += (text.empty() ? "" : ", ") + text_of(a);
    if (a.tile_axis < 0) continue;
    turned |= a.tile_axis < last;
    last = a.tile_axis;
  }
  return head + "[" + text + "]" + (turned ? "^T" : "");
}

std::string segment_text(const trace::AccessRecord& record, const trace::Segment& s, const std::string& indent) {
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < s.size && i < most_in_a_segment; ++i)
    words.push_back(access_text(record, record.accesses[s.first + i]));
  if (s.size > most_in_a_segment) words.push_back(fmt::format("... {} more accesses", s.size - most_in_a_segment));
  if (words.empty()) words.push_back("(no access)");
  std::size_t width = indent.size() + 10;
  for (const std::string& w : words) width += w.size() + 2;
  const bool loops = s.iterations > 1;
  if (width <= widest) {
    const std::string line = fmt::format("{}", fmt::join(words, "  "));
    return loops ? fmt::format("{}{} x {{ {} }}\n", indent, s.iterations, line) : indent + line + "\n";
  }
  std::string text = loops ? fmt::format("{}{} x {{\n", indent, s.iterations) : "";
  for (const std::string& w : words) text += indent + (loops ? "  " : "") + w + "\n";
  return loops ? text + indent + "}\n" : text;
}

}  // namespace tl::report
