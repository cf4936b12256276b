// SMs in time: lanes, rings, traffic, figures.
#include "viz/model/film/painter.h"
#include "viz/model/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::viz::film {

void Painter::lane(const At& at, const Lane& lane) {
  const Box b = at.box(lane.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, lane.table);
  if (t.columns.empty()) return;
  double from = 0, to = film_.end_us;
  if (lane.pages >= 0) {
    const Table& programs = table_of(at, lane.pages);
    if (programs.rows() == 0) {
      rect(b, {Role::surface});
      return;
    }
    const std::int64_t page = std::max<std::int64_t>(0, last_row(programs, 0, view_.us));
    from = double(programs.columns[0][page]);
    to = std::max(double(programs.columns[1][page]), from + view_.window_us);
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
          "{}, {}: {:.2f} to {:.2f} us (model)",
          lane.label < 0 ? lane.words
                         : fmt::format(fmt::runtime(lane.words), static_cast<std::int64_t>(t.columns[lane.label][r])),
          s.label, begin, end);
    };
    About about;
    about.line = lane.line;
    const Box bar{x0, b.y + 1, std::max(1.f, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), b.h - 2};
    Shape& shape = rect(bar, s.colour, words, about);
    shape.hatch = s.hatch;
    if (pointed_ && is_pointed_at(bar)) pointed_->us = begin;
    if (lane.label >= 0)
      text_in(bar, fmt::format("{}", static_cast<std::int64_t>(t.columns[lane.label][r])), 11, {Role::contrast},
              s.colour);
  }
  if (view_.us >= from && view_.us <= to) {
    Shape& here = out_.shapes.emplace_back();
    here.kind = Kind::line;
    here.layer = Layer::lines;
    here.x = x_of(view_.us);
    here.y = b.y - 2;
    here.h = b.h + 4;
    here.stroke = {Role::accent};
    here.stroke_width = 2;
  }
  if (lane.has_axis) time_axis(at, b, from, to);
}

// Round times beneath a box, which no label covers: without them there is no time.
void Painter::time_axis(const At& at, const Box& over, double from, double to) {
  const float letter = std::clamp(at.size(12), least_label, 18.f), foot = over.y + over.h;
  const auto most = static_cast<int>(over.w / (9 * letter));
  if (most < 1 || to <= from) return;
  std::vector<double> ticks = linear_ticks(from, to, most);
  if (ticks.size() < 2) ticks = linear_ticks(from, to, 2 * most);
  for (const double us : ticks) {
    const std::string words = fmt::format("{:.6g} us", us);
    const float half = text_width(words, letter) / 2 + 1;
    const float x = over.x + over.w * static_cast<float>((us - from) / (to - from));
    Shape& tick = out_.shapes.emplace_back();
    tick.kind = Kind::line;
    tick.layer = Layer::lines;
    tick.x = x, tick.y = foot, tick.h = 4, tick.stroke = {Role::soft};
    text(std::clamp(x, half, std::max(half, view_.canvas.width - half)), foot + 5 + 0.74f * letter, words, letter,
         Align::centre, {Role::soft});
  }
  marks_.push_back({over.x, foot, over.w, 7 + 0.74f * letter});
}

