// A matrix of offsets over an image: the column of rows on the left and the row of columns above broadcast into it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"
#include "viz/model/product.h"

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

// The image under a block: the last two axes of the tensor, of a plane where there are more. A flat tensor has rows as
// long as the stride.
struct ImageUnderBlock {
  std::int64_t width = 1, height = 1, base = 0;
  bool is_block = false;  // the block's axes are not those of a plane: it stands alone
};

ImageUnderBlock image_of(const AccessStep& here, std::int64_t row_stride, std::int64_t column_stride) {
  const std::vector<std::int64_t>& shape = here.tensor->shape;
  const std::size_t rank = shape.size();
  ImageUnderBlock image;
  image.width = rank >= 2 ? shape[rank - 1] : std::max<std::int64_t>({1, row_stride, column_stride});
  const std::int64_t plane = rank >= 2 ? shape[rank - 2] * image.width : here.tensor->storage_elems,
                     first = here.access->first;
  image.height = std::max<std::int64_t>(1, plane / image.width);
  if (first <= here.access->last) image.base = first / std::max<std::int64_t>(1, plane) * plane;
  const std::int64_t rows = here.access->shape[0], columns = here.access->shape[1];
  const Tile active = without_padding(*here.access, {});
  const auto lies_along = [&](std::int64_t stride) { return stride < image.width || stride % image.width == 0; };
  if (!lies_along(row_stride) || !lies_along(column_stride) || (row_stride == 1 && active.rows > image.width) ||
      (column_stride == 1 && active.columns > image.width))
    return {columns, rows, here.access->offset(0), true};
  return image;
}

