#include "viz/model/film/painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace tl::viz::film {

namespace {

constexpr float smallest_inside = 150;  // px, of a node whose marks are drawn

}  // namespace

bool Painter::is_pointed_at(const Box& b) const {
  const auto& p = view_.pointer;
  return p && p->x >= b.x && p->x < b.x + b.w && p->y >= b.y && p->y < b.y + b.h;
}

bool Painter::is_visible(const Box& b) const {
  return b.x < view_.canvas.width && b.y < view_.canvas.height && b.x + b.w > 0 && b.y + b.h > 0;
}

bool Painter::tell(const Box& b, const Words& words, const About& about) {
  if (!pointed_ || !is_pointed_at(b)) return false;
  if (words) pointed_->tooltip = words();
  pointed_->about = about;
  pointed_->us = -1;
  return true;
}

Shape& Painter::rect(const Box& b, Colour fill, const Words& words, const About& about) {
  Shape& s = out_.shapes.emplace_back();
  s.x = b.x;
  s.y = b.y;
  s.w = b.w;
  s.h = b.h;
  s.fill = fill;
  s.about = about;
  s.layer = Layer::marks;  // so that none is merged with its neighbour
  if (view_.with_tooltips && words) s.tooltip = words();
  tell(b, words, about);
  return s;
}

void Painter::text(float x, float y, const std::string& words, float size, Align align, Colour ink, bool is_bold,
                   bool is_mono) {
  Shape& s = out_.shapes.emplace_back();
  s.kind = Kind::text;
  s.layer = Layer::labels;
  s.x = x;
  s.y = y;
  s.text = words;
  s.size = size;
  s.align = align;
  s.ink = ink;
  s.is_bold = is_bold;
  s.is_mono = is_mono;
}

bool Painter::text_in(const Box& b, const std::string& words, float size, Colour ink, Colour over, bool is_mono) {
  if (words.empty() || b.h < smallest_text + 2) return false;
  const float width = text_width(words, 100, is_mono) / 100,
              fits = std::min({size, b.h - 2, (b.w - 4) / std::max(width, 0.01f)});
  if (fits < smallest_text) return false;
  text(b.x + b.w / 2, b.y + b.h / 2 + fits * 0.36f, words, fits, Align::centre, ink, false, is_mono);
  out_.shapes.back().over = over;
  return true;
}

void Painter::label(float x, float y, const std::string& words, float size, Align align, Colour ink, bool is_bold) {
  Shape s;
  s.kind = Kind::text;
  s.x = x;
  s.y = y;
  s.text = words;
  s.size = size;
  s.align = align;
  s.ink = ink;
  s.is_bold = is_bold;
  label(std::move(s));
}

void Painter::label(Shape s) {
  s.layer = Layer::labels;
  if (s.y > -20 && s.y < view_.canvas.height + 20 && s.x < view_.canvas.width && !s.text.empty())
    labels_.push_back({std::move(s), first_mark_, inside_});
}

// Keys that would have to grow stand in rows as long as there is room for, below the marks, instead of where their node
// has put them: not one of them goes. Several nodes of a kind, as the places of an SM, have one key.
void Painter::place_keys() {
  const auto is_key = [](const Label& l) { return l.text.fill.role != Role::none; };
  std::set<std::string> placed;
  for (auto from = labels_.begin(); from != labels_.end() && is_key(*from);) {
    auto to = std::find_if(from, labels_.end(),
                           [&](const Label& l) { return !is_key(l) || l.first_mark != from->first_mark; });
    std::string all_words;
    for (auto l = from; l != to; ++l) all_words += l->text.text + "\n";
    if (from->text.size < least_label && !placed.insert(all_words).second) {
      for (auto l = from; l != to; ++l) l->text.size = 0;
    } else if (from->text.size < least_label && from->text.size * 2 * most_growth >= least_label) {
      constexpr float line = 1.3f * least_label, gap = 16;
      float top = std::max(from->text.y, least_label);
      const float right = std::max(from->inside.x + from->inside.w, view_.canvas.width) - least_gap;
      const auto width_of = [](const Label& l) { return least_label + 5 + text_width(l.text.text, least_label); };
      float all = 0;
      for (auto l = from; l != to; ++l) all += width_of(*l) + gap;
      const float left = std::min(from->text.x, std::max(least_gap, right - all));
      float x = left, y = 0;
      for (auto l = from; l != to; ++l) {
        const float width = width_of(*l);
        if (x > left && x + width > right) {
          x = left;
          y += line;
        }
        l->text.x = x;
        l->text.y = y;
        l->text.size = least_label;
        x += width + gap;
      }
      const auto is_covered = [&](const Box& mark) {
        return mark.x < right && left < mark.x + mark.w && mark.y < top + y &&
               top - 0.74f * least_label < mark.y + mark.h;
      };
      const std::span<const Box> marks = std::span(marks_).subspan(from->first_mark);
      for (auto mark = std::ranges::find_if(marks, is_covered); mark != marks.end();
           mark = std::ranges::find_if(marks, is_covered))
        top = mark->y + mark->h + 0.74f * least_label + 2;
      for (auto l = from; l != to; ++l) l->text.y += std::min(top, view_.canvas.height - 3 - y);
    }
    from = to;
  }
}

