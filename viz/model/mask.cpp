// A matrix of offsets over an image: the column of rows on the left and the row of columns above broadcast into it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

// The access to draw: a 2-D tile, here or the first one of the program.
std::optional<AccessStep> matrix_access(debug::Session& session) {
  std::optional<AccessStep> found;
  for (const AccessStep& a : accesses_of(session.trace(), session.now().program)) {
    if (a.access->shape.rank != 2 || a.access->lanes() < 2) continue;
    if (found && a.step >= session.now().step) break;
    found = a;
  }
  return found;
}

std::int64_t row_stride_of(const trace::RecordedAccess& a) { return a.offset(a.shape[1]) - a.offset(0); }

// All of the image, small, with its values as far as they are known; returns whether any is.
bool draw_map(Sheet& sheet, debug::Session& session, int tensor, std::int64_t base, std::int64_t rows,
              std::int64_t columns, float x, float y, float scale, bool output) {
  constexpr int levels = 32;
  trace::Memory& memory = session.memory();
  if (rows * columns > 262'144 || !memory.is_known(tensor)) return false;
  std::vector<double> values(static_cast<std::size_t>(rows * columns), NAN);
  double low = INFINITY, high = -INFINITY;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    if (output && !memory.is_written(tensor, base + i)) continue;
    const double v = values[static_cast<std::size_t>(i)] = memory.element(tensor, base + i);
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  }
  if (low > high) return false;
  Field f;
  f.rows = rows, f.columns = columns, f.row_stride = columns, f.base = base;
  f.name = session.launch().tensors[static_cast<std::size_t>(tensor)].name;
  f.about.tensor = tensor;
  f.states.push_back({{Role::unwritten}, "never written"});
  for (int l = 0; l < levels; ++l)
    f.states.push_back({magnitude(l / (levels - 1.0)),
                        fmt::format("about {}", short_number(low + (high - low) * l / (levels - 1), false))});
  f.x = x, f.y = y, f.width = static_cast<float>(columns) * scale, f.height = static_cast<float>(rows) * scale;
  f.least_side = 0;
  f.most_shapes = 0;
  FieldPainter painter(f);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    if (const double v = values[static_cast<std::size_t>(i)]; std::isfinite(v))
      painter.set_cell(
          i, 1,
          static_cast<unsigned char>(
              1 + (high > low ? static_cast<int>((v - low) / (high - low) * (levels - 1) + 0.5) : levels / 2)));
  painter.draw(sheet, "map/image");
  sheet.legend({fmt::format("{} in the image", short_number(low, false)), magnitude(0)});
  sheet.legend({short_number(high, false), magnitude(1)});
  return true;
}

}  // namespace

std::string missing_mask(Scene& scene) {
  return matrix_access(scene.session) ? "" : "no load or store here has a block of two axes";
}

