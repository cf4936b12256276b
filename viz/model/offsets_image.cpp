// Offsets of two axes: the tensor as a plane, the programs' tiles on it, and the lanes of this program's block, each
// with its element; what the mask leaves out is hatched, also where it would lie beyond the image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/offsets_layout.h"
#include "viz/model/product.h"

namespace tl::viz {

namespace {

constexpr Colour before{Role::category, 0, 0, 0.35f};

struct OffsetsImage {
  Scene& scene;
  const AccessStep& here;
  debug::Session& session = scene.session;
  const trace::RecordedAccess& access = *here.access;
  const std::pair<Operand, Tile> placed = operand_of(access, *here.tensor, false);
  const Operand& image = placed.first;
  const Tile& tile = placed.second;
  const Tile active = without_padding(access, tile);
  Sheet sheet;
  float scale = 1, left = 0, top = 0;  // of the image

  OffsetsImage(Scene& s, const AccessStep& h, const Canvas& canvas)
      : scene(s),
        here(h),
        sheet("offsets",
              fmt::format("Line {} {} {}: {}", here.line, verb(access.kind), here.tensor->name,
                          active.rows == 0
                              ? "no lane is on"
                              : fmt::format("rows {} to {}, columns {} to {}", active.row, active.row + active.rows - 1,
                                            active.column, active.column + active.columns - 1)),
              fmt::format("On the left {} of {} x {}, a program a tile. On the right the lanes of {}, each with its "
                          "element: {} a row, {} a column.",
                          here.tensor->name, image.rows, image.columns,
                          program_text(session.launch(), session.trace().programs[here.program].id), image.row_stride,
                          image.column_stride),
              canvas) {
    left = sheet.left() + 40;
    top = sheet.y + 14;
    const std::int64_t rows = std::max(image.rows, tile.row + tile.rows),
                       columns = std::max(image.columns, tile.column + tile.columns);
    scale = std::min((0.48f * sheet.inner() - 40) / length(columns), (sheet.room() - 30) / length(rows));
  }

  // A plane, not its values, which say nothing of offsets; a cell that is pointed at elsewhere is lit in it.
  void draw_tensor() {
    Field f;
    f.rows = image.rows;
    f.columns = image.columns;
    f.states.push_back({{Role::surface}, "an element"});
    f.name = here.tensor->name;
    f.about.launch = session.program().launch;
    f.about.tensor = access.tensor;
    f.base = image.origin;
    f.row_stride = image.row_stride;
    f.column_stride = image.column_stride;
    f.x = left;
    f.y = top;
    f.width = scale * length(image.columns) + 0.01f;
    f.height = scale * length(image.rows) + 0.01f;
    f.largest_cell = scale;
    f.least_side = 0;
    f.most_shapes = 0;
    FieldPainter(f).draw(sheet, "image");
    Shape& frame = sheet.rect(left, top, scale * length(image.columns), scale * length(image.rows), {}, "frame");
    frame.stroke = {Role::ink}, frame.stroke_width = 1.5f;
    const std::string last = fmt::format("{}", image.columns - 1);
    sheet.note(left, top - 4, "0", 11);
    if (scale * length(image.columns) > text_width("0  " + last, 11))
      sheet.note(left + scale * length(image.columns), top - 4, last, 11, Align::right);
    sheet.note(left - 5, top + 10, "0", least_text, Align::right);
    sheet.note(left - 5, top + scale * length(image.rows), fmt::format("{}", image.rows - 1), least_text, Align::right);
  }

  // The same access of the other programs, and this one's.
  void draw_tiles() {
    const auto& programs = session.trace().programs;
    for (std::size_t p = 0; p < std::min<std::size_t>(programs.size(), 1024); ++p) {
      if (programs[p].launch != session.program().launch || p == here.program) continue;
      Tile t;
      const auto same = same_access(session.trace(), here, p);
      if (!same || !place_tile(*same->access, image, t)) continue;
      draw_tile(t, *same, p < here.program ? before : Colour{Role::surface}, {Role::soft}, 1);
    }
    draw_tile(tile, here, category(0), {Role::accent}, 3);
  }

  void draw_tile(const Tile& t, const AccessStep& step, Colour fill, Colour stroke, float width) {
    const trace::RecordedProgram& p = session.trace().programs[step.program];
    Shape& s = sheet.rect(left + scale * length(t.column), top + scale * length(t.row), scale * length(t.columns),
                          scale * length(t.rows), fill, fmt::format("tile/{}", linear_id(session.launch(), p.id)));
    s.stroke = stroke;
    s.stroke_width = width;
    if (width > 1) s.layer = Layer::marks;
    s.about = about_of(session, step);
    s.tooltip = fmt::format("{}: rows {}.., columns {}.., {} of {} lanes on", program_text(session.launch(), p.id),
                            t.row, t.column, count_text(step.access->active), count_text(step.access->lanes()));
  }

