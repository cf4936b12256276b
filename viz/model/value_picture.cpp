#include "viz/model/value_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "viz/model/moment.h"

namespace tl::viz {

namespace {

using trace::RecordedValue;

constexpr float cell_width = 48, cell_height = 20;
constexpr int shades = 64;
enum Shade : unsigned char { lowest = 1, off = shades + 1, not_finite = shades + 2 };

bool is_whole(const RecordedValue& v) { return is_integer(v.dtype) || v.tensor >= 0; }
bool is_mask(const RecordedValue& v) { return v.dtype == DType::int1; }

struct Extents {
  std::int64_t rows = 1, columns = 1;  // all axes but the last are rows
};
Extents extents_of(const RecordedValue& v) {
  const int rank = v.shape.rank;
  if (rank == 0) return {};
  const std::int64_t columns = std::max<std::int64_t>(1, v.shape[rank - 1]);
  return {v.shape.product() / columns, columns};
}

bool is_off(const DrawnValue& drawn, std::int64_t lane) {
  if (is_mask(*drawn.value)) return trace::element_as_int(*drawn.value, lane) == 0;
  return drawn.access && lane < drawn.access->lanes() && !drawn.access->is_active(lane);
}

// A lane as a cell with its number.
void draw_cell(Sheet& sheet, const DrawnValue& drawn, std::int64_t lane, float x, float y, const std::string& id,
               ValueMarks& marks) {
  const RecordedValue& v = *drawn.value;
  const std::string text = value_text(v, lane);
  const bool dead = is_off(drawn, lane);
  Shape& s = sheet.rect(x, y, cell_width, cell_height,
                        is_mask(v) && !dead ? Colour{Role::good, 0, 0, 0.35f} : Colour{Role::surface},
                        fmt::format("{}/{}/{}", id, drawn.name, lane));
  s.stroke = {Role::faint};
  s.ink = {Role::ink};
  s.is_mono = true;
  s.size = 12;
  s.text = text_width(text, s.size, true) < cell_width - 3
               ? text
               : number_in(cell_width - 1, trace::element_as_double(v, lane), is_whole(v), s.size);
  if (s.text.empty()) s.text = "\u2026";
  if (dead) s.hatch = Hatch::single;
  marks.off |= dead;
  marks.on |= is_mask(v) && !dead;
  s.tooltip = fmt::format("{}[{}] = {}{}", drawn.name, lane, is_mask(v) ? text : exact_text(v, lane),
                          dead && !is_mask(v) ? ", masked off" : "");
  s.about = drawn.about;
  if (v.shape.rank > 0) s.about.lane = lane;
}

// A row's number; with more than two axes the indices of all but the last: 1, 0.
std::string row_label(const RecordedValue& v, std::int64_t row) {
  std::string label;
  for (int d = v.shape.rank - 2; d >= 0; row /= v.shape[d--])
    label = fmt::format("{}{}{}", row % v.shape[d], label.empty() ? "" : ", ", label);
  return label;
}
float rows_room(const RecordedValue& v) {
  return v.shape.rank < 2 ? 0 : std::max(22.f, text_width(row_label(v, extents_of(v).rows - 1), least_text) + 8);
}

// The rows or columns of `count` that numbers are shown for, where `room` fit: the first ones and the last; -1 stands
// for those left out.
std::vector<std::int64_t> shown(std::int64_t count, std::int64_t room) {
  std::vector<std::int64_t> all;
  if (count <= room)
    for (std::int64_t i = 0; i < count; ++i) all.push_back(i);
  else {
    for (std::int64_t i = 0; i < room - 2; ++i) all.push_back(i);
    all.push_back(-1);
    all.push_back(count - 1);
  }
  return all;
}

// Numbers with indices on the edges: all lanes, or the corners.
float draw_numbers(Sheet& sheet, const DrawnValue& drawn, float x, float y, std::int64_t most_rows,
                   std::int64_t most_columns, ValueMarks& marks, const std::string& id = "value") {
  const Extents size = extents_of(*drawn.value);
  const auto rows = shown(size.rows, most_rows), columns = shown(size.columns, most_columns);
  const bool has_rows = drawn.value->shape.rank > 1, has_columns = drawn.value->shape.rank > 0;
  const float left = x + rows_room(*drawn.value);
  float top = y + (has_columns ? 13.f : 2.f), cx = left;
  for (const std::int64_t c : columns) {
    if (has_columns && c >= 0)
      sheet.note(cx + cell_width / 2, top - 3, fmt::format("{}", c), least_text, Align::centre);
    if (c < 0) sheet.note(cx + 9, top - 3, "\u2026", least_text, Align::centre);
    cx += c < 0 ? 18.f : cell_width;
  }
  for (const std::int64_t r : rows) {
    if (r < 0) {
      sheet.note(left + cell_width / 2, top + 9, "\u2026", least_text, Align::centre);
      top += 14;
      continue;
    }
    if (has_rows) sheet.note(left - 4, top + 14, row_label(*drawn.value, r), least_text, Align::right);
    cx = left;
    for (const std::int64_t c : columns) {
      if (c >= 0) draw_cell(sheet, drawn, r * size.columns + c, cx, top, id, marks);
      cx += c < 0 ? 18.f : cell_width;
    }
    top += cell_height;
  }
  return top + 2;
}

struct ValueRange {
  double low = INFINITY, high = -INFINITY;
};

// The scale beneath a picture: from the smallest value to the largest.
float draw_scale(Sheet& sheet, const DrawnValue& drawn, const ValueRange& range, float x, float y, float& right) {
  const std::string low = short_number(range.low, is_whole(*drawn.value)),
                    high =
                        short_number(range.high, is_whole(*drawn.value)) + (drawn.unit.empty() ? "" : " " + drawn.unit);
  sheet.note(x, y + 9, low);
  x += text_width(low, least_text) + 5;
  for (int i = 0; i < 24; ++i) sheet.rect(x + static_cast<float>(i) * 4, y, 4.2f, 10, magnitude(i / 23.0));
  sheet.note(x + 101, y + 9, high);
  right = std::max(right, x + 101 + text_width(high, least_text));
  return y + 12;
}

float draw_picture(Sheet& sheet, const DrawnValue& drawn, float x, float y, float width, float height,
                   ValueMarks& marks, float& right) {
  const RecordedValue& v = *drawn.value;
  const Extents size = extents_of(v);
  const std::int64_t lanes = size.rows * size.columns;
  const bool all_on = !is_mask(v) && (!drawn.access || drawn.access->active == drawn.access->lanes());
  ValueRange range;
  std::vector<double> values(static_cast<std::size_t>(lanes),
                             lanes > 0 && v.form == trace::Form::splat ? trace::element_as_double(v, 0) : 0);
  std::vector<unsigned char> dead(static_cast<std::size_t>(lanes), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto lane = static_cast<std::int64_t>(i);
    if (v.form != trace::Form::splat) values[i] = trace::element_as_double(v, lane);
    if (!all_on) dead[i] = is_off(drawn, lane) ? 1 : 0;
    if (!dead[i] && std::isfinite(values[i])) {
      range.low = std::min(range.low, values[i]);
      range.high = std::max(range.high, values[i]);
    }
  }
  Field f;
  f.rows = size.rows;
  f.columns = size.columns;
  f.row_stride = size.columns;
  f.counts = Image::Counts::lanes;
  f.name = drawn.name;
  f.about = drawn.about;
  f.is_whole = is_whole(v);
  f.states.push_back({{Role::none}, ""});
  for (int l = 0; l < shades; ++l)
    f.states.push_back(
        {is_mask(v) ? Colour{Role::good, 0, 0, 0.55f} : magnitude(l / (shades - 1.0)), is_mask(v) ? "on" : ""});
  f.states.push_back({{Role::masked}, is_mask(v) ? "off" : "masked off"});
  f.states.push_back({{Role::fault}, "inf or nan"});
  const bool has_rows = v.shape.rank > 1;
  f.x = x + rows_room(v);
  f.y = y + 13;
  f.width = width - rows_room(v);
  f.height = height;
  f.largest_cell = has_rows ? 8.f : 14.f;
  f.least_side = has_rows ? 24.f : 16.f;
  f.most_shapes = 0;
  if (lanes <= most_cells && !is_mask(v)) f.values = values;
  FieldPainter painter(f);
  for (std::int64_t r = 0, i = 0; r < size.rows; ++r)
    for (std::int64_t c = 0; c < size.columns; ++c, ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double level = range.high > range.low ? (values[at] - range.low) / (range.high - range.low) : 0.5;
      painter.set(r, c, 1,
                  static_cast<unsigned char>(
                      dead[at]     ? off
                      : is_mask(v) ? lowest
                      : std::isfinite(values[at])
                          ? lowest + std::clamp(static_cast<int>(level * (shades - 1) + 0.5), 0, shades - 1)
                          : not_finite));
    }
  painter.draw(sheet, "picture/" + drawn.name);
  painter.draw_axes(sheet, [&](std::int64_t r) { return row_label(v, r); });
  painter.draw_frame(sheet);
  marks.off_merged |= painter.shows(off);
  marks.not_finite |= painter.shows(not_finite);
  marks.on |= is_mask(v) && painter.shows(lowest);
  right = f.x + painter.width();
  y = f.y + painter.height() + 4;
  if (is_mask(v) || range.low > range.high) return y;
  if (range.low == range.high) {
    sheet.note(f.x, y + 9, fmt::format("all {}", short_number(range.low, is_whole(v))));
    return y + 12;
  }
  marks.scale = true;
  return draw_scale(sheet, drawn, range, f.x, y, right);
}

}  // namespace

std::string value_text(const RecordedValue& v, std::int64_t lane) {
  if (is_mask(v)) return trace::element_as_int(v, lane) ? "T" : "F";
  std::string all = is_whole(v) ? exact_text(v, lane) : "";
  return all.empty() || all.size() > 8 ? short_number(trace::element_as_double(v, lane), is_whole(v)) : all;
}

std::string exact_text(const RecordedValue& v, std::int64_t lane) {
  return is_whole(v) ? fmt::format("{}", trace::element_as_int(v, lane))
                     : exact_number(trace::element_as_double(v, lane));
}

std::string formula_text(const RecordedValue& v) {
  if (v.form != trace::Form::affine || v.shape.rank == 0) return "";
  std::int64_t numbers[1 + trace::max_rank];
  std::memcpy(numbers, v.bytes, sizeof(std::int64_t) * static_cast<std::size_t>(v.shape.rank + 1));
  std::string out = fmt::format("{}", count_text(numbers[0]));
  for (int d = 0; d < v.shape.rank; ++d) {
    const std::string axis = v.shape.rank == 1   ? "lane"
                             : v.shape.rank == 2 ? (d == 0 ? "row" : "column")
                                                 : fmt::format("axis {}", d);
    if (numbers[d + 1] != 0 && v.shape[d] > 1) out += fmt::format(" + {} x {}", count_text(numbers[d + 1]), axis);
  }
  return out;
}

float draw_value(Sheet& sheet, const DrawnValue& drawn, float x, float y, float width, ValueMarks& marks) {
  const RecordedValue& v = *drawn.value;
  const Extents size = extents_of(v);
  const auto fit = std::max<std::int64_t>(4, static_cast<std::int64_t>((width - 24) / cell_width));
  if (size.columns <= fit && size.rows <= 8) return draw_numbers(sheet, drawn, x, y, size.rows, size.columns, marks);
  if (v.shape.rank <= 1) {
    // A vector: its first and last lanes in numbers; beneath, all of them, unless a formula says them.
    if (!is_mask(v)) y = draw_numbers(sheet, drawn, x, y, 1, std::min<std::int64_t>(fit - 1, 17), marks);
    float right = 0;
    if (formula_text(v).empty()) y = draw_picture(sheet, drawn, x, y, width, 16, marks, right) + 2;
    return y;
  }
  // A matrix: the picture, and beside it the numbers of its corners.
  float right = x;
  const bool has_numbers = !is_mask(v);
  const float bottom = draw_picture(sheet, drawn, x, y, has_numbers ? std::min(270.f, width) : std::min(width, 330.f),
                                    190, marks, right);
  const auto columns = static_cast<std::int64_t>((x + width - right - 30 - rows_room(v) - 18) / cell_width) + 1;
  if (!has_numbers || columns < 4) return bottom;
  return std::max(bottom,
                  draw_numbers(sheet, drawn, right + 30, y, 7, std::min<std::int64_t>(columns, 10), marks, "corner"));
}

}  // namespace tl::viz