Drawing draw_mask(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const AccessStep here = *matrix_access(session);
  const trace::RecordedAccess& a = *here.access;
  const trace::RecordedTensor& tensor = *here.tensor;
  const std::int64_t rows = a.shape[0], columns = a.shape[1];
  const std::int64_t row_stride = rows > 1 ? row_stride_of(a) : 0,
                     column_stride = columns > 1 ? a.offset(1) - a.offset(0) : 1;
  const int rank = static_cast<int>(tensor.shape.size());
  // The image: the last two axes of the tensor; a plane of it where there are three. A flat tensor has rows as long as
  // the stride.
  const std::int64_t width = rank >= 2 ? tensor.shape[static_cast<std::size_t>(rank - 1)]
                                       : std::max<std::int64_t>(1, std::max(row_stride, column_stride));
  const std::int64_t plane =
      rank >= 2 ? tensor.shape[static_cast<std::size_t>(rank - 2)] * width : tensor.storage_elems;
  const std::int64_t height = std::max<std::int64_t>(1, plane / width),
                     base = a.first <= a.last ? a.first / std::max<std::int64_t>(1, plane) * plane : 0;

  const std::string name = program_text(session.launch(), session.program().id);
  Sheet sheet("mask",
              fmt::format("Line {} of {}: a {} x {} block over {}", here.line, name, rows, columns, tensor.name),
              fmt::format("The column's offsets (left) and the row's (above) make a matrix: offset = {} x row + {} x "
                          "column, in elements. The image is {} row{} x {} column{}.",
                          row_stride, column_stride, height, height == 1 ? "" : "s", width, width == 1 ? "" : "s"),
              canvas);
  const std::int64_t origin = a.offset(0) - base;
  const std::int64_t row0 = row_stride == 0 ? 0 : origin / width, column0 = origin - row0 * width;
  // The field to show: the image and the block; of a large image the block's surroundings, and a map beside them.
  const std::int64_t all_rows = std::max(height, row0 + rows), all_columns = std::max(width, column0 + columns);
  const bool has_map = all_rows > 2 * rows + 8 || all_columns > 2 * columns + 8;
  const std::int64_t view_row = has_map ? std::max<std::int64_t>(0, row0 - rows / 4 - 1) : 0,
                     view_column = has_map ? std::max<std::int64_t>(0, column0 - columns / 4 - 1) : 0;
  const std::int64_t end_row = has_map ? std::min(all_rows, row0 + rows + rows / 4 + 1) : all_rows,
                     end_column = has_map ? std::min(all_columns, column0 + columns + columns / 4 + 1) : all_columns;
  const float label = 64, map_width = has_map ? std::clamp(sheet.inner() * 0.32f, 150.f, 300.f) : 0.f;
  const float cell = std::min({38.f, (sheet.inner() - label - map_width) / static_cast<float>(end_column - view_column),
                               (sheet.room() - 50) / static_cast<float>(end_row - view_row)});
  const float x0 = sheet.left() + label, y0 = sheet.y + 40;
  const auto x_of = [&](std::int64_t c) { return x0 + static_cast<float>(c - view_column) * cell; };
  const auto y_of = [&](std::int64_t r) { return y0 + static_cast<float>(r - view_row) * cell; };
  const std::int64_t image_right = std::min(width, end_column), image_bottom = std::min(height, end_row);
  if (has_map) {
    const float scale = std::min((map_width - 40) / static_cast<float>(all_columns),
                                 (map_width - 40) / static_cast<float>(all_rows)),
                mx = sheet.right() - map_width + 40, my = y0;
    const bool has_image = draw_map(sheet, session, a.tensor, base, height, width, mx, my, scale,
                                    scene.found().of_tensor(session.program().launch, a.tensor).is_output);
    sheet.text(mx, my - 8, fmt::format("all of {}", tensor.name), 11, Align::left, {Role::soft});
    Shape& whole = sheet.rect(mx, my, static_cast<float>(width) * scale, static_cast<float>(height) * scale,
                              has_image ? Colour{} : Colour{Role::surface}, "map");
    whole.stroke = {Role::ink};
    Shape& spot = sheet.rect(mx + static_cast<float>(column0) * scale, my + static_cast<float>(row0) * scale,
                             std::max(4.f, static_cast<float>(columns) * scale),
                             std::max(4.f, static_cast<float>(rows) * scale), category(0), "map/block");
    spot.fill.alpha = 0.6f;
    spot.stroke = {Role::accent};
    spot.stroke_width = 2;
    spot.layer = Layer::marks;
    spot.tooltip = fmt::format("the block begins at row {}, column {}", row0, column0);
  }
  Shape& image = sheet.rect(x0, y0, static_cast<float>(image_right - view_column) * cell,
                            static_cast<float>(image_bottom - view_row) * cell, {Role::surface}, "image");
  image.stroke = {Role::ink};
  image.stroke_width = 1.5f;
  image.layer = Layer::ground;
  image.about.tensor = a.tensor;
  if (cell >= 8 && end_row - view_row + end_column - view_column <= 400) {
    for (std::int64_t r = view_row + 1; r < image_bottom; ++r)
      sheet.line(x0, y_of(r), x_of(image_right), y_of(r), {Role::faint}, 0.5f).layer = Layer::ground;
    for (std::int64_t c = view_column + 1; c < image_right; ++c)
      sheet.line(x_of(c), y0, x_of(c), y_of(image_bottom), {Role::faint}, 0.5f).layer = Layer::ground;
  }
  const bool reads_numbers = cell >= 26;
  // Cells of the block, merged to at most 64 x 64.
  const std::int64_t down = (rows + 63) / 64, across = (columns + 63) / 64;
  std::vector<std::int64_t> row_active(static_cast<std::size_t>(rows)),
      column_active(static_cast<std::size_t>(columns));
  trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t, std::int64_t) {
    ++row_active[static_cast<std::size_t>(lane / columns)], ++column_active[static_cast<std::size_t>(lane % columns)];
  });
  for (std::int64_t r = 0; r < rows; r += down)
    for (std::int64_t c = 0; c < columns; c += across) {
      const std::int64_t lane = r * columns + c, element = a.offset(lane);
      const bool active = a.is_active(lane);
      Shape& s = sheet.rect(x_of(column0 + c), y_of(row0 + r), cell * static_cast<float>(std::min(across, columns - c)),
                            cell * static_cast<float>(std::min(down, rows - r)),
                            active ? category(0) : Colour{Role::surface}, fmt::format("lane/{}", lane));
      if (cell >= 20) s.stroke = {Role::ink, 0, 0, 0.5f};
      else if (active && cell >= 5) s.stroke = {Role::paper, 0, 0, 0.35f};
      s.about = about_lane(session, here, lane);
      if (!active) s.hatch = Hatch::single;
      s.text = reads_numbers ? fmt::format("{}", element) : "";
      s.size = text_width(s.text, 11) < cell - 2 ? 11 : 8;
      if (text_width(s.text, s.size) > cell - 1) s.text.clear();
      s.tooltip = fmt::format("row {}, column {} of the block: element {} of {}{}", r, c, element, tensor.name,
                              active ? ""
                              : element >= tensor.storage_elems || column0 + c >= width || row0 + r >= height
                                  ? ", outside the image: masked off"
                                  : ", masked off");
    }
  // The edges: which row and which column, and whether its own mask lets it through.
  const float edge = std::max(cell, 12.f);
  const std::int64_t edge_down = std::max<std::int64_t>(1, static_cast<std::int64_t>(13 / cell + 0.99f)),
                     edge_across = std::max<std::int64_t>(1, static_cast<std::int64_t>(24 / cell + 0.99f));
  for (std::int64_t r = 0; r < rows; r += down) {
    Shape& s = sheet.rect(x0 - edge - 10, y_of(row0 + r), edge, cell * static_cast<float>(std::min(down, rows - r)),
                          row_active[static_cast<std::size_t>(r)] ? category(1) : Colour{Role::surface},
                          fmt::format("row/{}", r));
    if (cell >= 5) s.stroke = {cell >= 20 ? Role::ink : Role::paper, 0, 0, cell >= 20 ? 0.5f : 0.35f};
    if (!row_active[static_cast<std::size_t>(r)]) s.hatch = Hatch::single;
    s.tooltip = fmt::format("row {} of the block is row {} of the image{}", r, row0 + r,
                            row_active[static_cast<std::size_t>(r)] ? "" : ": masked off");
    if (r % edge_down == 0)
      sheet.text(x0 - edge - 14, y_of(row0 + r) + std::max(cell / 2, 5.f) + 4, fmt::format("{}", row0 + r), 10,
                 Align::right, {Role::soft});
  }
  for (std::int64_t c = 0; c < columns; c += across) {
    Shape& s = sheet.rect(x_of(column0 + c), y0 - 10 - std::min(edge, 20.f),
                          cell * static_cast<float>(std::min(across, columns - c)), std::min(edge, 20.f),
                          column_active[static_cast<std::size_t>(c)] ? category(2) : Colour{Role::surface},
                          fmt::format("column/{}", c));
    if (cell >= 5) s.stroke = {cell >= 20 ? Role::ink : Role::paper, 0, 0, cell >= 20 ? 0.5f : 0.35f};
    if (!column_active[static_cast<std::size_t>(c)]) s.hatch = Hatch::single;
    s.tooltip = fmt::format("column {} of the block is column {} of the image{}", c, column0 + c,
                            column_active[static_cast<std::size_t>(c)] ? "" : ": masked off");
    if (c % edge_across == 0)
      sheet.text(x_of(column0 + c) + cell / 2, y0 - 14 - std::min(edge, 20.f), fmt::format("{}", column0 + c), 10,
                 Align::centre, {Role::soft});
  }
  sheet.y = y_of(end_row) + 6;
  sheet.drawing.facts.push_back(
      fmt::format("{} of {} lanes are active; {} are masked off", a.active, a.lanes(), a.lanes() - a.active));
  if (a.lanes() > a.active)
    sheet.drawing.facts.push_back("the mask is the row's mask and the column's mask: a lane is active where both are");
  sheet.legend({"active lane", category(0)});
  sheet.legend({"the image", {Role::surface}, Hatch::none, Kind::rect, {Role::ink}});
  if (a.active < a.lanes()) sheet.legend({"masked off, touches nothing", {Role::surface}, Hatch::single});
  sheet.legend({"rows: a column of offsets", category(1)});
  sheet.legend({"columns: a row of offsets", category(2)});
  Table table{"rows of the block", {"block row", "image row", "first element", "active lanes"}, {}};
  for (std::int64_t r = 0; r < std::min<std::int64_t>(rows, 64); ++r)
    table.rows.push_back({fmt::format("{}", r), fmt::format("{}", row0 + r), fmt::format("{}", a.offset(r * columns)),
                          fmt::format("{} of {}", row_active[static_cast<std::size_t>(r)], columns)});
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