// The key first, without which no colour means anything, then headings, then the largest. One that did not have to
// grow stands where its node has put it.
void Painter::place_labels() {
  std::ranges::stable_sort(labels_, {}, [](const Label& l) {
    return std::tuple(l.text.fill.role == Role::none, !l.text.is_bold, -l.text.size);
  });
  place_keys();
  std::vector<Box> taken;
  const auto overlaps = [](const Box& a, const Box& b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  };
  for (auto& [s, first_mark, inside] : labels_) {
    const std::span<const Box> marks = std::span(marks_).subspan(first_mark);
    const bool grows = s.size < least_label;
    if (s.size * most_growth < least_label) continue;
    s.size = std::max(s.size, least_label);
    if (grows) s.y = std::max(s.y, s.size);  // not cut off by the canvas's edge
    const bool is_key = s.fill.role != Role::none;
    const float swatch = is_key ? std::round(0.85f * s.size) : 0, indent = is_key ? swatch + 5 : 0;
    const float width = indent + text_width(s.text, s.size, s.is_mono, s.is_bold);
    const Box box{s.align == Align::left    ? s.x
                  : s.align == Align::right ? s.x - width
                                            : s.x - width / 2,
                  s.y - 0.74f * s.size, width, 0.74f * s.size};
    const Box around{box.x - least_gap, box.y, box.w + 2 * least_gap, box.h};
    const auto is_too_near = [&](const Box& label) { return overlaps(around, label); };
    const auto is_in_the_way = [&](const Box& mark) { return overlaps(box, mark); };
    if (s.w > 0 && width > s.w) continue;  // no room
    if (grows && (box.x < inside.x || box.x + box.w > inside.x + inside.w || std::ranges::any_of(taken, is_too_near) ||
                  std::ranges::any_of(marks, is_in_the_way)))
      continue;
    taken.push_back(box);
    if (is_key) {
      Shape& key = rect({s.x, s.y - swatch + 1, swatch, swatch}, std::exchange(s.fill, {}));
      key.stroke = {Role::soft};
      s.x += indent;
    }
    out_.shapes.push_back(std::move(s));
  }
}

void Painter::draw() {
  const Node& root = film_.nodes.front();
  node({-view_.camera.x * view_.camera.scale, -view_.camera.y * view_.camera.scale, view_.camera.scale, 0, &root});
  place_labels();
}

void Painter::node(const At& at) {
  const std::size_t of_outer = std::exchange(first_mark_, marks_.size());
  const Box outer = inside_, here = at.box({0, 0, at.node->width, at.node->height});
  inside_.x = std::max(0.f, here.x);
  inside_.w = std::min(view_.canvas.width, here.x + here.w) - inside_.x;
  const auto stands = [&](const Box& of_node) {
    if (const Box b = at.box(of_node); is_visible(b)) marks_.push_back(b);
  };
  for (const Cells& c : at.node->cells) stands(c.box);
  for (const Series& s : at.node->series) stands(s.box);
  for (const Lane& l : at.node->lanes) stands(l.box);
  for (const Ring& r : at.node->rings) stands(r.box);
  for (const Map& m : at.node->maps) stands(m.box);
  for (const Now& n : at.node->nows)
    if (!n.is_light) stands(n.box);
  for (const Now& n : at.node->nows)
    if (n.is_light) now(at, n);
  for (const Shape& s : at.node->shapes) still(at, s);
  for (const Cells& c : at.node->cells) cells(at, c);
  for (const Series& s : at.node->series) series(at, s);
  for (const Lane& l : at.node->lanes) lane(at, l);
  for (const Ring& r : at.node->rings) ring(at, r);
  for (const Flow& f : at.node->flows) flow(at, f);
  for (const Now& n : at.node->nows)
    if (!n.is_light) now(at, n);
  for (const Map& m : at.node->maps) map(at, m);
  for (std::size_t i = 0; i < at.node->portals.size(); ++i) portal(at, static_cast<int>(i));
  for (const Figure& f : at.node->figures) figure(at, f);
  for (const Paragraph& p : at.node->paragraphs) paragraph(at, p);
  first_mark_ = of_outer;
  inside_ = outer;
}

