#include "viz/model/selection.h"

namespace tl::viz {

bool is_same_thing(const About& a, const About& b) {
  if (a.is_nothing() || b.is_nothing()) return false;
  if (a.launch >= 0 && b.launch >= 0 && a.launch != b.launch) return false;
  bool share = false;
  const auto agree = [&](std::int64_t x, std::int64_t y) {
    if (x < 0 || y < 0) return true;
    share = true;
    return x == y;
  };
  if (!agree(a.program, b.program) || !agree(a.step, b.step) || !agree(a.line, b.line) || !agree(a.tensor, b.tensor) || !agree(a.lane, b.lane)) return false;
  if (a.has_cells() && b.has_cells() && (a.last < b.first || b.last < a.first)) return false;
  return share;
}

}  // namespace tl::viz
