#include "viz/model/film/painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::viz::film {

namespace {

constexpr float smallest_text = 8.5f, smallest_inside = 150;  // px: of a text; of a node whose marks are drawn

bool holds(const Box& b, Point p) { return p.x >= b.x && p.x < b.x + b.w && p.y >= b.y && p.y < b.y + b.h; }

}  // namespace

bool Painter::is_visible(const Box& b) const {
  return b.x < view_.canvas.width && b.y < view_.canvas.height && b.x + b.w > 0 && b.y + b.h > 0;
}

bool Painter::tell(const Box& b, const Words& words, const About& about) {
  if (!pointed_ || !view_.pointer || !holds(b, *view_.pointer)) return false;
  if (words) pointed_->tooltip = words();
  pointed_->about = about;
  pointed_->us = -1;
  return true;
}

Shape& Painter::rect(const Box& b, Colour fill, const Words& words, const About& about) {
  Shape& s = out_.shapes.emplace_back();
  s.x = b.x, s.y = b.y, s.w = b.w, s.h = b.h;
  s.fill = fill, s.about = about;
  s.layer = Layer::marks;  // so that none is merged with its neighbour
  if (view_.with_tooltips && words) s.tooltip = words();
  tell(b, words, about);
  return s;
}

void Painter::text(float x, float y, const std::string& words, float size, Align align, Colour ink, bool is_bold,
                   bool is_mono) {
  Shape& s = out_.shapes.emplace_back();
  s.kind = Kind::text, s.layer = Layer::labels;
  s.x = x, s.y = y, s.text = words, s.size = size, s.align = align, s.ink = ink, s.is_bold = is_bold,
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

void Painter::draw() {
  const Node& root = film_.nodes.front();
  node({-view_.camera.x * view_.camera.scale, -view_.camera.y * view_.camera.scale, view_.camera.scale, 0, &root});
}

void Painter::node(const At& at) {
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
}

// A node within is drawn where it has room; else what its parent shows in its place says it all.
void Painter::portal(const At& at, int index) {
  const Portal& p = at.node->portals[index];
  const Box b = at.box(p.box);
  if (!is_visible(b)) return;
  path_.push_back(index);
  if (pointed_ && view_.pointer && holds(b, *view_.pointer)) pointed_->path = path_;
  const Node& inner = film_.nodes[p.node];
  const double fit = std::min(double(p.box.w) / double(inner.width), double(p.box.h) / double(inner.height));
  if (b.w >= smallest_inside) {
    Shape& ground = rect(b, {Role::paper});
    ground.stroke = {Role::faint};
    At within{0, 0, at.scale * fit, at.table + p.first_table, &inner};
    within.x = double(b.x) + (double(b.w) - within.scale * double(inner.width)) / 2;
    within.y = double(b.y) + (double(b.h) - within.scale * double(inner.height)) / 2;
    node(within);
  }
  path_.pop_back();
}

// Shapes of a node, in its units. A text is left out where it would be too small.
void Painter::still(const At& at, const Shape& shape) {
  const Box b = at.box({shape.x, shape.y, shape.w, shape.h});
  if (shape.kind == Kind::text) {
    const float size = std::min(at.size(shape.size), 2 * shape.size);
    if (size < smallest_text || b.y < -20 || b.y > view_.canvas.height + 20 || b.x > view_.canvas.width) return;
    Shape& s = out_.shapes.emplace_back(shape);
    s.x = b.x, s.y = b.y, s.size = size, s.layer = Layer::labels;
    return;
  }
  const Box around{std::min(b.x, b.x + b.w), std::min(b.y, b.y + b.h), std::abs(b.w), std::abs(b.h)};
  if (!is_visible({around.x - 1, around.y - 1, around.w + 2, around.h + 2})) return;
  Shape& s = out_.shapes.emplace_back(shape);
  s.x = b.x, s.y = b.y, s.w = b.w, s.h = b.h;
  for (Point& p : s.points) p = {at.left(p.x), at.top(p.y)};
  if (!s.text.empty() && at.size(s.size) < smallest_text) s.text.clear();
  s.size = std::min(at.size(shape.size), 2 * shape.size);
  const std::string tooltip = s.tooltip;
  if (!view_.with_tooltips) s.tooltip.clear();
  if (!tooltip.empty() || !s.about.is_nothing())
    tell(
        around, [&] { return tooltip; }, s.about);
}

void Painter::cells(const At& at, const Cells& c) {
  const Box b = at.box(c.box);
  if (!is_visible(b)) return;
  const auto& [states, events] = projector_.states_at(c, view_.us);
  const float w = b.w / length(c.columns), h = b.h / length(c.rows);
  const auto words = [&](std::int64_t cell) {
    std::string out = c.wraps ? fmt::format("{} {}", c.name, cell)
                              : fmt::format("{} ({}, {})", c.name, cell / c.columns, cell % c.columns);
    if (!c.number.empty() && c.number[cell] >= 0) out += fmt::format(", program {}", c.number[cell]);
    return out + ": " + c.states[states[cell]].label;
  };
  const auto box_of = [&](std::int64_t cell) {
    return Box{b.x + w * length(cell % c.columns), b.y + h * length(cell / c.columns), w, h};
  };
  if (std::min(w, h) < 7) {
    Image image;
    image.columns = c.columns, image.rows = c.rows, image.field_columns = c.columns, image.field_rows = c.rows;
    image.texels = states;
    for (const State& s : c.states) image.palette.push_back({s.colour, s.label});
    image.field_name = c.name;
    Shape& s = out_.shapes.emplace_back();
    s.kind = Kind::image, s.x = b.x, s.y = b.y, s.w = b.w, s.h = b.h;
    s.image = static_cast<int>(out_.images.size());
    out_.images.push_back(std::move(image));
    rect(b, {}).stroke = {Role::faint};
  } else {
    const auto first_row = static_cast<std::int64_t>(std::max(0.f, -b.y / h)),
               last_row = std::min(c.rows - 1, static_cast<std::int64_t>((view_.canvas.height - b.y) / h)),
               first_column = static_cast<std::int64_t>(std::max(0.f, -b.x / w)),
               last_column = std::min(c.columns - 1, static_cast<std::int64_t>((view_.canvas.width - b.x) / w));
    for (std::int64_t r = first_row; r <= last_row; ++r)
      for (std::int64_t k = first_column; k <= last_column; ++k) {
        const std::int64_t cell = r * c.columns + k;
        const State& state = c.states[states[cell]];
        Box box = box_of(cell);
        box.w -= 1, box.h -= 1;
        Shape& s = rect(box, state.colour, view_.with_tooltips ? Words([&] { return words(cell); }) : Words());
        s.hatch = state.hatch;
        if (!c.number.empty() && c.number[cell] >= 0)
          text_in(box, fmt::format("{}", c.number[cell]), 11, {Role::contrast}, state.colour);
      }
  }
  if (view_.pointer && holds(b, *view_.pointer)) {
    const auto cell = std::min(c.rows - 1, static_cast<std::int64_t>((view_.pointer->y - b.y) / h)) * c.columns +
                      std::min(c.columns - 1, static_cast<std::int64_t>((view_.pointer->x - b.x) / w));
    About about;
    if (!c.number.empty()) about.program = c.number[cell];
    tell(
        b, [&] { return words(cell); }, about);
  }
  if (view_.program >= 0 && !c.number.empty())
    for (std::size_t i = 0; i < c.number.size(); ++i)
      if (c.number[i] == view_.program) {
        Shape& lit = rect(box_of(static_cast<std::int64_t>(i)), {});
        lit.stroke = {Role::accent}, lit.stroke_width = 2;
      }
  path(at, c, b, events);
  read_by_program(at, c, b);
}

// The line through the cells that were begun last.
void Painter::path(const At&, const Cells& c, const Box& b, std::size_t) {
  if (c.path.size() < 2) return;
  const auto end = static_cast<std::size_t>(
      std::upper_bound(c.path_at.begin(), c.path_at.end(), view_.us, [](double a, float t) { return a < double(t); }) -
      c.path_at.begin());
  if (end < 2) return;
  constexpr std::size_t most = 48;
  Shape& line = out_.shapes.emplace_back();
  line.kind = Kind::polyline, line.layer = Layer::lines;
  line.stroke = {Role::ink, 0, 0, 0.75f}, line.stroke_width = 1.5f;
  const float w = b.w / length(c.columns), h = b.h / length(c.rows);
  for (std::size_t i = end > most ? end - most : 0; i < end; ++i)
    line.points.push_back(
        {b.x + w * (length(c.path[i] % c.columns) + 0.5f), b.y + h * (length(c.path[i] / c.columns) + 0.5f)});
}

// What the program that is pointed at reads in all its steps, and at this moment.
void Painter::read_by_program(const At&, const Cells& c, const Box& b) {
  if (view_.program < 0 || c.read_by.empty() || view_.program >= std::ssize(film_.programs)) return;
  const ProgramAt& p = film_.programs[view_.program];
  const Table& t = film_.tables[p.table];
  const float w = b.w / length(c.columns), h = b.h / length(c.rows);
  for (const Reads& reads : film_.reads) {
    if (reads.load != c.read_by) continue;
    const auto& cell = t.columns[reads.column];
    std::int64_t drawn = -1;
    for (std::uint32_t r = p.first_row; r < p.first_row + p.rows; ++r) {
      if (double(t.columns[reads.column - 1][r]) <= 0 || static_cast<std::int64_t>(cell[r]) == drawn) continue;
      drawn = static_cast<std::int64_t>(cell[r]);
      const bool is_now = double(t.columns[0][r]) <= view_.us && view_.us < double(t.columns[3][r]);
      const Box box{b.x + w * length(drawn % c.columns), b.y + h * length(drawn / c.columns), w, h};
      if (!is_visible(box)) continue;
      Shape& s = rect(box, {Role::accent, 0, 0, is_now ? 0.9f : 0.35f});
      if (is_now) s.stroke = {Role::accent}, s.stroke_width = 1.5f;
    }
  }
}

void Painter::lane(const At& at, const Lane& lane) {
  const Box b = at.box(lane.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, lane.table);
  if (t.columns.empty()) return;
  double from = 0, to = film_.end_us;
  if (lane.pages >= 0) {
    const Table& programs = table_of(at, lane.pages);
    if (programs.rows() == 0) return;
    const std::int64_t page = std::max<std::int64_t>(0, last_row(programs, 0, view_.us));
    from = double(programs.columns[0][page]), to = double(programs.columns[1][page]);
  }
  const auto x_of = [&](double us) { return b.x + b.w * static_cast<float>((us - from) / std::max(1e-9, to - from)); };
  rect(b, {Role::surface}, [&] { return lane.name; });
  const std::int64_t last = last_row(t, lane.from, to - 1e-6);
  float drawn_to = -1;
  for (std::int64_t r = std::max<std::int64_t>(0, last_row(t, lane.from, from) - 8); r <= last; ++r) {
    const double begin = double(t.columns[lane.from][r]), end = double(t.columns[lane.to][r]);
    if (end <= from || end <= begin) continue;
    int state = lane.state < 0 ? 1 : static_cast<int>(t.columns[lane.state][r]);
    if (state == 0) continue;
    state = std::min(state - 1, static_cast<int>(lane.states.size()) - 1);
    const float x0 = std::max(b.x, x_of(begin)), x1 = std::min(b.x + b.w, x_of(end));
    if (x1 < drawn_to + 0.6f || x1 < 0 || x0 > view_.canvas.width) continue;
    drawn_to = x1;
    const State& s = lane.states[state];
    const auto words = [&] {
      return fmt::format(
          "{}, {}: {:.2f} to {:.2f} \u00b5s (model)",
          lane.label < 0 ? lane.words
                         : fmt::format(fmt::runtime(lane.words), static_cast<std::int64_t>(t.columns[lane.label][r])),
          s.label, begin, end);
    };
    About about;
    about.line = lane.line;
    const Box bar{x0, b.y + 1, std::max(1.f, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), b.h - 2};
    Shape& shape = rect(bar, s.colour, words, about);
    shape.hatch = s.hatch;
    if (pointed_ && view_.pointer && holds(bar, *view_.pointer)) pointed_->us = begin;
    if (lane.label >= 0)
      text_in(bar, fmt::format("{}", static_cast<std::int64_t>(t.columns[lane.label][r])), 11, {Role::contrast},
              s.colour);
  }
  if (view_.us >= from && view_.us <= to) {
    Shape& here = out_.shapes.emplace_back();
    here.kind = Kind::line, here.layer = Layer::lines;
    here.x = x_of(view_.us), here.y = b.y - 2, here.h = b.h + 4, here.stroke = {Role::accent}, here.stroke_width = 2;
  }
}

void Painter::now(const At& at, const Now& now) {
  const Box b = at.box(now.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, now.table);
  const std::int64_t r = row_at(t, now.from, now.to, view_.us);
  About about;
  about.line = now.line;
  if (now.is_light) {
    if (r >= 0)
      rect(
          b, {Role::current}, [&] { return now.words; }, about)
          .layer = Layer::ground;
    return;
  }
  if (r < 0) {
    Shape& s = rect(b, {Role::surface}, [&] { return now.idle; });
    s.stroke = {Role::faint};
    text_in(b, now.idle, at.size(13), {Role::soft}, {Role::surface});
    return;
  }
  const std::int64_t label = now.label < 0 ? -1 : static_cast<std::int64_t>(t.columns[now.label][r]);
  const State& s =
      now.states[now.state < 0 ? 0 : static_cast<std::size_t>(t.columns[now.state][r]) % now.states.size()];
  if (now.is_program) about.program = label;
  const double from = double(t.columns[now.from][r]), to = double(t.columns[now.to][r]);
  const std::string words = now.label < 0 ? now.words : fmt::format(fmt::runtime(now.words), label);
  Shape& shape = rect(
      b, s.colour, [&] { return fmt::format("{}, {}: {:.2f} to {:.2f} \u00b5s (model)", words, s.label, from, to); },
      about);
  shape.stroke = {Role::faint};
  if (now.is_program && label == view_.program) shape.stroke = {Role::accent}, shape.stroke_width = 3;
  if (now.shows_progress && b.h >= 8) {
    const float part = static_cast<float>((view_.us - from) / std::max(1e-9, to - from));
    rect({b.x, b.y + b.h - std::max(2.f, 0.12f * b.h), b.w * part, std::max(2.f, 0.12f * b.h)},
         {Role::ink, 0, 0, 0.6f});
  }
  if (!text_in(b, words, std::max(11.f, at.size(13)), {Role::contrast}, s.colour) && label >= 0)
    text_in(b, fmt::format("{}", label), std::max(11.f, at.size(13)), {Role::contrast}, s.colour);
}

void Painter::ring(const At& at, const Ring& ring) {
  const Box b = at.box(ring.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, ring.table);
  if (t.columns.empty()) return;
  const float w = b.w / length(ring.slots), gap = std::min(6.f, 0.06f * w);
  const std::int64_t last = last_row(t, ring.issue, view_.us);
  for (int slot = 0; slot < ring.slots; ++slot) {
    std::int64_t row = -1;
    for (std::int64_t r = last; r >= 0 && r > last - 4 * ring.slots && row < 0; --r)
      if (static_cast<int>(t.columns[ring.slot][r]) == slot && double(t.columns[ring.found][r]) > 0) row = r;
    int state = 0;
    double since = 0, until = 0;
    if (row >= 0) {
      const double times[] = {double(t.columns[ring.issue][row]), double(t.columns[ring.there][row]),
                              double(t.columns[ring.begin][row]), double(t.columns[ring.end][row])};
      while (state < 3 && view_.us >= times[state]) ++state;
      if (view_.us >= times[3]) state = 0;
      if (state > 0) since = times[state - 1], until = times[state];
    }
    const State& s = ring.states[state];
    const std::int64_t step = row < 0 ? -1 : static_cast<std::int64_t>(t.columns[ring.step][row]);
    const Box box{b.x + w * length(slot) + gap / 2, b.y, w - gap, b.h};
    About about;
    about.line = ring.line;
    Shape& shape = rect(
        box, s.colour,
        [&] {
          if (state == 0) return fmt::format("{}, slot {}: {}", ring.name, slot, s.label);
          return fmt::format("{}, slot {}: {}, for step {}; {}; {:.2f} to {:.2f} \u00b5s (model)", ring.name, slot,
                             s.label, step, ring.found_words[static_cast<std::size_t>(t.columns[ring.found][row]) - 1],
                             since, until);
        },
        about);
    shape.stroke = {Role::ink, 0, 0, 0.5f}, shape.hatch = s.hatch;
    if (state == 1) {  // fills up
      const float part = static_cast<float>((view_.us - since) / std::max(1e-9, until - since));
      rect({box.x, box.y + box.h * (1 - part), box.w, box.h * part}, {Role::load, 0, 0, 0.45f});
    }
    const float line = std::min(at.size(13), 18.f);
    text_in({box.x, box.y + box.h / 2 - line * 1.4f, box.w, line * 1.4f}, s.label, line, {Role::contrast}, s.colour);
    if (state > 0)
      text_in({box.x, box.y + box.h / 2, box.w, line * 1.4f}, fmt::format("step {}", step), line, {Role::contrast},
              s.colour);
  }
}

void Painter::series(const At& at, const Series& series) {
  const Box b = at.box(series.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, series.table);
  rect(b, {Role::surface});
  const auto x_of = [&](double us) { return b.x + b.w * static_cast<float>(us / std::max(1e-9, film_.end_us)); };
  const auto y_of = [&](double v) { return b.y + b.h * (1 - static_cast<float>(std::min(1.0, v / series.most))); };
  const std::int64_t here = std::max<std::int64_t>(0, last_row(t, 0, view_.us));
  std::string words = series.title;
  for (std::size_t r = 0; r < t.rows(); ++r) {
    const float x0 = x_of(double(t.columns[0][r])),
                x1 = r + 1 < t.rows() ? x_of(double(t.columns[0][r + 1])) : b.x + b.w;
    double sum = 0;
    for (std::size_t k = 0; k < series.columns.size(); ++k) {
      const double v = double(t.columns[series.columns[k]][r]);
      if (v <= 0) continue;
      const float y1 = y_of(sum), y0 = y_of(sum + v);
      sum += v;
      Shape& s = rect({x0, y0, std::max(0.5f, x1 - x0), y1 - y0}, series.states[k].colour);
      s.hatch = series.states[k].hatch;
      if (static_cast<std::int64_t>(r) > here) s.fill.alpha = 0.35f;
    }
  }
  if (view_.pointer && holds(b, *view_.pointer)) {
    const double us = double((view_.pointer->x - b.x) / b.w) * film_.end_us;
    const std::int64_t r = std::max<std::int64_t>(0, last_row(t, 0, us));
    for (std::size_t k = 0; k < series.columns.size(); ++k)
      words += fmt::format("{} {} {:.3g} {}", k == 0 ? ":" : ",", series.states[k].label,
                           double(t.columns[series.columns[k]][r]), series.unit);
    tell(b, [&] { return fmt::format("{}, at {:.2f} \u00b5s (model). A click goes there.", words, us); }, {});
    if (pointed_) pointed_->us = us;
  }
  const auto line = [&](float x0, float y0, float x1, float y1, Colour colour, float width, bool is_dashed) {
    Shape& s = out_.shapes.emplace_back();
    s.kind = Kind::line, s.layer = Layer::lines, s.x = x0, s.y = y0, s.w = x1 - x0, s.h = y1 - y0;
    s.stroke = colour, s.stroke_width = width, s.is_dashed = is_dashed;
  };
  const float size = std::min(at.size(13), 20.f);
  if (series.limit > 0 && series.limit <= series.most * 1.001) {
    line(b.x, y_of(series.limit), b.x + b.w, y_of(series.limit), {Role::soft}, 1, true);
    if (size >= smallest_text)
      text(b.x + b.w - 4, y_of(series.limit) + size + 1, series.limit_label, size, Align::right, {Role::soft});
  }
  if (view_.us <= film_.end_us) line(x_of(view_.us), b.y - 3, x_of(view_.us), b.y + b.h + 3, {Role::accent}, 2, false);
  if (size >= smallest_text) text(b.x, b.y - 5, series.title, size, Align::left, {Role::ink});
}

void Painter::figure(const At& at, const Figure& f) {
  const float size = std::min(at.size(f.size), 2 * f.size);
  if (size < smallest_text || at.top(f.y) < -20 || at.top(f.y) > view_.canvas.height + 20) return;
  double value = view_.us;
  if (!f.is_clock) {
    const Table& t = table_of(at, f.table);
    if (t.rows() == 0) return;
    value = double(t.columns[f.column][std::max<std::int64_t>(0, last_row(t, 0, view_.us))]);
  }
  text(at.left(f.x), at.top(f.y), fmt::format(fmt::runtime(f.words), figure_text(value, f.unit)), size, f.align,
       {Role::ink}, f.is_bold);
}

void Painter::flow(const At& at, const Flow& f) {
  const Table& t = table_of(at, f.table);
  if (t.rows() == 0) return;
  const double value = double(t.columns[f.column][std::max<std::int64_t>(0, last_row(t, 0, view_.us))]);
  const float x0 = at.left(f.x0), y0 = at.top(f.y0), x1 = at.left(f.x1), y1 = at.top(f.y1),
              width = at.size(f.width) * static_cast<float>(std::min(1.0, value / f.most));
  const float long_ = std::hypot(x1 - x0, y1 - y0), head = std::min(std::max(6.f, width * 0.8f), 0.5f * long_);
  const Box around{std::min(x0, x1) - width / 2 - 4, std::min(y0, y1) - width / 2 - 4, std::abs(x1 - x0) + width + 8,
                   std::abs(y1 - y0) + width + 8};
  if (!is_visible(around) || long_ < 4) return;
  const float dx = (x1 - x0) / long_, dy = (y1 - y0) / long_;
  Shape& s = out_.shapes.emplace_back();
  s.kind = Kind::arrow, s.layer = Layer::lines, s.x = x0, s.y = y0, s.w = x1 - x0, s.h = y1 - y0;
  s.stroke = value > 0 ? f.colour : Colour{Role::faint}, s.stroke_width = 1.5f;
  if (width > 1) {  // its body, as wide as what flows
    Shape& body = out_.shapes.emplace_back();
    body.kind = Kind::line, body.layer = Layer::marks, body.x = x0, body.y = y0, body.w = (x1 - x0) - dx * head,
    body.h = (y1 - y0) - dy * head, body.stroke = f.colour, body.stroke.alpha = 0.6f, body.stroke_width = width;
  }
  const std::string number = figure_text(value, f.unit);
  tell(around, [&] { return fmt::format("{}: {} (model)", f.name, number); }, {});
  const float size = std::min(at.size(12), 18.f);
  if (size < smallest_text) return;
  if (std::abs(dx) > std::abs(dy))
    text((x0 + x1) / 2, std::min(y0, y1) - width / 2 - 5, number, size, Align::centre, {Role::ink}, true);
  else text(std::max(x0, x1) + width / 2 + 5, (y0 + y1) / 2 + 4, number, size, Align::left, {Role::ink}, true);
}

}  // namespace tl::viz::film