void Painter::now(const At& at, const Now& now) {
  const Box b = at.box(now.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, now.table);
  const std::int64_t r = row_at(t, now.from, now.to, view_.us);
  About about;
  about.line = now.line;
  if (now.is_light) {
    if (r >= 0 && b.h >= least_bar)  // else its line is not written
      rect(b, {Role::current}, [&] { return now.words; }, about).layer = Layer::ground;
    return;
  }
  if (r < 0) {
    const std::string& idle = t.rows() == 0 && !now.none.empty() ? now.none : now.idle;
    Shape& s = rect(b, {Role::surface}, [&] { return idle; });
    s.stroke = {Role::faint};
    text_in(b, idle, std::max(11.f, at.size(13)), {Role::soft}, {Role::surface});
    return;
  }
  const std::int64_t label = now.label < 0 ? -1 : static_cast<std::int64_t>(t.columns[now.label][r]);
  const State& s =
      now.states[now.state < 0 ? 0 : static_cast<std::size_t>(t.columns[now.state][r]) % now.states.size()];
  if (now.is_program) about.program = label;
  const double from = double(t.columns[now.from][r]), to = double(t.columns[now.to][r]);
  const std::string words = now.label < 0 ? now.words : fmt::format(fmt::runtime(now.words), label);
  Shape& shape = rect(
      b, s.colour, [&] { return fmt::format("{}, {}: {:.2f} to {:.2f} us (model)", words, s.label, from, to); }, about);
  shape.stroke = {Role::faint};
  if (now.is_program && label == view_.program) shape.stroke = {Role::accent}, shape.stroke_width = 3;
  if (now.shows_progress && b.h >= 8) {
    const float part = static_cast<float>((view_.us - from) / std::max(1e-9, to - from));
    rect({b.x, b.y + b.h - std::max(2.f, 0.12f * b.h), b.w * part, std::max(2.f, 0.12f * b.h)},
         {Role::ink, 0, 0, 0.6f});
  }
  const std::string number = fmt::format("{}", label);
  if (text_in(b, words, std::max(11.f, at.size(13)), {Role::contrast}, s.colour) || !now.is_program ||
      text_in(b, number, std::max(11.f, at.size(13)), {Role::contrast}, s.colour))
    return;
  for (const std::string& said : {words, number})  // in a bar that is as high as digits, and no higher
    if (b.h >= 0.74f * smallest_text && text_width(said, smallest_text) + 4 < b.w) {
      text(b.x + b.w / 2, b.y + b.h / 2 + 0.37f * smallest_text, said, smallest_text, Align::centre, {Role::contrast});
      out_.shapes.back().over = s.colour;
      return;
    }
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
      if (state > 0) {
        since = times[state - 1];
        until = times[state];
      }
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
          return fmt::format("{}, slot {}: {}, for step {}; {}; {:.2f} to {:.2f} us (model)", ring.name, slot, s.label,
                             step, ring.found_words[static_cast<std::size_t>(t.columns[ring.found][row]) - 1], since,
                             until);
        },
        about);
    shape.stroke = {Role::ink, 0, 0, 0.5f}, shape.hatch = s.hatch;
    if (state == 1) {  // fills up
      const float part = static_cast<float>((view_.us - since) / std::max(1e-9, until - since));
      rect({box.x, box.y + box.h * (1 - part), box.w, box.h * part}, {Role::load, 0, 0, 0.45f});
    }
    const float line = std::clamp(at.size(13), 11.f, 18.f);
    text_in({box.x, box.y, box.w, box.h / 2}, s.label, line, {Role::contrast}, s.colour);
    if (state > 0)
      text_in({box.x, box.y + box.h / 2, box.w, box.h / 2}, fmt::format("step {}", step), line, {Role::contrast},
              s.colour);
  }
}

