#include "viz/model/selection.h"

#include <algorithm>

namespace tl::viz {

namespace {

// Do elements a.first, a.first + a.stride .. a.last meet those of b? Of two different strides their ranges decide.
bool meet(const About& a, const About& b) {
  if (a.last < b.first || b.last < a.first) return false;
  if (b.stride > a.stride) return meet(b, a);
  if (a.stride == 1 || (b.stride != 1 && b.stride != a.stride)) return true;
  if (b.stride == a.stride) return (b.first - a.first) % a.stride == 0;
  const std::int64_t from = std::max(a.first, b.first),
                     next = a.first + (from - a.first + a.stride - 1) / a.stride * a.stride;
  return next <= std::min(a.last, b.last);
}

}  // namespace

bool is_same_thing(const About& a, const About& b) {
  if (a.is_nothing() || b.is_nothing()) return false;
  if (a.launch >= 0 && b.launch >= 0 && a.launch != b.launch) return false;
  bool share = false;
  const auto agree = [&](std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0) return true;
    share = true;
    return x == y;
  };
  if (!agree(a.program, b.program) || !agree(a.step, b.step) || !agree(a.line, b.line) || !agree(a.tensor, b.tensor) ||
      !agree(a.lane, b.lane))
    return false;
  if (a.has_cells() && b.has_cells() && !meet(a, b)) return false;
  return share;
}

bool Selection::lights(const About& about) const {
  if (about.is_nothing()) return false;
  return is_same_thing(hovered, about) || is_same_thing(pinned, about) ||
         std::ranges::any_of(related, [&](const About& r) { return is_same_thing(r, about); });
}

}  // namespace tl::viz
