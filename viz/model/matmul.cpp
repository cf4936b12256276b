// C = A B by tiles: A on the left, B above, C in the corner, at this step's k.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/panel.h"
#include "viz/model/product.h"
#include "viz/model/sheet.h"

namespace tl::viz {

std::string missing_matmul(Scene& scene) {
  return product_of(scene.session, scene.session.now().program)
             ? ""
             : "this program does not multiply two matrices into a third, tile by tile";
}

Drawing draw_matmul(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const Product product = *product_of(session, session.now().program);
  const auto& tensors = session.launch().tensors;
  const auto name = [&](const Operand& o) { return tensors[static_cast<std::size_t>(o.tensor)].name; };
  const std::int64_t steps = static_cast<std::int64_t>(std::min(product.a.tiles.size(), product.b.tiles.size()));
  std::int64_t done = 0;
  while (done < steps && product.b.tiles[static_cast<std::size_t>(done)].step < session.now().step) ++done;
  done = std::clamp<std::int64_t>(scene.setting("k", done), 0, steps);
  const Tile& c = product.c.tiles.back();
  const bool is_stored = product.c.tiles.back().step < session.now().step && done == steps;

  Sheet sheet(
      "matmul",
      fmt::format("{}: block of {} at rows {}.., columns {}.., k step {} of {}",
                  program_text(session.launch(), session.program().id), name(product.c), c.row, c.column, done, steps),
      fmt::format("{} ({} x {}) on the left, {} ({} x {}) above, {} ({} x {}) in the corner. Sizes in elements; one "
                  "tile of {} times one tile of {} adds to the block of {}.",
                  name(product.a), product.a.rows, product.a.columns, name(product.b), product.b.rows,
                  product.b.columns, name(product.c), product.c.rows, product.c.columns, name(product.a),
                  name(product.b), name(product.c)),
      canvas);
  const float gap = 26;
  const float room = std::max(260.f, sheet.room());  // less would be read with a lens
  const float scale = std::min((sheet.inner() - gap - 40) / static_cast<float>(product.a.columns + product.c.columns),
                               (room - gap - 30) / static_cast<float>(product.b.rows + product.c.rows));
  const auto units = [&](std::int64_t n) { return static_cast<float>(n) * scale; };
  const float ax = sheet.left() + 20, cx = ax + units(product.a.columns) + gap, by = sheet.y + 18,
              cy = by + units(product.b.rows) + gap;
  const auto matrix = [&](const Operand& o, float x, float y) {
    Shape& s = sheet.rect(x, y, units(o.columns), units(o.rows), {Role::surface}, "matrix/" + name(o));
    s.stroke = {Role::ink};
    s.stroke_width = 1.5f;
    s.layer = Layer::ground;
    s.about.tensor = o.tensor;
    Shape& label = sheet.text(x + units(o.columns) / 2, y - 6, fmt::format("{}  {} x {}", name(o), o.rows, o.columns),
                              12, Align::centre);
    label.is_bold = true;
  };
  matrix(product.a, ax, cy);
  matrix(product.b, cx, by);
  matrix(product.c, cx, cy);
  const auto tile = [&](const Operand& o, const Tile& t, float x, float y, const Colour& fill,
                        const std::string& id) -> Shape& {
    const std::int64_t rows = std::min(t.rows, o.rows - t.row), columns = std::min(t.columns, o.columns - t.column);
    Shape& s = sheet.rect(x + units(t.column), y + units(t.row), std::max(2.f, units(columns)),
                          std::max(2.f, units(rows)), fill, id);
    s.stroke = {Role::ink, 0, 0, 0.7f};
    s.about.launch = session.program().launch;
    s.about.tensor = o.tensor;
    s.about.program = linear_id(session.launch(), session.program().id);
    s.tooltip = fmt::format("{}[{}..{}, {}..{}]", name(o), t.row, t.row + rows - 1, t.column, t.column + columns - 1);
    return s;
  };
  // Blocks of C that programs have stored; each lights its row of A and its column of B.
  std::int64_t filled = 0;
  const trace::RecordedTrace& trace = session.trace();
  for (std::size_t p = 0; p < trace.programs.size() && p < 4096; ++p) {
    const trace::RecordedProgram& program = trace.programs[p];
    if (program.launch != session.program().launch) continue;
    for (const trace::RecordedAccess& access : program.accesses) {
      if (access.tensor != product.c.tensor || !access.writes() || access.shape.rank != 2 || p == session.now().program)
        continue;
      std::int64_t rows = 0, columns = 0;
      const Tile t = tile_of(access, tensors[static_cast<std::size_t>(product.c.tensor)].storage_elems, rows, columns);
      const bool before = p < session.now().program;
      filled += before;
      const std::int64_t id = linear_id(session.launch(), program.id);
      Shape& s = tile(product.c, t, cx, cy, before ? Colour{Role::good, 0, 0, 0.45f} : Colour{Role::surface},
                      fmt::format("block/{}", id));
      s.about.program = id;
      s.stroke = {Role::faint};
      s.tooltip += fmt::format(": {}, {}", program_text(session.launch(), program.id), before ? "stored" : "to come");
    }
  }
  if (trace.programs.size() <= 400) {
    std::map<std::int64_t, About> strips_a, strips_b;
    const auto strip = [&](std::map<std::int64_t, About>& strips, std::int64_t at, bool is_a) -> const About& {
      About& about = strips[at];
      if (about.tensor >= 0) return about;
      about.tensor = is_a ? product.a.tensor : product.b.tensor;
      about.first = at * (is_a ? product.a.columns : 1),
      about.last = about.first;  // the strip's first element names it
      Shape& s = is_a ? sheet.rect(ax, cy + units(at), units(product.a.columns),
                                   units(std::min(c.rows, product.a.rows - at)), {}, fmt::format("row/{}", at))
                      : sheet.rect(cx + units(at), by, units(std::min(c.columns, product.b.columns - at)),
                                   units(product.b.rows), {}, fmt::format("column/{}", at));
      s.stroke = {Role::faint, 0, 0, 0.8f};
      s.about = about;
      return about;
    };
    for (const trace::RecordedProgram& program : trace.programs) {
      if (program.launch != session.program().launch) continue;
      for (const trace::RecordedAccess& access : program.accesses) {
        if (access.tensor != product.c.tensor || !access.writes() || access.shape.rank != 2) continue;
        std::int64_t rows = 0, columns = 0;
        const Tile t =
            tile_of(access, tensors[static_cast<std::size_t>(product.c.tensor)].storage_elems, rows, columns);
        About from;
        from.launch = program.launch, from.program = linear_id(session.launch(), program.id);
        const About row = strip(strips_a, t.row, true), column = strip(strips_b, t.column, false);
        sheet.drawing.links.push_back({from, row});
        sheet.drawing.links.push_back({from, column});
      }
    }
  }
  // This program's tiles: those done pale, the last ones strong.
  for (std::int64_t i = 0; i < done; ++i) {
    const bool is_last = i + 1 == done;
    const Tile &ta = product.a.tiles[static_cast<std::size_t>(i)], &tb = product.b.tiles[static_cast<std::size_t>(i)];
    Colour fa = category(0), fb = category(1);
    if (!is_last) fa.alpha = fb.alpha = 0.35f;
    if (is_last || units(ta.columns) >= 2) {
      Shape& s = tile(product.a, ta, ax, cy, fa, fmt::format("a/{}", i));
      s.about.step = ta.step;
      if (is_last) s.stroke_width = 2;
    }
    if (is_last || units(tb.rows) >= 2) {
      Shape& s = tile(product.b, tb, cx, by, fb, fmt::format("b/{}", i));
      s.about.step = tb.step;
      if (is_last) s.stroke_width = 2;
    }
  }
  Shape& block = tile(product.c, c, cx, cy, is_stored ? Colour{Role::good} : Colour{Role::current}, "c");
  block.stroke_width = 2.5f;
  block.stroke = {Role::accent};
  block.tooltip += is_stored ? ": stored" : fmt::format(": {} of {} products added", done, steps);
  sheet.y = cy + units(product.c.rows) + 6;
  const std::int64_t step_bytes = (product.a.tiles[0].rows * product.a.tiles[0].columns *
                                   size_in_bytes(tensors[static_cast<std::size_t>(product.a.tensor)].dtype)) +
                                  (product.b.tiles[0].rows * product.b.tiles[0].columns *
                                   size_in_bytes(tensors[static_cast<std::size_t>(product.b.tensor)].dtype));
  sheet.drawing.facts.push_back(
      fmt::format("one k step loads a tile of {} x {} and one of {} x {}: {}, masked lanes counted",
                  product.a.tiles[0].rows, product.a.tiles[0].columns, product.b.tiles[0].rows,
                  product.b.tiles[0].columns, bytes_text(static_cast<double>(step_bytes))));
  sheet.drawing.facts.push_back(fmt::format("{} of {} k steps are done here; {} block{} of {} {} stored before", done,
                                            steps, filled, filled == 1 ? "" : "s", name(product.c),
                                            filled == 1 ? "was" : "were"));
  sheet.drawing.controls.push_back({"k", "k steps done", Control::Kind::slider, 0, steps, done});
  sheet.legend({fmt::format("tile of {}", name(product.a)), category(0)});
  sheet.legend({fmt::format("tile of {}", name(product.b)), category(1)});
  sheet.legend({"pale: done", {category(0).role, 0, 0, 0.35f}});
  sheet.legend({"block being summed", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
  sheet.legend({"stored", {Role::good, 0, 0, 0.45f}});
  Table table{"tiles of this program", {"k step", name(product.a), name(product.b), "state"}, {}};
  for (std::int64_t i = 0; i < std::min<std::int64_t>(steps, 100); ++i) {
    const Tile &ta = product.a.tiles[static_cast<std::size_t>(i)], &tb = product.b.tiles[static_cast<std::size_t>(i)];
    table.rows.push_back({fmt::format("{}", i), fmt::format("[{}.., {}..]", ta.row, ta.column),
                          fmt::format("[{}.., {}..]", tb.row, tb.column), i < done ? "done" : "to come"});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
