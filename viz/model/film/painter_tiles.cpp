// Tensors as tiles: what they hold, the path of programs over them, what one program reads.
#include "viz/model/film/painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::viz::film {

void Painter::cells(const At& at, const Cells& c) {
  const Box b = at.box(c.box);
  if (!is_visible(b)) return;
  const auto& states = projector_.states_at(c, view_.us).states;
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
    image.columns = c.columns;
    image.rows = c.rows;
    image.field_columns = c.columns;
    image.field_rows = c.rows;
    image.texels = states;
    for (const State& s : c.states) image.palette.push_back({s.colour, s.label});
    image.field_name = c.name;
    Shape& s = out_.shapes.emplace_back();
    s.kind = Kind::image;
    s.x = b.x;
    s.y = b.y;
    s.w = b.w;
    s.h = b.h;
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
        box.w -= 1;
        box.h -= 1;
        Shape& s = rect(box, state.colour, view_.with_tooltips ? Words([&] { return words(cell); }) : Words());
        s.hatch = state.hatch;
        if (!c.number.empty() && c.number[cell] >= 0)
          text_in(box, fmt::format("{}", c.number[cell]), 11, {Role::contrast}, state.colour);
      }
  }
  if (const std::int64_t in_last = c.count % c.columns; c.count > 0 && c.count < c.rows * c.columns) {
    const float x = b.x + w * length(in_last);
    rect({x, b.y + b.h - h, b.x + b.w - x + 1, h + 1}, {Role::paper});
  }
  if (is_pointed_at(b)) {
    const auto cell = std::min(c.rows - 1, static_cast<std::int64_t>((view_.pointer->y - b.y) / h)) * c.columns +
                      std::min(c.columns - 1, static_cast<std::int64_t>((view_.pointer->x - b.x) / w));
    About about;
    if (!c.number.empty()) about.program = c.number[cell];
    tell(b, [&] { return words(cell); }, about);
  }
  if (view_.program >= 0 && !c.number.empty())
    for (std::size_t i = 0; i < c.number.size(); ++i)
      if (c.number[i] == view_.program) {
        Shape& lit = rect(box_of(static_cast<std::int64_t>(i)), {});
        lit.stroke = {Role::accent}, lit.stroke_width = 2;
      }
  path(c, b);
  read_by_program(c, b);
}

// The line through the cells that were begun last.
void Painter::path(const Cells& c, const Box& b) {
  if (c.path.size() < 2) return;
  const auto end = static_cast<std::size_t>(
      std::upper_bound(c.path_at.begin(), c.path_at.end(), view_.us, [](double a, float t) { return a < double(t); }) -
      c.path_at.begin());
  if (end < 2) return;
  Shape& line = out_.shapes.emplace_back();
  line.kind = Kind::polyline;
  line.layer = Layer::lines;
  line.stroke = {Role::ink, 0, 0, 0.75f}, line.stroke_width = 1.5f;
  const float w = b.w / length(c.columns), h = b.h / length(c.rows);
  for (std::size_t i = end > most_of_path ? end - most_of_path : 0; i < end; ++i)
    line.points.push_back(
        {b.x + w * (length(c.path[i] % c.columns) + 0.5f), b.y + h * (length(c.path[i] / c.columns) + 0.5f)});
}

// What the program that is pointed at reads in all its steps, and at this moment.
void Painter::read_by_program(const Cells& c, const Box& b) {
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

}  // namespace tl::viz::film
