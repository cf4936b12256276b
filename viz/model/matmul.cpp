// C = A B by tiles: A on the left, B above, C in the corner, at this step's k.
#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/text.h"
#include "viz/model/panel.h"
#include "viz/model/product.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

std::uint32_t first_step(const Sum& sum) { return sum.turns.front().step; }

// Whether the sum was made, and stored if that comes before `next`, at step `now`.
bool is_over(const Sum& sum, std::uint32_t next, std::uint32_t now) {
  return sum.turns.back().step < std::min(next, now) &&
         std::ranges::none_of(sum.stores, [&](std::uint32_t s) { return s < next && s >= now; });
}

// The product under way, or to come: one whose loop begins when that of those before is over.
std::size_t product_here(const std::vector<Product>& products, std::uint32_t now) {
  std::size_t here = 0;
  for (std::size_t i = 1; i < products.size(); ++i)
    if (std::ranges::all_of(products[here].sums,
                            [&](const Sum& s) { return is_over(s, first_step(products[i].sums.front()), now); }))
      here = i;
  return here;
}

// The product that the reader chose, if there are several.
std::int64_t chosen_product(Scene& scene, const std::vector<Product>& products) {
  const auto here = static_cast<std::int64_t>(product_here(products, scene.session.now().step));
  return std::clamp<std::int64_t>(scene.setting("product", here), 0, std::ssize(products) - 1);
}