void Painter::series(const At& at, const Series& series) {
  const Box b = at.box(series.box);
  if (!is_visible(b)) return;
  const Table& t = table_of(at, series.table);
  rect(b, {Role::surface});
  const double end = std::max({1e-9, film_.end_us, view_.end_us});
  const auto x_of = [&](double us) { return b.x + b.w * static_cast<float>(us / end); };
  const auto y_of = [&](double v) { return b.y + b.h * (1 - static_cast<float>(std::min(1.0, v / series.most))); };
  const std::int64_t here = std::max<std::int64_t>(0, last_row(t, 0, view_.us));
  std::string words = series.title;
  for (std::size_t r = 0; r < t.rows(); ++r) {
    const float x0 = x_of(double(t.columns[0][r])),
                x1 = x_of(r + 1 < t.rows() ? double(t.columns[0][r + 1]) : film_.end_us);
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
  if (is_pointed_at(b)) {
    const double us = double((view_.pointer->x - b.x) / b.w) * end;
    const std::int64_t r = std::max<std::int64_t>(0, last_row(t, 0, us));
    for (std::size_t k = 0; k < series.columns.size(); ++k)
      words += fmt::format("{} {} {}", k == 0 ? ":" : ",", series.states[k].label,
                           figure_text(double(t.columns[series.columns[k]][r]), series.unit));
    tell(b, [&] { return fmt::format("{}, at {:.2f} us (model). A click goes there.", words, us); }, {});
    if (pointed_) pointed_->us = us;
  }
  const auto line = [&](float x0, float y0, float x1, float y1, Colour colour, float width, bool is_dashed) {
    Shape& s = out_.shapes.emplace_back();
    s.kind = Kind::line;
    s.layer = Layer::lines;
    s.x = x0;
    s.y = y0;
    s.w = x1 - x0;
    s.h = y1 - y0;
    s.stroke = colour;
    s.stroke_width = width;
    s.is_dashed = is_dashed;
  };
  const float size = std::min(at.size(13), 20.f);
  if (series.limit > 0 && series.limit <= series.most * 1.001) {
    line(b.x, y_of(series.limit), b.x + b.w, y_of(series.limit), {Role::soft}, 1, true);
    text(b.x + b.w - 4, y_of(series.limit) + std::max(size, least_label) + 1, series.limit_label,
         std::max(size, least_label), Align::right, {Role::soft});
  }
  if (view_.us <= end) line(x_of(view_.us), b.y - 3, x_of(view_.us), b.y + b.h + 3, {Role::accent}, 2, false);
  label(b.x, b.y - 5, series.title, size, Align::left, {Role::ink});
  if (series.has_axis) time_axis(at, b, 0, end);
}

void Painter::figure(const At& at, const Figure& f) {
  const float size = std::min(at.size(f.size), 2 * f.size);
  double value = view_.us;
  if (!f.is_clock) {
    const Table& t = table_of(at, f.table);
    if (t.rows() == 0) return;
    value = double(t.columns[f.column][std::max<std::int64_t>(0, last_row(t, 0, view_.us))]);
  }
  label(at.left(f.x), at.top(f.y), fmt::format(fmt::runtime(f.words), figure_text(value, f.unit)), size, f.align,
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
  s.kind = Kind::arrow;
  s.layer = Layer::lines;
  s.x = x0;
  s.y = y0;
  s.w = x1 - x0;
  s.h = y1 - y0;
  s.stroke = value > 0 ? f.colour : Colour{Role::faint}, s.stroke_width = 1.5f;
  if (width > 1) {  // its body, as wide as what flows
    Shape& body = out_.shapes.emplace_back();
    body.kind = Kind::line;
    body.layer = Layer::marks;
    body.x = x0;
    body.y = y0;
    body.w = (x1 - x0) - dx * head;
    body.h = (y1 - y0) - dy * head;
    body.stroke = f.colour;
    body.stroke.alpha = 0.6f;
    body.stroke_width = width;
  }
  const std::string number = figure_text(value, f.unit), percent = fmt::format("{:.0f} %", 100 * value / f.most);
  tell(around,
       [&] {
         return fmt::format("{}: {} (model){}", f.name, number,
                            f.is_peak ? fmt::format(", {} of {}", percent, figure_text(f.most, f.unit)) : "");
       },
       {});
  if (value <= 0) return;
  const float size = std::min(at.size(12), 18.f), half = std::max(width, 8.f) / 2;
  if (std::abs(dx) > std::abs(dy)) {
    label((x0 + x1) / 2, y0 - half - 5, number, size, Align::centre, {Role::ink}, true);
    if (f.is_peak)
      label((x0 + x1) / 2, y0 + half + 5 + 0.74f * std::max(size, least_label), percent, size, Align::centre,
            {Role::ink}, true);
  } else
    label(x0 + half + 5, (y0 + y1) / 2 + 4, f.is_peak ? fmt::format("{}, {}", number, percent) : number, size,
          Align::left, {Role::ink}, true);
}

}  // namespace tl::viz::film
