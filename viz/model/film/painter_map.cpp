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

// A map on the canvas: a cell's box, the element that it holds, what stands in it.
struct Painter::MapGrid {
  const Map& m;
  const Box box;
  const float cell_width = box.w / length(m.columns), cell_height = box.h / length(m.rows);

  std::int64_t cells() const { return m.rows * m.columns; }
  std::int64_t element(std::int64_t cell) const { return m.element.empty() ? cell : std::int64_t{m.element[cell]}; }
  Box box_of(std::int64_t cell) const {
    return {box.x + cell_width * length(cell % m.columns), box.y + cell_height * length(cell / m.columns), cell_width,
            cell_height};
  }
  bool contains(const Point& p) const {
    return box.x <= p.x && p.x < box.x + box.w && box.y <= p.y && p.y < box.y + box.h;
  }
  std::int64_t cell_at(const Point& p) const {
    return static_cast<std::int64_t>((p.y - box.y) / cell_height) * m.columns +
           static_cast<std::int64_t>((p.x - box.x) / cell_width);
  }
  std::string place(std::int64_t cell) const {
    return fmt::format("{} {}, {} {}", m.row_name, cell / m.columns, m.column_name, cell % m.columns);
  }
  std::string caption(std::int64_t cell) const {
    return m.major.empty() ? fmt::format("{}", element(cell))
                           : fmt::format(fmt::runtime(m.words), m.major[cell], m.minor[cell]);
  }
  std::string words(std::int64_t cell) const {
    const std::int64_t first = element(cell);
    if (first < 0) return place(cell) + ": nothing";
    std::string text = fmt::format("{} {}", m.name, element_text(m, first));
    if (m.elements_a_cell > 1) text += fmt::format(" to {}", element_text(m, first + m.elements_a_cell - 1));
    return text + ": " + (m.element.empty() ? caption(cell) : place(cell));
  }
};

// Cells too small to be drawn each.
void Painter::map_texture(const MapGrid& grid) {
  const Map& m = grid.m;
  Image image;
  image.columns = m.columns;
  image.rows = m.rows;
  image.field_columns = m.columns;
  image.field_rows = m.rows;
  for (int i = 0; i < 8; ++i) image.palette.push_back({i < 7 ? category(i) : Colour{Role::unwritten}, ""});
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell)
    image.texels.push_back(static_cast<unsigned char>(grid.element(cell) < 0 ? 7
                                                      : m.colour.empty()     ? 0
                                                                             : m.colour[cell] % 7));
  Shape& s = out_.shapes.emplace_back();
  s.kind = Kind::image;
  s.x = grid.box.x;
  s.y = grid.box.y;
  s.w = grid.box.w;
  s.h = grid.box.h;
  s.image = static_cast<int>(out_.images.size());
  out_.images.push_back(std::move(image));
}

void Painter::map_cells(const MapGrid& grid) {
  const Map& m = grid.m;
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    const Box box = grid.box_of(cell);
    if (!is_visible(box)) continue;
    const bool is_empty = grid.element(cell) < 0;
    const Colour fill = is_empty           ? Colour{Role::unwritten}
                        : m.colour.empty() ? Colour{Role::surface}
                                           : category(m.colour[cell]);
    Shape& s = rect({box.x, box.y, box.w - 1, box.h - 1}, fill);
    if (is_empty) s.hatch = Hatch::dots;
    else text_in(box, grid.caption(cell), 13, {Role::contrast}, fill, true);
  }
}

// The cells that hold the element that is pointed at, here or in another map of its group.
void Painter::map_lit(const MapGrid& grid) {
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    const std::int64_t e = grid.element(cell);
    if (e < 0 || view_.lit_element < e || view_.lit_element >= e + grid.m.elements_a_cell) continue;
    Box box = grid.box_of(cell);
    if (box.w < 6) {
      box.x -= (6 - box.w) / 2;
      box.w = 6;
    }
    if (box.h < 6) {
      box.y -= (6 - box.h) / 2;
      box.h = 6;
    }
    Shape& lit = rect(box, {});
    lit.stroke = {Role::accent};
    lit.stroke_width = 3;
    lit.layer = Layer::lines;
  }
}

// Rows and columns are numbered as often as there is room.
void Painter::map_axes(const MapGrid& grid, float size) {
  const Map& m = grid.m;
  const Box& b = grid.box;
  const auto ticks = [](std::int64_t count, float cell, float room) {
    std::int64_t every = 1;
    while (cell * length(every) < room && every < count) every *= 2;
    return every;
  };
  for (std::int64_t k = 0, every = ticks(m.columns, grid.cell_width, 3.4f * size); k < m.columns; k += every)
    text(b.x + grid.cell_width * (length(k) + 0.5f), b.y + b.h + size + 2, fmt::format("{}", k), size, Align::centre,
         {Role::soft});
  for (std::int64_t r = 0, every = ticks(m.rows, grid.cell_height, 1.5f * size); r < m.rows; r += every)
    text(b.x - 5, b.y + grid.cell_height * (length(r) + 0.5f) + size * 0.36f, fmt::format("{}", r), size, Align::right,
         {Role::soft});
  text(b.x + b.w / 2, b.y + b.h + 2.3f * size + 3, m.column_name, size, Align::centre, {Role::soft});
  text(b.x - 5, b.y - 6, m.row_name, size, Align::right, {Role::soft});
}

void Painter::map(const At& at, const Map& m) {
  const MapGrid grid{m, at.box(m.box)};
  if (!is_visible(grid.box)) return;
  if (std::min(grid.cell_width, grid.cell_height) < 5) map_texture(grid);
  else map_cells(grid);
  if (pointed_ && view_.pointer && grid.contains(*view_.pointer)) {
    const std::int64_t cell = grid.cell_at(*view_.pointer);
    tell(grid.box, [&] { return grid.words(cell); }, {});
    pointed_->group = m.group;
    pointed_->element = static_cast<int>(grid.element(cell));
  }
  if (view_.lit_group == m.group && view_.lit_element >= 0) map_lit(grid);
  const float size = std::min(at.size(13), 20.f);
  label(grid.box.x, grid.box.y - 6, m.name, size, Align::left, {Role::ink}, true);
  if (grid.box.w >= smallest_with_axes) map_axes(grid, std::max(least_label, size * 0.8f));
}

}  // namespace tl::viz::film