  // The block's own lanes: with numbers while they can be read.
  float draw_lanes() {
    const std::int64_t rows = access.shape[0], columns = access.shape[1];
    const float x = sheet.left() + 0.54f * sheet.inner() + 34,
                cell = std::min({(sheet.right() - x) / length(columns), (sheet.room() - 30) / length(rows), 44.f});
    const bool has_cells = rows * columns <= 4096 && cell >= 3;
    const auto place = [&](std::int64_t r, std::int64_t c) {
      return Point{x + cell * length(c), top + cell * length(r)};
    };
    if (!has_cells) {
      Shape& s = sheet.rect(x, top, cell * length(columns), cell * length(rows), category(0), "lanes");
      s.tooltip = fmt::format("{} lanes, too many to draw each", count_text(rows * columns));
    }
    for (std::int64_t lane = 0; has_cells && lane < rows * columns; ++lane) {
      const Point at = place(lane / columns, lane % columns);
      const bool is_on = access.is_active(lane);
      Shape& s = sheet.rect(at.x, at.y, cell - (cell > 6 ? 1.f : 0.f), cell - (cell > 6 ? 1.f : 0.f),
                            is_on ? category(0) : Colour{Role::surface}, fmt::format("lane/{}", lane));
      if (!is_on) s.hatch = Hatch::single;
      s.about = about_lane(session, here, lane);
      const std::string element = fmt::format("{}", access.offset(lane));
      s.size = 11;
      if (is_on && text_width(element, 11) < cell - 3) s.text = element;
      s.tooltip = is_on ? fmt::format("lane ({}, {}): element {}, row {}, column {}", lane / columns, lane % columns,
                                      element, tile.row + lane / columns, tile.column + lane % columns)
                        : fmt::format("lane ({}, {}): masked off, touches nothing", lane / columns, lane % columns);
    }
    const std::int64_t every = tick_every(cell, 30);
    const std::string widest = fmt::format("{}", tile.column + columns);
    for (std::int64_t c = 0; c < columns; c += tick_every(cell, std::max(30.f, text_width(widest, 13) + 6)))
      sheet.note(x + cell * (length(c) + 0.5f), top - 4, fmt::format("{}", tile.column + c), least_text, Align::centre);
    for (std::int64_t r = 0; r < rows; r += every)
      sheet.note(x - 5, top + cell * (length(r) + 0.5f) + 4, fmt::format("{}", tile.row + r), least_text, Align::right);
    return top + cell * length(rows);
  }

  Drawing draw() {
    draw_tensor();
    draw_tiles();
    const float under_lanes = draw_lanes();
    sheet.y = std::max(under_lanes, top + scale * length(std::max(image.rows, tile.row + tile.rows))) + 10;
    const std::int64_t off = access.lanes() - access.active;
    sheet.fact(fmt::format("a row of offsets {} apart and a column {} apart, added: a matrix of {} x {} offsets",
                           image.column_stride, image.row_stride, tile.rows, tile.columns));
    if (off > 0)
      sheet.fact(
          fmt::format("{} lanes touch an element; {} are padding, masked off: without the mask a row's end would "
                      "{} the next row",
                      count_text(access.active), count_text(off), access.writes() ? "overwrite" : "read"));
    sheet.legend({"this program", category(0), Hatch::none, Kind::rect, {Role::accent}});
    sheet.legend({"programs before", before, Hatch::none, Kind::rect, {Role::soft}});
    sheet.legend({"programs to come", {Role::surface}, Hatch::none, Kind::rect, {Role::soft}});
    sheet.legend({"a lane with its element", category(0)});
    if (off > 0) sheet.legend({"masked off", {Role::surface}, Hatch::single});
    Table table{fmt::format("the tiles of line {}", here.line), {"axis", "first", "last", "of", "stride"}, {}};
    table.rows.push_back({"rows", fmt::format("{}", active.row), fmt::format("{}", active.row + active.rows - 1),
                          fmt::format("{}", image.rows), fmt::format("{}", image.row_stride)});
    table.rows.push_back({"columns", fmt::format("{}", active.column),
                          fmt::format("{}", active.column + active.columns - 1), fmt::format("{}", image.columns),
                          fmt::format("{}", image.column_stride)});
    sheet.table(std::move(table));
    return sheet.finish();
  }
};

}  // namespace

bool goes_over_image(const AccessStep& here) {
  const trace::RecordedAccess& a = *here.access;
  if (a.shape.rank != 2 || a.shape[0] < 2 || a.shape[1] < 2 || !here.tensor) return false;
  const auto [image, tile] = operand_of(a, *here.tensor, false);
  Tile again;
  if (image.rows <= 1 || image.columns <= 1 || image.row_stride <= 0 || image.column_stride <= 0 ||
      !place_tile(a, image, again))
    return false;
  const Tile active = without_padding(a, tile);  // pixels in a line, as a convolution has them, go over no image
  return active.row + active.rows <= image.rows && active.column + active.columns <= image.columns;
}

Drawing draw_offsets_over_image(Scene& scene, const AccessStep& here, const Canvas& canvas) {
  return OffsetsImage(scene, here, canvas).draw();
}

}  // namespace tl::viz
