#include "viz/model/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::viz {

FieldPainter::FieldPainter(Field field) : field_(std::move(field)) {
  cell_ = std::min({field_.largest_cell, field_.width / static_cast<float>(field_.columns), field_.height / static_cast<float>(field_.rows)});
  cell_height_ = cell_;
  // Long thin fields would vanish in one direction: let cells be oblong there.
  const float tall = std::min(field_.largest_cell, field_.height / static_cast<float>(field_.rows)), wide = std::min(field_.largest_cell, field_.width / static_cast<float>(field_.columns));
  if (cell_ < 4) cell_ = std::min(wide, std::max(cell_, 4.f) * 4), cell_height_ = std::min(tall, std::max(cell_height_, 4.f) * 4);
  is_texture_ = field_.rows * field_.columns > most_cells || cell_ < 3 || cell_height_ < 3;
  if (is_texture_) {
    across_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(static_cast<float>(field_.columns) / std::max(1.f, width()))));
    down_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(static_cast<float>(field_.rows) / std::max(1.f, height()))));
  }
  image_columns_ = (field_.columns + across_ - 1) / across_;
  image_rows_ = (field_.rows + down_ - 1) / down_;
  states_.assign(static_cast<std::size_t>(image_rows_ * image_columns_), 0);
}

void FieldPainter::set(std::int64_t row, std::int64_t column, std::int64_t count, unsigned char state) {
  if (row < 0 || row >= field_.rows || count <= 0) return;
  const std::int64_t first = std::clamp<std::int64_t>(column, 0, field_.columns - 1) / across_, last = std::clamp<std::int64_t>(column + count - 1, 0, field_.columns - 1) / across_;
  unsigned char* const at = states_.data() + row / down_ * image_columns_;
  for (std::int64_t c = first; c <= last; ++c) at[c] = std::max(at[c], state);
}

void FieldPainter::set_cell(std::int64_t cell, std::int64_t count, unsigned char state) {
  while (count > 0 && cell >= 0 && cell < field_.rows * field_.columns) {
    const std::int64_t column = cell % field_.columns, here = std::min(count, field_.columns - column);
    set(cell / field_.columns, column, here, state);
    cell += here, count -= here;
  }
}

void FieldPainter::draw(Sheet& sheet, const std::string& id, const std::function<void(Shape&, std::int64_t, std::int64_t)>& dress) const {
  if (is_texture_) {
    Image image;
    image.rows = image_rows_, image.columns = image_columns_;
    image.texels = states_;
    image.palette = field_.states;
    image.field_rows = field_.rows, image.field_columns = field_.columns;
    image.cells_down = down_, image.cells_across = across_;
    image.field_name = field_.name;
    image.about = field_.about;
    image.counts_programs = field_.counts_programs;
    image.base = field_.base, image.row_stride = field_.row_stride, image.column_stride = field_.column_stride;
    Shape& s = sheet.mark(Kind::image, field_.x, field_.y, width(), height(), {}, id);
    s.layer = Layer::cells;
    s.image = static_cast<int>(sheet.drawing.images.size());
    s.about = field_.about;
    sheet.drawing.images.push_back(std::move(image));
    return;
  }
  for (std::int64_t r = 0; r < field_.rows; ++r)
    for (std::int64_t c = 0; c < field_.columns; ++c) {
      const Image::Entry& look = field_.states[state(r, c)];
      const std::int64_t number = field_.base + r * field_.row_stride + c * field_.column_stride;
      Shape& s = sheet.rect(x_of(c), y_of(r), cell_, cell_height_, look.colour, fmt::format("{}/{}", id, number));
      s.about = field_.about;
      if (field_.counts_programs) s.about.program = number;
      else s.about.first = s.about.last = number;
      if (cell_ >= outlined_cell && cell_height_ >= outlined_cell) s.stroke = {Role::faint};
      s.tooltip = look.label;
      if (dress) dress(s, r, c);
    }
}

}  // namespace tl::viz
