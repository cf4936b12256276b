#include "viz/model/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::viz {

FieldPainter::FieldPainter(Field field) : field_(std::move(field)) {
  const float wide = std::min(field_.largest_cell, field_.width / static_cast<float>(field_.columns)),
              tall = std::min(field_.largest_cell, field_.height / static_cast<float>(field_.rows));
  cell_ = field_.fills_box ? wide : std::min(wide, tall);
  cell_height_ = field_.fills_box ? tall : cell_;
  if (width() < field_.least_side) cell_ = std::min(wide, field_.least_side / static_cast<float>(field_.columns));
  if (height() < field_.least_side) cell_height_ = std::min(tall, field_.least_side / static_cast<float>(field_.rows));
  is_texture_ = field_.rows * field_.columns > field_.most_shapes || cell_ < 3 || cell_height_ < 3;
  if (is_texture_) {
    across_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(static_cast<float>(field_.columns) / std::max(1.f, width()))));
    down_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(static_cast<float>(field_.rows) / std::max(1.f, height()))));
  }
  image_columns_ = (field_.columns + across_ - 1) / across_;
  image_rows_ = (field_.rows + down_ - 1) / down_;
  states_.assign(static_cast<std::size_t>(image_rows_ * image_columns_), 0);
}

void FieldPainter::set(std::int64_t row, std::int64_t column, std::int64_t count, unsigned char state) {
  if (row < 0 || row >= field_.rows || count <= 0) return;
  const auto texel_of = [&](std::int64_t c) {  // large blocks set a lane at a time: no division without need
    c = std::clamp<std::int64_t>(c, 0, field_.columns - 1);
    return across_ == 1 ? c : c / across_;
  };
  const std::int64_t first = texel_of(column), last = count == 1 ? first : texel_of(column + count - 1);
  unsigned char* const at = states_.data() + (down_ == 1 ? row : row / down_) * image_columns_;
  for (std::int64_t c = first; c <= last; ++c) at[c] = std::max(at[c], state);
}

void FieldPainter::set_cell(std::int64_t cell, std::int64_t count, unsigned char state) {
  while (count > 0 && cell >= 0 && cell < field_.rows * field_.columns) {
    const std::int64_t column = cell % field_.columns, here = std::min(count, field_.columns - column);
    set(cell / field_.columns, column, here, state);
    cell += here;
    count -= here;
  }
}

void FieldPainter::draw(Sheet& sheet, const std::string& id,
                        const std::function<void(Shape&, std::int64_t, std::int64_t)>& decorate) const {
  if (is_texture_) {
    Image image;
    image.rows = image_rows_;
    image.columns = image_columns_;
    image.texels = states_;
    image.palette = field_.states;
    image.field_rows = field_.rows;
    image.field_columns = field_.columns;
    image.cells_down = down_;
    image.cells_across = across_;
    image.field_name = field_.name;
    image.about = field_.about;
    image.counts = field_.counts;
    image.base = field_.base;
    image.row_stride = field_.row_stride;
    image.column_stride = field_.column_stride;
    if (!is_merged()) {
      image.values = field_.values;
      image.is_whole = field_.is_whole;
    }
    Shape& s = sheet.mark(Kind::image, field_.x, field_.y, width(), height(), {}, id);
    s.layer = Layer::cells;
    s.image = static_cast<int>(sheet.drawing.images.size());
    s.about = field_.about;
    sheet.drawing.images.push_back(std::move(image));
    return;
  }
  for (std::int64_t r = 0; r < field_.rows; ++r)
    for (std::int64_t c = 0; c < field_.columns; ++c) {
      const Image::Entry& entry = field_.states[state(r, c)];
      const std::int64_t number = field_.base + r * field_.row_stride + c * field_.column_stride;
      Shape& s = sheet.rect(x_of(c), y_of(r), cell_, cell_height_, entry.colour, fmt::format("{}/{}", id, number));
      s.about = field_.about;
      switch (field_.counts) {
        case Image::Counts::elements: s.about.first = s.about.last = number; break;
        case Image::Counts::programs: s.about.program = number; break;
        case Image::Counts::lanes: s.about.lane = number; break;
      }
      if (cell_ >= outlined_cell && cell_height_ >= outlined_cell) s.stroke = {Role::faint};
      s.tooltip = entry.label;
      if (decorate) decorate(s, r, c);
    }
}

void FieldPainter::draw_frame(Sheet& sheet, bool around_any) const {
  if (!around_any && !is_texture_ && std::min(cell_, cell_height_) >= outlined_cell) return;
  Shape& frame = sheet.rect(field_.x, field_.y, width(), height(), {}, "");
  frame.stroke = {Role::faint};
  frame.layer = Layer::marks;
}

bool FieldPainter::shows(unsigned char state) const {
  return std::find(states_.begin(), states_.end(), state) != states_.end();
}

std::int64_t tick_every(float cell, float room) {
  std::int64_t every = 1;
  while (static_cast<float>(every) * cell < room) every *= 2;
  return every;
}

void FieldPainter::draw_planes(Sheet& sheet, const std::string& name, std::span<const std::int64_t> shape) const {
  const std::int64_t plane = rows_of_plane(shape, field_.rows);
  if (plane * 2 > field_.rows || static_cast<float>(plane) * cell_height_ < 14) return;
  for (std::int64_t i = 0; i * plane < field_.rows; ++i) {
    const float y = y_of(i * plane);
    if (i > 0) sheet.line(field_.x - 4, y, field_.x + width() + 4, y, {Role::ink}, 1.2f);
    std::string index;
    std::int64_t rest = i;
    for (std::size_t d = shape.size() - 2; d-- > 0; rest /= std::max<std::int64_t>(1, shape[d]))
      index = fmt::format("{}{}{}", rest % std::max<std::int64_t>(1, shape[d]), index.empty() ? "" : ", ", index);
    sheet.note(field_.x + width() + 5, y + 10, fmt::format("{}[{}]", name, index), least_text);
  }
}

void FieldPainter::draw_axes(Sheet& sheet, const std::function<std::string(std::int64_t)>& row_label,
                             std::int64_t period) const {
  const bool is_thin = period > 0 && period < field_.rows && static_cast<float>(period) * cell_height_ < 13;
  const auto label = [&](std::int64_t row) {  // numbers that restart between two labels would say nothing
    return row_label && !is_thin ? row_label(row) : fmt::format("{}", row);
  };
  constexpr float size = least_text;
  const float widest = text_width(fmt::format("{}", field_.columns - 1), size);
  const std::int64_t across = tick_every(cell_, widest + 8), down = tick_every(cell_height_, 13);
  for (std::int64_t c = 0; c < field_.columns; c += across)
    if (c == 0 || x_of(c) + widest <= field_.x + width() + 2) {
      // Over the middle of a wide cell, else from its left edge on.
      const bool is_wide = cell_ >= widest;
      sheet.note(x_of(c) + (is_wide ? cell_ / 2 : 0), field_.y - 4, fmt::format("{}", c), size,
                 is_wide ? Align::centre : Align::left);
    }
  if (period <= 0 || is_thin) period = field_.rows;
  const std::int64_t margin_rows = period < field_.rows ? down / 2 : 0;  // the next period's first number stands there
  for (std::int64_t r = 0; r < field_.rows;
       r = r % period + down < period - margin_rows ? r + down : (r / period + 1) * period)
    if (std::string text = label(r); !text.empty())
      sheet.note(field_.x - 5, y_of(r) + (cell_height_ >= 12 ? cell_height_ / 2 + 3.5f : 8), std::move(text), size,
                 Align::right);
}

}  // namespace tl::viz
