// C = A B by tiles: A on the left, B above, C in the corner, at this step's k.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/panel.h"
#include "viz/model/product.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

struct MatmulPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  const Product product = *product_of(session, session.now().program);
  const Operand &a = product.a, &b = product.b, &c = product.c;
  const Tile& block = c.tiles.back();
  const std::int64_t steps = std::ssize(a.tiles.size() < b.tiles.size() ? a.tiles : b.tiles), done = steps_done();
  const bool is_stored = block.step < session.now().step && done == steps;
  std::int64_t blocks_before = 0;  // stored by other programs
  Sheet sheet;
  // Layout.
  const float gap = 26, scale = scale_that_fits();
  const float ax = sheet.left() + 20, cx = ax + units(a.columns) + gap, by = sheet.y + 18,
              cy = by + units(b.rows) + gap;

  MatmulPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet(
            "matmul",
            fmt::format("{}: block of {} at rows {}.., columns {}.., k step {} of {}",
                        program_text(session.launch(), session.program().id), name(c), block.row, block.column, done,
                        steps),
            fmt::format("{} ({} x {}) on the left, {} ({} x {}) above, {} ({} x {}) in the corner. Sizes in elements; "
                        "one tile of {} times one tile of {} adds to the block of {}.",
                        name(a), a.rows, a.columns, name(b), b.rows, b.columns, name(c), c.rows, c.columns, name(a),
                        name(b), name(c)),
            canvas) {}

  const trace::RecordedTensor& tensor(const Operand& o) const { return session.launch().tensors[o.tensor]; }
  const std::string& name(const Operand& o) const { return tensor(o).name; }
  float units(std::int64_t elements) const { return length(elements) * scale; }

  std::int64_t steps_done() const {
    std::int64_t n = 0;
    while (n < steps && b.tiles[n].step < session.now().step) ++n;
    return std::clamp<std::int64_t>(scene.setting("k", n), 0, steps);
  }

  float scale_that_fits() const {
    const float room = std::max(260.f, sheet.room());  // less cannot be read
    return std::min((sheet.inner() - gap - 40) / length(a.columns + c.columns),
                    (room - gap - 30) / length(b.rows + c.rows));
  }

  void draw_matrix(const Operand& o, float x, float y) {
    Shape& s = sheet.rect(x, y, units(o.columns), units(o.rows), {Role::surface}, "matrix/" + name(o));
    s.stroke = {Role::ink};
    s.stroke_width = 1.5f;
    s.layer = Layer::ground;
    s.about.tensor = o.tensor;
    sheet.heading(x + units(o.columns) / 2, y - 6, fmt::format("{}  {} x {}", name(o), o.rows, o.columns), 12).align =
        Align::centre;
  }

  Shape& draw_tile(const Operand& o, const Tile& t, float x, float y, const Colour& fill, const std::string& id) {
    const std::int64_t rows = std::min(t.rows, o.rows - t.row), columns = std::min(t.columns, o.columns - t.column);
    Shape& s = sheet.rect(x + units(t.column), y + units(t.row), std::max(2.f, units(columns)),
                          std::max(2.f, units(rows)), fill, id);
    s.stroke = {Role::ink, 0, 0, 0.7f};
    s.about.launch = launch;
    s.about.tensor = o.tensor;
    s.about.program = linear_id(session.launch(), session.program().id);
    s.tooltip = fmt::format("{}[{}..{}, {}..{}]", name(o), t.row, t.row + rows - 1, t.column, t.column + columns - 1);
    return s;
  }

  // The blocks of C that the first programs store: visit(place of the program in the trace, block).
  template <class Visit>
  void for_each_stored(std::size_t most_programs, const Visit& visit) {
    const auto& programs = session.trace().programs;
    for (std::size_t p = 0; p < std::min(programs.size(), most_programs); ++p) {
      if (programs[p].launch != launch) continue;
      for (const trace::RecordedAccess& access : programs[p].accesses) {
        if (access.tensor != c.tensor || !access.writes() || access.shape.rank != 2) continue;
        std::int64_t rows = 0, columns = 0;
        visit(p, tile_of(access, tensor(c).storage_elems, rows, columns));
      }
    }
  }

  void draw_blocks_of_others() {
    for_each_stored(4096, [&](std::size_t p, const Tile& t) {
      if (p == session.now().program) return;
      const bool is_before = p < session.now().program;
      blocks_before += is_before;
      const ProgramId pid = session.trace().programs[p].id;
      const std::int64_t id = linear_id(session.launch(), pid);
      Shape& s = draw_tile(c, t, cx, cy, is_before ? Colour{Role::good, 0, 0, 0.45f} : Colour{Role::surface},
                           fmt::format("block/{}", id));
      s.about.program = id;
      s.stroke = {Role::faint};
      s.tooltip += fmt::format(": {}, {}", program_text(session.launch(), pid), is_before ? "stored" : "to come");
    });
  }

  // The rows of A and the columns of B that make a block of C: each block lights its own.
  void link_blocks_to_factors() {
    if (session.trace().programs.size() > 400) return;
    std::map<std::int64_t, About> rows, columns;
    const auto strip = [&](std::map<std::int64_t, About>& strips, std::int64_t at, bool is_a) {
      About& about = strips[at];
      if (about.tensor >= 0) return about;
      about.tensor = is_a ? a.tensor : b.tensor;
      about.first = about.last = at * (is_a ? a.columns : 1);  // the strip's first element names it
      Shape& s = is_a ? sheet.rect(ax, cy + units(at), units(a.columns), units(std::min(block.rows, a.rows - at)), {},
                                   fmt::format("row/{}", at))
                      : sheet.rect(cx + units(at), by, units(std::min(block.columns, b.columns - at)), units(b.rows),
                                   {}, fmt::format("column/{}", at));
      s.stroke = {Role::faint, 0, 0, 0.8f};
      s.about = about;
      return about;
    };
    for_each_stored(session.trace().programs.size(), [&](std::size_t p, const Tile& t) {
      About from;
      from.launch = launch, from.program = linear_id(session.launch(), session.trace().programs[p].id);
      sheet.drawing.links.push_back({from, strip(rows, t.row, true)});
      sheet.drawing.links.push_back({from, strip(columns, t.column, false)});
    });
  }

  // This program's tiles: those done pale, the last ones strong.
  void draw_tiles() {
    for (std::int64_t i = 0; i < done; ++i) {
      const bool is_last = i + 1 == done;
      const auto draw = [&](const Operand& o, float x, float y, Colour fill, const char* id, bool is_wide) {
        if (!is_last) fill.alpha = 0.35f;
        if (!is_last && !is_wide) return;
        const Tile& t = o.tiles[i];
        Shape& s = draw_tile(o, t, x, y, fill, fmt::format("{}/{}", id, i));
        s.about.step = t.step;
        if (is_last) s.stroke_width = 2;
      };
      draw(a, ax, cy, category(0), "a", units(a.tiles[i].columns) >= 2);
      draw(b, cx, by, category(1), "b", units(b.tiles[i].rows) >= 2);
    }
    Shape& s = draw_tile(c, block, cx, cy, {is_stored ? Role::good : Role::current}, "c");
    s.stroke_width = 2.5f;
    s.stroke = {Role::accent};
    s.tooltip += is_stored ? ": stored" : fmt::format(": {} of {} products added", done, steps);
  }

  void state_facts() {
    const Tile &ta = a.tiles[0], &tb = b.tiles[0];
    const std::int64_t bytes =
        ta.rows * ta.columns * size_in_bytes(tensor(a).dtype) + tb.rows * tb.columns * size_in_bytes(tensor(b).dtype);
    sheet.fact(fmt::format("one k step loads a tile of {} x {} and one of {} x {}: {}, masked lanes counted", ta.rows,
                           ta.columns, tb.rows, tb.columns, bytes_text(static_cast<double>(bytes))));
    sheet.fact(fmt::format("{} of {} k steps are done here; {} of {} {} stored before", done, steps,
                           counted(blocks_before, "block"), name(c), blocks_before == 1 ? "was" : "were"));
  }

  void add_legend() {
    sheet.legend({fmt::format("tile of {}", name(a)), category(0)});
    sheet.legend({fmt::format("tile of {}", name(b)), category(1)});
    sheet.legend({"pale: done", {category(0).role, 0, 0, 0.35f}});
    sheet.legend({"block being summed", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
    sheet.legend({"stored", {Role::good, 0, 0, 0.45f}});
  }

  Table table() const {
    Table table{"tiles of this program", {"k step", name(a), name(b), "state"}, {}};
    const auto place = [](const Tile& t) { return fmt::format("[{}.., {}..]", t.row, t.column); };
    for (std::int64_t i = 0; i < std::min<std::int64_t>(steps, 100); ++i)
      table.rows.push_back({fmt::format("{}", i), place(a.tiles[i]), place(b.tiles[i]), i < done ? "done" : "to come"});
    return table;
  }
};

}  // namespace

std::string missing_matmul(Scene& scene) {
  return product_of(scene.session, scene.session.now().program)
             ? ""
             : "this program does not multiply two matrices into a third, tile by tile";
}

Drawing draw_matmul(Scene& scene, const Canvas& canvas) {
  MatmulPicture picture(scene, canvas);
  picture.draw_matrix(picture.a, picture.ax, picture.cy);
  picture.draw_matrix(picture.b, picture.cx, picture.by);
  picture.draw_matrix(picture.c, picture.cx, picture.cy);
  picture.draw_blocks_of_others();
  picture.link_blocks_to_factors();
  picture.draw_tiles();
  picture.sheet.y = picture.cy + picture.units(picture.c.rows) + 6;
  picture.state_facts();
  picture.sheet.control({"k", "k steps done", Control::Kind::slider, 0, picture.steps, picture.done});
  picture.add_legend();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