// A node within is drawn where it has room; else what its parent shows in its place says it all.
void Painter::portal(const At& at, int index) {
  const Portal& p = at.node->portals[index];
  const Box b = at.box(p.box);
  if (!is_visible(b)) return;
  path_.push_back(index);
  if (pointed_ && is_pointed_at(at.box(p.entry()))) pointed_->path = path_;
  const Node& inner = film_.nodes[p.node];
  const double fit = std::min(double(p.box.w) / double(inner.width), double(p.box.h) / double(inner.height));
  if (b.w >= smallest_inside) {
    // Once one is inside, what led there is hidden behind it.
    const Box ground = b.w > view_.canvas.width / 2 ? at.box(p.entry()) : b;
    rect(ground, {Role::paper}).stroke = {Role::faint};
    if (pointed_ && is_pointed_at(ground)) pointed_->tooltip.clear();
    std::erase_if(labels_, [&](const Label& l) {
      return l.text.x >= ground.x && l.text.x < ground.x + ground.w && l.text.y >= ground.y &&
             l.text.y < ground.y + ground.h;
    });
    At within{0, 0, at.scale * fit, at.table + p.first_table, &inner};
    within.x = double(b.x) + (double(b.w) - within.scale * double(inner.width)) / 2;
    within.y = double(b.y) + (double(b.h) - within.scale * double(inner.height)) / 2;
    node(within);
  }
  path_.pop_back();
}

// A line that is too small to be read: a bar as long, so that one sees which are lit.
void Painter::bar_of_line(const At& at, const Shape& line, const Box& b) {
  constexpr std::size_t of_number = 4;
  const std::size_t first = line.text.find_first_not_of(' ', of_number);
  if (b.h < least_bar || first == std::string::npos) return;
  const float letter = at.size(line.size) * 0.602f, x = b.x + letter * length(first);
  const Box bar{x, b.y - 0.5f * b.h, std::min(letter * length(line.text.size() - first), b.x + b.w - x),
                std::max(1.f, 0.4f * b.h)};
  if (bar.w > 0 && is_visible(bar)) rect(bar, {Role::faint});
}

// In as many lines as its width takes at a size that can be read.
void Painter::paragraph(const At& at, const Paragraph& p) {
  const float natural = std::min(at.size(p.size), 2 * p.size), size = std::max(natural, least_label);
  if (natural * most_growth < least_label) return;
  float y = at.top(p.y);
  for (const std::string& line : wrapped(p.text, at.size(p.w), size)) {
    label(at.left(p.x), y, line, size, Align::left, {Role::soft});
    y += 1.3f * size;
  }
}

// Shapes of a node, in its units.
void Painter::still(const At& at, const Shape& shape) {
  const Box b = at.box({shape.x, shape.y, shape.w, shape.h});
  if (shape.kind == Kind::text) {
    Shape s = shape;
    s.x = b.x;
    s.y = b.y;
    s.w = b.w;
    s.size = std::min(at.size(shape.size), 2 * shape.size);
    if (!s.is_mono) return label(std::move(s));
    if (b.h < least_code) return bar_of_line(at, shape, b);
    // A line of a text: the next one stands beneath it, and it ends where its box does.
    s.size = std::max(s.size, least_code);
    s.text = fitted(s.text, b.w, s.size, true);
    if (b.y > -20 && b.y < view_.canvas.height + 20 && b.x < view_.canvas.width) out_.shapes.push_back(std::move(s));
    return;
  }
  const Box around{std::min(b.x, b.x + b.w), std::min(b.y, b.y + b.h), std::abs(b.w), std::abs(b.h)};
  if (shape.kind == Kind::rect && std::max(around.w, around.h) < 3) return;  // a legend's, whose words have no room
  if (!is_visible({around.x - 1, around.y - 1, around.w + 2, around.h + 2})) return;
  Shape& s = out_.shapes.emplace_back(shape);
  s.x = b.x;
  s.y = b.y;
  s.w = b.w;
  s.h = b.h;
  for (Point& p : s.points) p = {at.left(p.x), at.top(p.y)};
  if (!s.text.empty() && at.size(s.size) < smallest_text) s.text.clear();
  s.size = std::min(at.size(shape.size), 2 * shape.size);
  const std::string tooltip = s.tooltip;
  if (!view_.with_tooltips) s.tooltip.clear();
  if (!tooltip.empty() || !s.about.is_nothing()) tell(around, [&] { return tooltip; }, s.about);
}

}  // namespace tl::viz::film