struct MaskPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const AccessStep here = *matrix_access(session);
  const trace::RecordedAccess& a = *here.access;
  const trace::RecordedTensor& tensor = *here.tensor;
  const std::int64_t rows = a.shape[0], columns = a.shape[1];
  const std::int64_t row_stride = rows > 1 ? row_stride_of(a) : 0, column_stride = columns > 1
                                                                                       ? a.offset(1) - a.offset(0)
                                                                                       : 1;
  const ImageUnderBlock image = image_of(here, row_stride, column_stride);
  // The block's first lane in the image.
  const std::int64_t origin = a.offset(0) - image.base, row0 = row_stride == 0 ? 0 : origin / image.width,
                     column0 = origin - row0 * image.width;
  std::vector<std::int64_t> row_active = std::vector<std::int64_t>(static_cast<std::size_t>(rows)),
                            column_active = std::vector<std::int64_t>(static_cast<std::size_t>(columns));
  Sheet sheet;
  // Layout: the image and the block; of a large image the block's surroundings, and a map of all of it beside them.
  const std::int64_t all_rows = std::max(image.height, row0 + rows),
                     all_columns = std::max(image.width, column0 + columns);
  const bool has_map = all_rows > 2 * rows + 8 || all_columns > 2 * columns + 8;
  const std::int64_t view_row = has_map ? std::max<std::int64_t>(0, row0 - rows / 4 - 1) : 0,
                     view_column = has_map ? std::max<std::int64_t>(0, column0 - columns / 4 - 1) : 0,
                     end_row = has_map ? std::min(all_rows, row0 + rows + rows / 4 + 1) : all_rows,
                     end_column = has_map ? std::min(all_columns, column0 + columns + columns / 4 + 1) : all_columns;
  const float label = 64, map_width = has_map ? std::clamp(sheet.inner() * 0.32f, 150.f, 300.f) : 0.f;
  const float cell = std::min({38.f, (sheet.inner() - label - map_width) / length(end_column - view_column),
                               (sheet.room() - 50) / length(end_row - view_row)});
  const float x0 = sheet.left() + label, y0 = sheet.y + 40;
  // Cells of the block are merged to at most 64 x 64.
  const std::int64_t down = (rows + 63) / 64, across = (columns + 63) / 64;

  MaskPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("mask",
              fmt::format("Line {} of {}: a {} x {} block over {}", here.line,
                          program_text(session.launch(), session.program().id), rows, columns, tensor.name),
              fmt::format("The column's offsets (left) and the row's (above) make a matrix: offset = {} x row + {} x "
                          "column, in elements. {}",
                          row_stride, column_stride,
                          image.is_block
                              ? tensor.name + " has no plane of such rows and columns."
                              : fmt::format("The matrix is {} row{} x {} column{}.", image.height,
                                            image.height == 1 ? "" : "s", image.width, image.width == 1 ? "" : "s")),
              canvas) {
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t) {
      ++row_active[lane / columns];
      ++column_active[lane % columns];
    });
  }

  float x_of(std::int64_t column) const { return x0 + length(column - view_column) * cell; }
  float y_of(std::int64_t row) const { return y0 + length(row - view_row) * cell; }
  float height_at(std::int64_t row) const { return cell * length(std::min(down, rows - row)); }
  float width_at(std::int64_t column) const { return cell * length(std::min(across, columns - column)); }

  // All of the image, small, with its values as far as they are known; returns whether any is.
  bool draw_values(float x, float y, float scale) {
    constexpr int levels = 32;
    trace::Memory& memory = session.memory();
    const std::int64_t cells = image.height * image.width;
    if (cells > 262'144 || !memory.is_known(a.tensor)) return false;
    const bool is_output = scene.found().of_tensor(session.program().launch, a.tensor).is_output;
    std::vector<double> values(static_cast<std::size_t>(cells), NAN);
    double low = INFINITY, high = -INFINITY;
    for (std::int64_t i = 0; i < cells; ++i) {
      if (is_output && !memory.is_written(a.tensor, image.base + i)) continue;
      const double v = values[i] = memory.element(a.tensor, image.base + i);
      if (std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
    }
    if (low > high) return false;
    Field f;
    f.rows = image.height;
    f.columns = image.width;
    f.row_stride = image.width;
    f.base = image.base;
    f.name = tensor.name;
    f.about.tensor = a.tensor;
    f.states.push_back({{Role::unwritten}, "never written"});
    for (int l = 0; l < levels; ++l)
      f.states.push_back({magnitude(l / (levels - 1.0)),
                          fmt::format("about {}", short_number(low + (high - low) * l / (levels - 1), false))});
    f.x = x;
    f.y = y;
    f.width = length(image.width) * scale;
    f.height = length(image.height) * scale;
    f.least_side = 0;
    f.most_shapes = 0;
    FieldPainter painter(f);
    for (std::int64_t i = 0; i < cells; ++i)
      if (const double v = values[i]; std::isfinite(v)) {
        const int level = high > low ? static_cast<int>((v - low) / (high - low) * (levels - 1) + 0.5) : levels / 2;
        painter.set_cell(i, 1, static_cast<unsigned char>(1 + level));
      }
    painter.draw(sheet, "map/image");
    sheet.legend({fmt::format("{} in the matrix", short_number(low, false)), magnitude(0)});
    sheet.legend({short_number(high, false), magnitude(1)});
    return true;
  }

  float map_scale() const {
    return std::min((map_width - 40) / length(all_columns),
                    std::min(map_width - 40, sheet.room() - 50) / length(all_rows));
  }

  void draw_map() {
    if (!has_map) return;
    const float x = std::min(sheet.right() - map_width + 40, x_of(end_column) + 60), y = y0, scale = map_scale();
    const bool has_values = draw_values(x, y, scale);
    sheet.note(x, y - 8, fmt::format("all of {}", tensor.name), 11);
    sheet
        .rect(x, y, length(image.width) * scale, length(image.height) * scale,
              has_values ? Colour{} : Colour{Role::surface}, "map")
        .stroke = {Role::ink};
    Shape& spot =
        sheet.rect(x + length(column0) * scale, y + length(row0) * scale, std::max(4.f, length(columns) * scale),
                   std::max(4.f, length(rows) * scale), category(0), "map/block");
    spot.fill.alpha = 0.6f;
    spot.stroke = {Role::accent};
    spot.stroke_width = 2;
    spot.layer = Layer::marks;
    spot.tooltip = fmt::format("the block begins at row {}, column {}", row0, column0);
  }

  void draw_image() {
    const std::int64_t right = std::min(image.width, end_column), bottom = std::min(image.height, end_row);
    Shape& s = sheet.rect(x0, y0, length(right - view_column) * cell, length(bottom - view_row) * cell, {Role::surface},
                          "image");
    s.layer = Layer::ground;
    s.about.tensor = a.tensor;
    // Its frame; dashed where the image goes on.
    const auto edge = [&](std::int64_t c0, std::int64_t r0, std::int64_t c1, std::int64_t r1, bool is_end) {
      Shape& l = sheet.line(x_of(c0), y_of(r0), x_of(c1), y_of(r1), {is_end ? Role::ink : Role::soft}, 1.5f);
      l.is_dashed = !is_end;
      l.layer = Layer::ground;
    };
    edge(view_column, view_row, right, view_row, view_row == 0);
    edge(view_column, bottom, right, bottom, bottom == image.height);
    edge(view_column, view_row, view_column, bottom, view_column == 0);
    edge(right, view_row, right, bottom, right == image.width);
    if (cell < 8 || end_row - view_row + end_column - view_column > 400) return;
    for (std::int64_t r = view_row + 1; r < bottom; ++r)
      sheet.line(x0, y_of(r), x_of(right), y_of(r), {Role::faint}, 0.5f).layer = Layer::ground;
    for (std::int64_t c = view_column + 1; c < right; ++c)
      sheet.line(x_of(c), y0, x_of(c), y_of(bottom), {Role::faint}, 0.5f).layer = Layer::ground;
  }

  void draw_lane(std::int64_t r, std::int64_t c) {
    const std::int64_t lane = r * columns + c, element = a.offset(lane);
    const bool active = a.is_active(lane);
    Shape& s = sheet.rect(x_of(column0 + c), y_of(row0 + r), width_at(c), height_at(r),
                          active ? category(0) : Colour{Role::surface}, fmt::format("lane/{}", lane));
    if (cell >= 20) s.stroke = {Role::ink, 0, 0, 0.5f};
    else if (active && cell >= 5) s.stroke = {Role::paper, 0, 0, 0.35f};
    s.about = about_lane(session, here, lane);
    if (!active) s.hatch = Hatch::single;
    s.size = least_text;
    if (std::string text = fmt::format("{}", element); text_width(text, s.size) < cell - 2) s.text = std::move(text);
    const bool is_outside = element >= tensor.storage_elems || column0 + c >= image.width || row0 + r >= image.height;
    s.tooltip = fmt::format("row {}, column {} of the block: element {} of {}{}", r, c, element, tensor.name,
                            active       ? ""
                            : is_outside ? ", outside the matrix: masked off"
                                         : ", masked off");
  }

  // A row or column on the block's edge: whether its own mask lets it through.
  void draw_edge_cell(float x, float y, float w, float h, const char* axis, std::int64_t i, std::int64_t in_image,
                      bool is_on, Colour fill) {
    Shape& s = sheet.rect(x, y, w, h, is_on ? fill : Colour{Role::surface}, fmt::format("{}/{}", axis, i));
    if (cell >= 5) s.stroke = {cell >= 20 ? Role::ink : Role::paper, 0, 0, cell >= 20 ? 0.5f : 0.35f};
    if (!is_on) s.hatch = Hatch::single;
    s.tooltip =
        fmt::format("{0} {1} of the block is {0} {2} of the matrix{3}", axis, i, in_image, is_on ? "" : ": masked off");
  }

  void draw_block() {
    for (std::int64_t r = 0; r < rows; r += down)
      for (std::int64_t c = 0; c < columns; c += across) draw_lane(r, c);
    const float wide = std::max(cell, 12.f), high = std::min(wide, 20.f);  // of the edges
    for (std::int64_t r = 0; r < rows; r += down) {
      draw_edge_cell(x0 - wide - 10, y_of(row0 + r), wide, height_at(r), "row", r, row0 + r, row_active[r] > 0,
                     category(1));
      if (r % tick_every(cell, 14) == 0)
        sheet.note(x0 - wide - 14, y_of(row0 + r) + std::max(cell / 2, 5.f) + 4, fmt::format("{}", row0 + r),
                   least_text, Align::right);
    }
    for (std::int64_t c = 0; c < columns; c += across) {
      draw_edge_cell(x_of(column0 + c), y0 - 10 - high, width_at(c), high, "column", c, column0 + c,
                     column_active[c] > 0, category(2));
      if (c % tick_every(cell, text_width(fmt::format("{}", column0 + columns), least_text) + 8) == 0)
        sheet.note(x_of(column0 + c) + cell / 2, y0 - 14 - high, fmt::format("{}", column0 + c), least_text,
                   Align::centre);
    }
    sheet.y = std::max(y_of(end_row), has_map ? y0 + map_scale() * length(all_rows) : 0) + 6;
  }

  void state_facts() {
    const std::int64_t masked = a.lanes() - a.active;
    sheet.fact(fmt::format("{} of {} lanes are active; {} are masked off", a.active, a.lanes(), masked));
    if (masked > 0) sheet.fact("the mask is the row's mask and the column's mask: a lane is active where both are");
    sheet.legend({"active lane", category(0)});
    if (!image.is_block)
      sheet.legend({has_map ? "the matrix; dashed: it goes on" : "the matrix",
                    {Role::surface},
                    Hatch::none,
                    Kind::rect,
                    {Role::ink}});
    if (masked > 0) sheet.legend({"masked off, touches nothing", {Role::surface}, Hatch::single});
    sheet.legend({"rows: a column of offsets", category(1)});
    sheet.legend({"columns: a row of offsets", category(2)});
    Table table{"rows of the block", {"block row", "matrix row", "first element", "active lanes"}, {}};
    for (std::int64_t r = 0; r < std::min<std::int64_t>(rows, 64); ++r)
      table.rows.push_back({fmt::format("{}", r), fmt::format("{}", row0 + r), fmt::format("{}", a.offset(r * columns)),
                            fmt::format("{} of {}", row_active[r], columns)});
    sheet.table(std::move(table));
  }
};

}  // namespace

std::string missing_mask(Scene& scene) {
  return matrix_access(scene.session) ? "" : "no load or store here has a block of two axes";
}

Drawing draw_mask(Scene& scene, const Canvas& canvas) {
  MaskPicture picture(scene, canvas);
  picture.draw_map();
  picture.draw_image();
  picture.draw_block();
  picture.state_facts();
  return picture.sheet.finish();
}

}  // namespace tl::viz
