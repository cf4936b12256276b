// Elements of a block and the places that hold them.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/film/painter.h"

namespace tl::viz::film {

namespace {

constexpr float smallest_with_axes = 150;  // px

std::string element_text(const Map& m, std::int64_t element) {
  return m.block_columns > 1 ? fmt::format("({}, {})", element / m.block_columns, element % m.block_columns)
                             : fmt::format("({})", element);
}

}  // namespace

void Painter::map(const At& at, const Map& m) {
  const Box b = at.box(m.box);
  if (!is_visible(b)) return;
  const float w = b.w / length(m.columns), h = b.h / length(m.rows);
  const std::int64_t cells = m.rows * m.columns;
  const auto element_of = [&](std::int64_t cell) { return m.element.empty() ? cell : std::int64_t{m.element[cell]}; };
  const auto box_of = [&](std::int64_t cell) {
    return Box{b.x + w * length(cell % m.columns), b.y + h * length(cell / m.columns), w, h};
  };
  const bool is_texture = std::min(w, h) < 5;
  if (is_texture) {
    Image image;
    image.columns = m.columns, image.rows = m.rows, image.field_columns = m.columns, image.field_rows = m.rows;
    for (int i = 0; i < 8; ++i) image.palette.push_back({i < 7 ? category(i) : Colour{Role::unwritten}, ""});
    for (std::int64_t cell = 0; cell < cells; ++cell)
      image.texels.push_back(static_cast<unsigned char>(element_of(cell) < 0 ? 7
                                                        : m.colour.empty()   ? 0
                                                                             : m.colour[cell] % 7));
    Shape& s = out_.shapes.emplace_back();
    s.kind = Kind::image, s.x = b.x, s.y = b.y, s.w = b.w, s.h = b.h;
    s.image = static_cast<int>(out_.images.size());
    out_.images.push_back(std::move(image));
  }
  const auto caption = [&](std::int64_t cell) {
    return m.major.empty() ? fmt::format("{}", element_of(cell))
                           : fmt::format(fmt::runtime(m.words), m.major[cell], m.minor[cell]);
  };
  if (!is_texture)
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const Box box = box_of(cell);
      if (!is_visible(box)) continue;
      const std::int64_t element = element_of(cell);
      const Colour fill = element < 0        ? Colour{Role::unwritten}
                          : m.colour.empty() ? Colour{Role::surface}
                                             : category(m.colour[cell]);
      Shape& s = rect({box.x, box.y, box.w - 1, box.h - 1}, fill);
      if (element < 0) s.hatch = Hatch::dots;
      else text_in(box, caption(cell), 13, {Role::contrast}, fill, true);
    }
  if (pointed_ && view_.pointer && b.x <= view_.pointer->x && view_.pointer->x < b.x + b.w && b.y <= view_.pointer->y &&
      view_.pointer->y < b.y + b.h) {
    const std::int64_t cell = static_cast<std::int64_t>((view_.pointer->y - b.y) / h) * m.columns +
                              static_cast<std::int64_t>((view_.pointer->x - b.x) / w);
    const std::int64_t element = element_of(cell);
    tell(b,
         [&] {
           if (element < 0)
             return fmt::format("{} {}, {} {}: nothing", m.row_name, cell / m.columns, m.column_name, cell % m.columns);
           std::string text = fmt::format("{} {}", m.name, element_text(m, element));
           if (m.elements_a_cell > 1) text += fmt::format(" to {}", element_text(m, element + m.elements_a_cell - 1));
           return text + ": " +
                  (m.element.empty()
                       ? caption(cell)
                       : fmt::format("{} {}, {} {}", m.row_name, cell / m.columns, m.column_name, cell % m.columns));
         },
         {});
    pointed_->group = m.group, pointed_->element = static_cast<int>(element);
  }
  if (view_.lit_group == m.group && view_.lit_element >= 0)
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const std::int64_t e = element_of(cell);
      if (e < 0 || view_.lit_element < e || view_.lit_element >= e + m.elements_a_cell) continue;
      Box box = box_of(cell);
      if (box.w < 6) box.x -= (6 - box.w) / 2, box.w = 6;
      if (box.h < 6) box.y -= (6 - box.h) / 2, box.h = 6;
      Shape& lit = rect(box, {});
      lit.stroke = {Role::accent}, lit.stroke_width = 3, lit.layer = Layer::lines;
    }
  const float size = std::min(at.size(13), 20.f);
  label(b.x, b.y - 6, m.name, size, Align::left, {Role::ink}, true);
  if (b.w >= smallest_with_axes) {
    const auto ticks = [&](std::int64_t count, float cell, float room) {
      std::int64_t every = 1;
      while (cell * length(every) < room && every < count) every *= 2;
      return every;
    };
    const float small = std::max(least_label, size * 0.8f);
    for (std::int64_t k = 0, every = ticks(m.columns, w, 3.4f * small); k < m.columns; k += every)
      text(b.x + w * (length(k) + 0.5f), b.y + b.h + small + 2, fmt::format("{}", k), small, Align::centre,
           {Role::soft});
    for (std::int64_t r = 0, every = ticks(m.rows, h, 1.5f * small); r < m.rows; r += every)
      text(b.x - 5, b.y + h * (length(r) + 0.5f) + small * 0.36f, fmt::format("{}", r), small, Align::right,
           {Role::soft});
    text(b.x + b.w / 2, b.y + b.h + 2.3f * small + 3, m.column_name, small, Align::centre, {Role::soft});
    text(b.x - 5, b.y - 6, m.row_name, small, Align::right, {Role::soft});
  }
}

}  // namespace tl::viz::film