struct MatmulPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  const std::vector<Product> products = products_of(session, session.now().program);
  const std::int64_t chosen = chosen_product(scene, products);
  const Product& product = products[static_cast<std::size_t>(chosen)];
  const Operand &a = product.a, &b = product.b, &c = product.c;
  const std::uint32_t now = session.now().step;
  const Sum& sum = sum_here();
  const std::int64_t steps = std::ssize(sum.turns), done = steps_done();
  const bool is_stored = done == steps && is_stored_now(sum);
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
            fmt::format("{}: block of {}{}, k step {} of {}", program_text(session.launch(), session.program().id),
                        c.name,
                        product.is_by_loop ? "" : fmt::format(" at rows {}.., columns {}..", sum.c.row, sum.c.column),
                        done, steps),
            fmt::format("{} on the left, {} above, {} in the corner{}. Sizes in elements; one tile of {} times one "
                        "tile of {} adds to the block of {}.",
                        in_words(a), in_words(b), in_words(c),
                        product.is_by_loop ? ": the tiles as the loop takes them, whatever their places in memory" : "",
                        a.name, b.name, c.name) +
                (product.batch > 1
                     ? fmt::format(" Each dot multiplies {} such pairs at once; one is drawn.", product.batch)
                     : ""),
            canvas) {}

  // The last sum that has begun; the next one, once that is stored; before any, the first.
  const Sum& sum_here() const {
    const Sum* here = &product.sums.front();
    for (const Sum& s : product.sums)
      if (first_step(s) < now || (!here->stores.empty() && is_over(*here, first_step(s), now))) here = &s;
    return *here;
  }
  bool is_stored_now(const Sum& s) const {
    return !s.stores.empty() && std::ranges::all_of(s.stores, [&](std::uint32_t step) { return step < now; });
  }
  std::string in_words(const Operand& o) const {
    return fmt::format("{} ({} x {}{})", o.name, o.rows, o.columns,
                       product.is_by_loop ? ""
                       : !o.is_read()     ? ", never in memory"
                       : o.is_transposed  ? fmt::format(", stored as {} x {}", o.columns, o.rows)
                                          : "");
  }
  float units(std::int64_t elements) const { return length(elements) * scale; }

  std::int64_t steps_done() const {
    std::int64_t n = 0;
    while (n < steps && sum.turns[n].step < now) ++n;
    return std::clamp<std::int64_t>(scene.setting("k", n), 0, steps);
  }

  float scale_that_fits() const {
    const float room = std::max(200.f, sheet.room());  // less cannot be read
    return std::min((sheet.inner() - gap - 40) / length(a.columns + c.columns),
                    (room - gap - 30) / length(b.rows + c.rows));
  }

  void draw_matrix(const Operand& o, float x, float y) {
    Shape& s = sheet.rect(x, y, units(o.columns), units(o.rows), {Role::surface}, "matrix/" + o.name);
    s.stroke = {Role::ink};
    s.stroke_width = 1.5f;
    s.is_dashed = !o.is_read();
    s.layer = Layer::ground;
    s.about.tensor = o.tensor;
    std::string name = fmt::format("{}  {} x {}", o.name, o.rows, o.columns);
    if (text_width(name, 12, false, true) > units(o.columns) + gap - 10) name = o.name;  // the sizes stand above
    const float half = text_width(name, 12, false, true) / 2;
    sheet.heading(std::max(x + units(o.columns) / 2, sheet.left() + half), y - 6, name, 12).align = Align::centre;
  }

  Shape& draw_tile(const Operand& o, const Tile& t, float x, float y, const Colour& fill, const std::string& id) {
    const std::int64_t rows = std::min(t.rows, o.rows - t.row), columns = std::min(t.columns, o.columns - t.column);
    Shape& s = sheet.rect(x + units(t.column), y + units(t.row), std::max(2.f, units(columns)),
                          std::max(2.f, units(rows)), fill, id);
    s.stroke = {Role::ink, 0, 0, 0.7f};
    s.about.launch = launch;
    s.about.tensor = o.tensor;
    s.about.program = linear_id(session.launch(), session.program().id);
    s.tooltip = fmt::format("{}[{}..{}, {}..{}]", o.name, t.row, t.row + rows - 1, t.column, t.column + columns - 1);
    return s;
  }

  // The blocks of C that the first programs store: visit(place of the program in the trace, block).
  template <class Visit>
  void for_each_stored(std::size_t most_programs, const Visit& visit) {
    const auto& programs = session.trace().programs;
    Tile t;
    for (std::size_t p = 0; c.is_read() && p < std::min(programs.size(), most_programs); ++p) {
      if (programs[p].launch != launch) continue;
      for (const trace::RecordedAccess& access : programs[p].accesses)
        if (access.tensor == c.tensor && access.writes() && place_tile(access, c, t)) visit(p, t);
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

  // This program's other blocks: of a persistent program, or of attention's scores.
  void draw_other_sums() {
    for (const Sum& other : product.sums) {
      if (&other == &sum || product.is_by_loop) continue;
      const bool is_made = other.turns.back().step < now, is_out = is_stored_now(other);
      const Colour fill = is_out    ? Colour{Role::good, 0, 0, 0.45f}
                          : is_made ? Colour{Role::current, 0, 0, 0.35f}
                                    : Colour{Role::surface};
      Shape& s = draw_tile(c, other.c, cx, cy, fill, fmt::format("mine/{}", other.turns.front().step));
      s.about.step = other.turns.front().step;
      s.tooltip += is_out ? ": stored by this program" : is_made ? ": computed before" : ": to come in this program";
    }
  }

  // The rows of A and the columns of B that make a block of C: each block lights its own.
  void link_blocks_to_factors() {
    if (session.trace().programs.size() > 400 || !a.is_read() || !b.is_read()) return;
    std::map<std::int64_t, About> rows, columns;
    const auto strip = [&](std::map<std::int64_t, About>& strips, std::int64_t at, bool is_a) {
      About& about = strips[at];
      if (about.tensor >= 0) return about;
      about.tensor = is_a ? a.tensor : b.tensor;
      about.first = about.last = is_a ? a.origin + at * a.row_stride : b.origin + at * b.column_stride;  // names it
      Shape& s = is_a ? sheet.rect(ax, cy + units(at), units(a.columns), units(std::min(sum.c.rows, a.rows - at)), {},
                                   fmt::format("row/{}", at))
                      : sheet.rect(cx + units(at), by, units(std::min(sum.c.columns, b.columns - at)), units(b.rows),
                                   {}, fmt::format("column/{}", at));
      s.stroke = {Role::faint, 0, 0, 0.8f};
      s.about = about;
      return about;
    };
    for_each_stored(session.trace().programs.size(), [&](std::size_t p, const Tile& t) {
      About from;
      from.launch = launch;
      from.program = linear_id(session.launch(), session.trace().programs[p].id);
      sheet.drawing.links.push_back({from, strip(rows, t.row, true)});
      sheet.drawing.links.push_back({from, strip(columns, t.column, false)});
    });
  }

  // This sum's tiles: those done pale, the last ones strong.
  void draw_tiles() {
    for (std::int64_t i = 0; i < done; ++i) {
      const bool is_last = i + 1 == done;
      const Turn& turn = sum.turns[i];
      const auto draw = [&](const Operand& o, const Tile& t, float x, float y, Colour fill, const char* id,
                            std::int64_t along_k) {
        if (!is_last) fill.alpha = 0.35f;
        if (!is_last && units(along_k) < 2) return;
        Shape& s = draw_tile(o, t, x, y, fill, fmt::format("{}/{}", id, i));
        s.about.step = turn.step;
        if (is_last) s.stroke_width = 2;
      };
      draw(a, turn.a, ax, cy, category(0), "a", turn.a.columns);
      draw(b, turn.b, cx, by, category(1), "b", turn.b.rows);
    }
    Shape& s = draw_tile(c, sum.c, cx, cy, {is_stored ? Role::good : Role::current}, "c");
    s.stroke_width = 2.5f;
    s.stroke = {Role::accent};
    s.tooltip += is_stored ? ": stored" : fmt::format(": {} of {} products added", done, steps);
  }

  // Where the tiles of this k step are specks: how they make a block, in a size that is seen.
  void draw_turn_larger() {
    const Turn& turn = sum.turns[static_cast<std::size_t>(std::max<std::int64_t>(0, done - 1))];
    const Tile &ta = turn.a, &tb = turn.b, &tc = sum.c;
    constexpr float small = 24, apart = 16, label = 16;
    const float x = cx + units(c.columns) + 70, w = sheet.right() - x, h = cy + units(c.rows) - by;
    if (std::max(units(tc.rows), units(tc.columns)) > small || w < 200) return;
    const float s =
        std::min((w - apart - 90) / length(ta.columns + tc.columns), (h - apart - label) / length(tb.rows + tc.rows));
    const auto tile = [&](const Operand& o, const Tile& t, float left, float top, Colour fill) {
      Shape& r = sheet.rect(left, top, s * length(t.columns), s * length(t.rows), fill, "larger/" + o.name);
      r.stroke = {Role::ink, 0, 0, 0.7f};
      r.about.tensor = o.tensor;
      const std::string name = fmt::format("{}  {} x {}", o.name, t.rows, t.columns);
      sheet.note(left, top - 4, name, 12);
    };
    const std::string name_of_a = fmt::format("{}  {} x {}", a.name, ta.rows, ta.columns);
    const float wa = std::max({s * length(ta.columns), text_width(name_of_a, 12), 90.f}) + apart,
                hb = s * length(tb.rows) + apart + label;
    sheet.heading(x, by + 10, "this k step,", 12);
    sheet.heading(x, by + 26, "larger", 12);
    tile(b, tb, x + wa, by, category(1));
    tile(a, ta, x, by + hb, category(0));
    tile(c, tc, x + wa, by + hb, {is_stored ? Role::good : Role::current});
  }

  void state_facts() {
    const Turn& turn = sum.turns.front();
    double bytes = 0;
    for (const auto& [o, t] : {std::pair(&a, &turn.a), std::pair(&b, &turn.b)})
      if (o->is_read())
        bytes += static_cast<double>(t->rows * t->columns * size_in_bytes(session.launch().tensors[o->tensor].dtype));
    sheet.fact(fmt::format("one k step takes a tile of {} x {} and one of {} x {}{}", turn.a.rows, turn.a.columns,
                           turn.b.rows, turn.b.columns,
                           bytes > 0 ? fmt::format(": {} loaded, masked lanes counted", bytes_text(bytes)) : ""));
    if (turn.step >= now)
      sheet.fact(fmt::format("to come: the first dot of this block is step {}, in line {}", turn.step,
                             session.program().steps[turn.step].site.line));
    if (product.is_by_loop)
      sheet.fact(fmt::format("{} of {} k steps are done here; such blocks of {} in this program: {}", done, steps,
                             c.name, product.sums.size()));
    else if (!c.is_read())
      sheet.fact(fmt::format("{} stays in registers, block by block: the matrix of {} x {} is never in memory", c.name,
                             c.rows, c.columns));
    else
      sheet.fact(fmt::format("{} of {} k steps are done here; {} of {} {} stored before", done, steps,
                             plural(blocks_before / std::max<std::int64_t>(1, std::ssize(sum.stores)), "block"), c.name,
                             blocks_before == std::ssize(sum.stores) ? "was" : "were"));
  }

  void offer_products() {
    if (products.size() < 2) return;
    Control choice{"product", "product", Control::Kind::choice, 0, std::ssize(products) - 1, chosen};
    for (const Product& p : products)
      choice.choices.push_back(fmt::format("{} {} to {}", p.a.name, p.b.name, p.c.name));
    sheet.control(std::move(choice));
  }

  void add_legend() {
    sheet.legend({fmt::format("tile of {}", a.name), category(0)});
    sheet.legend({fmt::format("tile of {}", b.name), category(1)});
    sheet.legend({"pale: done", {category(0).role, 0, 0, 0.35f}});
    sheet.legend({"block being summed", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
    if (c.is_read() || is_stored) sheet.legend({"stored", {Role::good, 0, 0, 0.45f}});
    if (!c.is_read() && !product.is_by_loop && product.sums.size() > 1)
      sheet.legend({"computed before", {Role::current, 0, 0, 0.35f}});
  }

  Table table() const {
    Table table{"tiles of this block", {"k step", a.name, b.name, "state"}, {}};
    const auto place = [](const Tile& t) { return fmt::format("[{}.., {}..]", t.row, t.column); };
    for (std::int64_t i = 0; i < std::min<std::int64_t>(steps, 100); ++i)
      table.rows.push_back(
          {fmt::format("{}", i), place(sum.turns[i].a), place(sum.turns[i].b), i < done ? "done" : "to come"});
    return table;
  }
};

}  // namespace

std::string missing_matmul(Scene& scene) {
  if (!products_of(scene.session, scene.session.now().program).empty()) return "";
  const auto& programs = scene.session.trace().programs;
  const auto other = std::ranges::find_if(programs, [](const trace::RecordedProgram& p) {
    return std::ranges::any_of(p.steps, [](const trace::Step& s) { return s.op == trace::Op::dot; });
  });
  if (other != programs.end() && other->launch != scene.session.program().launch)
    return fmt::format("this program multiplies no matrices; those of {} do, later in the run",
                       short_name(scene.session.trace().launches[other->launch].kernel));
  return scene.session.program().keep == trace::Keep::values
             ? "this program does not multiply two matrices into a third, tile by tile"
             : "of this program only accesses were recorded, and which of them dots take is not among them";
}

Drawing draw_matmul(Scene& scene, const Canvas& canvas) {
  MatmulPicture picture(scene, canvas);
  picture.draw_matrix(picture.a, picture.ax, picture.cy);
  picture.draw_matrix(picture.b, picture.cx, picture.by);
  picture.draw_matrix(picture.c, picture.cx, picture.cy);
  picture.draw_blocks_of_others();
  picture.draw_other_sums();
  picture.link_blocks_to_factors();
  picture.draw_tiles();
  picture.draw_turn_larger();
  picture.sheet.y = picture.cy + picture.units(picture.c.rows) + 6;
  picture.state_facts();
  picture.offer_products();
  picture.sheet.control({"k", "k steps done", Control::Kind::slider, 0, picture.steps, picture.done});
  picture.add_legend();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
