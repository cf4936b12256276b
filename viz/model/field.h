// A field of cells, rows by columns, each in one of a few states: rectangles while they are few and large, else a
// texture of merged cells.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "viz/model/sheet.h"

namespace tl::viz {

inline constexpr std::int64_t most_cells = 50'000;  // as shapes; beyond: a texture
inline constexpr float outlined_cell = 8;           // smaller ones would be all outline

struct Field {
  std::int64_t rows = 1, columns = 1;
  std::vector<Image::Entry> states;  // of cells; where cells merge the highest state shows
  std::string name;
  About about;
  Image::Counts counts = Image::Counts::elements;
  std::int64_t base = 0, row_stride = 0, column_stride = 1;
  float x = 0, y = 0, width = 0, height = 0;  // the box it may take
  float largest_cell = 40;
  float least_side = 24;   // cells are square, but oblong where the field would be thinner than this
  bool fills_box = false;  // whatever the shape of the cells
  std::int64_t most_shapes = most_cells;
  std::vector<double> values = {};  // of the cells, for a texture's tooltips
  bool is_whole = false;
};

class FieldPainter {
 public:
  explicit FieldPainter(Field field);
  // State of cells (row, column) .. (row, column + count - 1): kept where it is higher than what is there.
  void set(std::int64_t row, std::int64_t column, std::int64_t count, unsigned char state);
  void set_cell(std::int64_t cell, std::int64_t count, unsigned char state);  // by row-major number
  // The same by texel: what one covers, how many there are.
  std::int64_t across() const { return across_; }
  std::int64_t down() const { return down_; }
  std::size_t texels() const { return states_.size(); }
  void fill(unsigned char state) { states_.assign(states_.size(), state); }
  void raise(std::size_t texel, unsigned char state) { states_[texel] = std::max(states_[texel], state); }
  bool is_texture() const { return is_texture_; }
  bool is_merged() const { return down_ > 1 || across_ > 1; }
  float cell() const { return cell_; }
  float width() const { return cell_ * static_cast<float>(field_.columns); }
  float height() const { return cell_height_ * static_cast<float>(field_.rows); }
  float cell_height() const { return cell_height_; }
  float x_of(std::int64_t column) const { return field_.x + cell_ * static_cast<float>(column); }
  float y_of(std::int64_t row) const { return field_.y + cell_height_ * static_cast<float>(row); }
  unsigned char state(std::int64_t row, std::int64_t column) const {
    return states_[row / down_ * image_columns_ + column / across_];
  }
  bool shows(unsigned char state) const;  // whether any cell has it
  // Adds the shapes; `decorate` may give a cell its text and tooltip (not called for a texture).
  void draw(Sheet& sheet, const std::string& id,
            const std::function<void(Shape&, std::int64_t row, std::int64_t column)>& decorate = {}) const;
  // Around small cells, which have no outline of their own, or around any.
  void draw_frame(Sheet& sheet, bool around_any = false) const;
  // Indices along the upper and the left edge, as many as there is room for.
  // With a `period` row numbers restart every so many rows.
  void draw_axes(Sheet& sheet, const std::function<std::string(std::int64_t)>& row_label = {},
                 std::int64_t period = 0) const;
  // Lines between the planes of a tensor of more than two axes, which lie beneath one another.
  void draw_planes(Sheet& sheet, const std::string& name, std::span<const std::int64_t> shape) const;

 private:
  Field field_;
  bool is_texture_ = false;
  float cell_ = 0, cell_height_ = 0;
  std::int64_t down_ = 1, across_ = 1, image_rows_ = 0, image_columns_ = 0;
  std::vector<unsigned char> states_;
};

// Rows a plane: the last axis but one.
inline std::int64_t rows_of_plane(std::span<const std::int64_t> shape, std::int64_t rows) {
  return shape.size() > 2 ? std::max<std::int64_t>(1, shape[shape.size() - 2]) : rows;
}

// Cells from one index label to the next, where a label takes `room` and a cell `cell`: a power of two, as blocks are.
std::int64_t tick_every(float cell, float room);

}  // namespace tl::viz
