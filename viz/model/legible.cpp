#include "viz/model/legible.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace tl::viz {

namespace {

constexpr float small = 12;                           // px
constexpr std::array<float, 3> sizes = {13, 12, 11};  // that small words may take, the best first
constexpr float edge = 6, ascent = 0.74f;             // beneath the sheet's edge; of a letter's size
constexpr float between = 5, beside = 2;              // two words; a word and a mark

struct Extent {
  float left, top, right, bottom;
  bool meets(const Extent& o, float gap = between) const {
    return left < o.right + gap && o.left < right + gap && top < o.bottom && o.top < bottom;
  }
};

Extent extent_of(const Shape& s, float size) {
  const float width = text_width(s.text, size, s.is_mono, s.is_bold), left = s.align == Align::left ? s.x
                                                                             : s.align == Align::right
                                                                                 ? s.x - width
                                                                                 : s.x - width / 2;
  return {left, s.y - ascent * size, left + width, s.y};
}

void grow(Drawing& drawing) {
  std::vector<Shape*> words;
  std::map<std::tuple<Align, float, float>, std::vector<std::size_t>> alike;
  for (Shape& s : drawing.shapes) {
    if (s.kind != Kind::text || s.text.empty()) continue;
    // A column of numbers, the lines of a text; else what stands in a row.
    const bool is_column = s.align == Align::right || (s.align == Align::left && s.is_mono);
    if (s.size < small) alike[{s.align, s.size, is_column ? s.x : s.y}].push_back(words.size());
    words.push_back(&s);
  }
  std::vector<Extent> marks;
  for (const Shape& s : drawing.shapes)
    if ((s.kind == Kind::rect || s.kind == Kind::image) && s.layer != Layer::ground && s.w > 0 && s.h > 0)
      marks.push_back({s.x, s.y, s.x + s.w, s.y + s.h});
  std::vector<Extent> extents;
  for (const Shape* s : words) extents.push_back(extent_of(*s, s->size));
  for (const auto& [key, group] : alike)
    for (const float size : sizes) {
      const float original = std::get<1>(key);  // clang 14 takes no name of a binding into a lambda
      if (size <= original) break;
      std::vector<Extent> before;
      for (const std::size_t i : group) before.push_back(std::exchange(extents[i], extent_of(*words[i], size)));
      const bool fits = std::ranges::all_of(group, [&](std::size_t i) {
        if (extents[i].left < 0 || extents[i].right > drawing.width) return false;
        const Extent was = extent_of(*words[i], original);
        for (const Extent& m : marks)
          if (extents[i].meets(m, beside) && !was.meets(m, beside)) return false;
        for (std::size_t k = 0; k < words.size(); ++k)
          if (k != i && extents[i].meets(extents[k])) return false;
        return true;
      });
      for (std::size_t g = 0; g < group.size(); ++g)
        if (fits) words[group[g]]->size = size;
        else extents[group[g]] = before[g];
      if (fits) break;
    }
}

}  // namespace

void make_legible(Drawing& drawing) {
  float right = drawing.width;
  for (const Shape& s : drawing.shapes)
    if (s.kind != Kind::text && s.kind != Kind::polyline) right = std::max(right, std::max(s.x, s.x + s.w) + edge);
  if (right > drawing.width + edge) drawing.width = std::ceil(right);
  grow(drawing);
  for (Shape& s : drawing.shapes) {
    if (s.kind != Kind::text || s.align != Align::left || s.x >= drawing.width - edge) continue;
    if (extent_of(s, s.size).right <= drawing.width) continue;
    if (s.tooltip.empty()) s.tooltip = s.text;
    s.text = fitted(s.text, drawing.width - edge - s.x, s.size * (s.is_bold ? 1.12f : 1.f), s.is_mono);
  }
}

}  // namespace tl::viz
