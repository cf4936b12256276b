// Two orders of the same programs side by side on one count N: which blocks of A and B the first N programs have
// loaded.
//   row-major: program i makes block (i / blocks_n, i % blocks_n); grouped: swizzle2d walks groups of rows column by
//   column
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/field.h"
#include "viz/model/ordered_blocks.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

struct Side {
  bool is_grouped = false;
  std::vector<std::int64_t> rows, columns;  // the program that first loaded A's rows, B's columns of blocks; -1: none
  std::int64_t a = 0, b = 0;                // distinct blocks
  std::int64_t all() const { return a + b; }
};

Side count(const OrderedBlocks& blocks, bool is_grouped, std::int64_t first_n) {
  Side s{is_grouped, std::vector<std::int64_t>(static_cast<std::size_t>(blocks.m), -1),
         std::vector<std::int64_t>(static_cast<std::size_t>(blocks.n), -1), 0, 0};
  for (std::int64_t p = 0; p < first_n; ++p) {
    const auto at = block_of(blocks, is_grouped, p);
    if (auto& row = s.rows[at.i]; row < 0) {
      row = p;
      s.a += blocks.k;
    }
    if (auto& column = s.columns[at.j]; column < 0) {
      column = p;
      s.b += blocks.k;
    }
  }
  return s;
}

std::string model_line(const machine::Schedule* s) {
  return s ? fmt::format("model ({}, finite L2): hit rate {:.1f} %, {} from DRAM", s->gpu,
                         100 * s->reads.logical_hit_rate(), bytes_text(s->dram_read_bytes))
           : "";
}

// The DRAM traffic of the two orders on this GPU at this size.
std::string dram_fact(Scene& scene, const machine::Schedule& by_rows, const machine::Schedule& by_groups) {
  double once = 0;  // A and B, each byte one time
  for (const auto& tensors = scene.session.launch().tensors; const trace::RecordedTensor& t : tensors)
    if (!scene.found().of_tensor(scene.session.program().launch, static_cast<int>(&t - tensors.data())).is_output)
      once += static_cast<double>(t.storage_elems) * size_in_bytes(t.dtype);
  if (std::max(by_rows.dram_read_bytes, by_groups.dram_read_bytes) <= 1.05 * once) {
    std::string where = "the order pays where it does not";
    if (const double l2 = double(scene.model->l2_bytes); l2 > 0) {
      int times = 2;
      while (once * times * times < l2) times *= 2;
      where = fmt::format("the order pays beyond L2's {}, from {} times this m, n and k on", bytes_text(l2), times);
    }
    return fmt::format("model: L2 holds A and B ({}), and both orders read them from DRAM once; {}", bytes_text(once),
                       where);
  }
  const double ratio = by_rows.dram_read_bytes / std::max(1.0, by_groups.dram_read_bytes);
  if (ratio > 0.95 && ratio < 1.05)
    return fmt::format("model: both orders read nearly as much from DRAM, {} row by row and {} in groups",
                       bytes_text(by_rows.dram_read_bytes), bytes_text(by_groups.dram_read_bytes));
  return fmt::format("model: row by row reads {:.1f} times as much from DRAM as in groups", ratio);
}

struct OrderPicture {
  Scene& scene;
  const OrderedBlocks blocks = *blocks_of(scene);
  const std::int64_t programs = blocks.m * blocks.n,
                     first_n = std::clamp<std::int64_t>(
                         scene.setting("first_n", std::min<std::int64_t>(programs, blocks.n)), 0, programs);
  const Side by_rows = count(blocks, false, first_n), by_groups = count(blocks, true, first_n);
  const machine::Schedule *rows_schedule = nullptr, *groups_schedule = nullptr;  // the model's, where it ran that order
  Sheet sheet;
  // Layout: two halves; sums and facts beneath, or, where the pane is low, the sums beside.
  const float inset = blocks.is_product ? 12 : 0, depth = blocks.is_product ? length(blocks.k) : 0;
  const float gap = 30, width = (sheet.inner() - gap) / 2;
  const bool is_narrow = width < 330;  // what stands beneath a half takes two lines
  const float beneath = (scene.model ? 112 : 74) + (is_narrow ? 20 : 0) + (is_narrow && scene.model ? 16 : 0);
  const bool has_sums_beside = blocks.is_product && sheet.room() - beneath < 200 && room_beside(sheet.room()) >= 170;
  const float height = std::max(200.f, sheet.room() - (has_sums_beside ? 12 : beneath)), right_half = width + gap;

  OrderPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("order",
              fmt::format("{}: the first {} of {} {}s",
                          !blocks.is_product                 ? "Two orders of the same blocks"
                          : by_rows.all() == by_groups.all() ? "Both orders load as many blocks"
                                                             : "Which order loads fewer blocks",
                          count_text(first_n), count_text(programs), blocks.made()),
              blocks.is_product
                  ? fmt::format(
                        "C has {} x {} blocks, K is {} block{} deep. A block of C needs its row of A and its column of "
                        "B. Numbers, where there is room: the {}.",
                        blocks.m, blocks.n, blocks.k, blocks.k == 1 ? "" : "s",
                        blocks.is_persistent() ? "order of tiles" : "launch order")
                  : fmt::format(
                        "{} x {} blocks, one a program. Numbers, where there is room: the launch order. Units: blocks.",
                        blocks.m, blocks.n),
              canvas) {
    if (!scene.model || !blocks.is_run) return;
    const machine::Schedule* const other = scene.model->other_order ? &*scene.model->other_order : nullptr;
    const bool is_right = scene.model->is_grouped || blocks.is_grouped_run || !blocks.own.empty();
    groups_schedule = is_right ? &scene.model->own : other;
    rows_schedule = !is_right ? &scene.model->own : blocks.across == 1 ? other : nullptr;  // else run on this grid too
  }

  void draw_halves() {
    const float top = sheet.y;
    const float a = draw_half(by_rows, sheet.left(), top), b = draw_half(by_groups, sheet.left() + right_half, top);
    sheet.y = std::max(a, b) + 2;
    if (!blocks.is_product || has_sums_beside) return;
    for (const float x : {sheet.left(), sheet.left() + right_half})
      sheet.note(x, sheet.y + 13, "distinct loads, infinite cache", 11.5f);
    sheet.y += 18;
  }

  // C by blocks, with A on its left and B above; returns the y beneath.
  float draw_half(const Side& side, float x, float y) {
    const std::string id = side.is_grouped ? "grouped" : "rows";
    sheet.heading(x, y + 14,
                  !side.is_grouped ? "row by row"
                  : !blocks.own.empty()
                      ? blocks.name()
                      : fmt::format("in groups of {} row{}", blocks.group, blocks.group == 1 ? "" : "s"),
                  14);
    const float top = y + 40, cell = cell_in(height);
    const float ax = x + 18;
    const Point c{ax + cell * depth + inset, top + cell * depth + inset};
    if (blocks.is_product) {
      draw_factor(id + "/a", "A", blocks.m, blocks.k, {ax, c.y}, cell, category(0), side.rows, true);
      draw_factor(id + "/b", "B", blocks.k, blocks.n, {c.x, top}, cell, category(1), side.columns, false);
      const auto label = [&](const char* text, float lx, float ly) {
        sheet.heading(lx, ly, text, 12).align = Align::centre;
      };
      label("A", ax - 10, c.y + cell * length(blocks.m) / 2 + 4);
      label("B", c.x + cell * length(blocks.n) / 2, top - 6);
    }
    draw_product(id + "/c", side, c, cell);
    const float bottom = c.y + cell * length(blocks.m);
    if (!blocks.is_product) return bottom;
    if (has_sums_beside) return draw_sums(side, id, c.x + cell * length(blocks.n) + 18, top), bottom;
    const std::string parts = fmt::format("{} of A + {} of B", count_text(side.a), count_text(side.b)),
                      all = fmt::format("= {} blocks loaded", count_text(side.a + side.b));
    if (is_narrow) sheet.heading(x, bottom + 24, parts, 15);
    const float y_of_sum = bottom + (is_narrow ? 44 : 24);
    sheet.heading(x, y_of_sum, is_narrow ? all : parts + " " + all, 15).id = id + "/sum";
    return y_of_sum + 4;
  }

  float cell_in(float high) const {
    return std::min(
        {72.f, (width - inset - 22) / (depth + length(blocks.n)), (high - 40 - inset) / (depth + length(blocks.m))});
  }
  // Right of a half's picture.
  float room_beside(float high) const {
    return width - 36 - inset - cell_in(std::max(200.f, high)) * (depth + length(blocks.n));
  }

  // What stands beneath a half where there is room, beside it.
  void draw_sums(const Side& side, const std::string& id, float x, float y) {
    const float room = room_beside(height);
    y += 12;
    sheet.heading(x, y, fmt::format("{} of A + {} of B", count_text(side.a), count_text(side.b)), 13);
    sheet.heading(x, y += 18, fmt::format("= {} blocks loaded", count_text(side.a + side.b)), 13).id = id + "/sum";
    sheet.note(x, y += 18, fitted("distinct loads, infinite cache", room, 12, false), 12);
    y += 6;
    for (const std::string& line : wrapped(model_line(side.is_grouped ? groups_schedule : rows_schedule), room, 12))
      sheet.text(x, y += 16, line, 12, Align::left, {Role::model});
  }

  static Field field_of(std::int64_t rows, std::int64_t columns, Point at, float cell, std::string name,
                        std::vector<Image::Entry> states) {
    Field f;
    f.rows = rows;
    f.columns = columns;
    f.x = at.x;
    f.y = at.y;
    f.width = cell * length(columns) + 0.01f;
    f.height = cell * length(rows) + 0.01f;
    f.largest_cell = cell;
    f.states = std::move(states);
    f.name = std::move(name);
    f.row_stride = columns;
    return f;
  }

  // A, whose rows were loaded by `loaders`, or B, whose columns were.
  void draw_factor(const std::string& id, const char* name, std::int64_t rows, std::int64_t columns, Point at,
                   float cell, Colour colour, const std::vector<std::int64_t>& loaders, bool is_by_row) {
    FieldPainter painter(field_of(rows, columns, at, cell, fmt::format("block of {}", name),
                                  {{{Role::surface}, "not loaded yet"}, {colour, "loaded"}}));
    const auto loader = [&](std::int64_t r, std::int64_t c) { return loaders[is_by_row ? r : c]; };
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        if (loader(r, c) >= 0) painter.set(r, c, 1, 1);
    painter.draw(sheet, id, [&](Shape& s, std::int64_t r, std::int64_t c) {
      s.about = {};
      const std::int64_t program = loader(r, c);
      s.tooltip =
          fmt::format("block ({}, {}) of {}: {}", r, c, name,
                      program < 0 ? "not loaded yet" : fmt::format("first loaded by {} {}", blocks.made(), program));
    });
    painter.draw_frame(sheet);
  }

  void draw_product(const std::string& id, const Side& side, Point at, float cell) {
    FieldPainter painter(field_of(blocks.m, blocks.n, at, cell, "block of C",
                                  {{{Role::surface}, "not started"},
                                   {{Role::good, 0, 0, 0.45f}, "started"},
                                   {{Role::current}, "the last one started"}}));
    const std::vector<std::int64_t> program_at = programs_of_blocks(side.is_grouped);
    for (std::int64_t block = 0; block < programs; ++block)
      if (const std::int64_t p = program_at[block]; p < first_n) painter.set_cell(block, 1, p + 1 == first_n ? 2 : 1);
    const float widest = text_width(fmt::format("{}", programs - 1), least_text);  // all are numbered or none
    painter.draw(sheet, id, [&](Shape& s, std::int64_t i, std::int64_t j) {
      const std::int64_t p = program_at[i * blocks.n + j];
      s.about = {};
      if (!blocks.is_persistent()) s.about.program = p;
      s.tooltip = fmt::format("block ({}, {}){} is made by {} {} in {}", i, j, blocks.is_product ? " of C" : "",
                              blocks.made(), p, blocks.is_persistent() ? "the order of tiles" : "launch order");
      const std::string text = fmt::format("{}", p);
      s.size = least_text;
      if (widest < painter.cell() - 2) s.text = text;
      if (s.fill.alpha < 1) s.ink = {Role::ink};
      if (p + 1 == first_n) s.stroke = {Role::accent}, s.stroke_width = 2, s.layer = Layer::marks;
    });
    painter.draw_frame(sheet);
  }

  // By the blocks' row-major number.
  std::vector<std::int64_t> programs_of_blocks(bool is_grouped) const {
    std::vector<std::int64_t> program_at(static_cast<std::size_t>(programs));
    for (std::int64_t p = 0; p < programs; ++p) {
      const auto at = block_of(blocks, is_grouped, p);
      program_at[at.i * blocks.n + at.j] = p;
    }
    return program_at;
  }

  void draw_model_lines() {
    if (has_sums_beside || (!rows_schedule && !groups_schedule)) return;
    float bottom = sheet.y;
    for (const bool is_grouped : {false, true}) {
      float y = sheet.y;
      for (const std::string& line : wrapped(model_line(is_grouped ? groups_schedule : rows_schedule), width, 11.5f))
        sheet.text(sheet.left() + (is_grouped ? right_half : 0), (y += 16) - 3, line, 11.5f, Align::left,
                   {Role::model});
      bottom = std::max(bottom, y + 2);
    }
    sheet.y = bottom;
  }

  // What the order is worth in time, and why it is not worth more.
  std::string time_fact(const machine::Schedule& by_rows, const machine::Schedule& by_groups) const {
    const std::string own = scene.model->limits ? scene.model->limits->cause : "its programs";
    const std::string& other = scene.model->other_cause;
    const bool is_own_grouped = groups_schedule == &scene.model->own;
    const double gain = by_rows.model_ms / std::max(1e-9, by_groups.model_ms) - 1;
    return fmt::format("model: {} row by row, limited by {}; {} in groups, by {}{}",
                       report::time_text(by_rows.model_ms), is_own_grouped ? other : own,
                       report::time_text(by_groups.model_ms), is_own_grouped ? own : other,
                       gain < 0.02 ? ". Bytes from DRAM cost time where DRAM is the limit"
                                   : fmt::format(": {:.0f} % less time", 100 * gain / (1 + gain)));
  }

  void state_facts() {
    if (groups_schedule && rows_schedule && blocks.is_product) {
      sheet.fact(dram_fact(scene, *rows_schedule, *groups_schedule));
      sheet.fact(time_fact(*rows_schedule, *groups_schedule));
    }
    const auto& grid = scene.session.launch().grid;
    if (blocks.is_persistent())
      sheet.fact(fmt::format("{} persistent programs make these {} tiles, each several, one after the other",
                             count_text(blocks.launched), count_text(programs)));
    if (!blocks.own.empty() && blocks.across > 1)
      sheet.fact(
          fmt::format("this kernel's grid is {} x {} and axis 0 runs fastest: program 1 is (1, 0). Row by row is "
                      "what a 1-D grid makes, as matmul's",
                      grid[0], grid[1]));
    if (blocks.own.empty() && blocks.group == blocks.m && blocks.m > 3 && blocks.n > 2 && blocks.is_product)
      sheet.fact(
          fmt::format("a group of {} rows is all of C: columns load as many blocks as rows; groups of {} load fewer",
                      blocks.group, blocks.m / 2));
    else if (blocks.own.empty() && !scene.model)
      sheet.fact(std::string("the well-known picture numbers a group row by row; swizzle2d walks it column by column") +
                 (blocks.is_product ? ". Both load the same blocks when a group's square is complete" : ""));
  }

  // Where the kernel can be run again, its own settings; else numbers of blocks, for the picture alone.
  void add_controls() {
    using K = Control::Kind;
    sheet.control({"first_n", fmt::format("{}s started", blocks.made()), K::slider, 0, programs, first_n});
    const auto of_kernel = scene.controls_named({"group_size", "gpu"});  // the sizes stand in the window's toolbar
    for (const Control& c : of_kernel) sheet.control(c);
    if (!of_kernel.empty()) return;
    sheet.control({"group_size", "rows of blocks a group", K::slider, 1, blocks.m, blocks.group});
    sheet.control({"blocks_m", "blocks down", K::slider, 1, 64, blocks.m});
    sheet.control({"blocks_n", "blocks across", K::slider, 1, 64, blocks.n});
    if (blocks.is_product) sheet.control({"blocks_k", "blocks deep", K::slider, 1, 64, blocks.k});
  }

  void add_legend() {
    if (blocks.is_product) {
      sheet.legend({"block of A, loaded", category(0)});
      sheet.legend({"block of B, loaded", category(1)});
    }
    sheet.legend(
        {fmt::format("{}{}, started", blocks.made(), blocks.is_product ? " of C" : ""), {Role::good, 0, 0, 0.45f}});
    sheet.legend({"the last one", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
  }

  void add_tables() {
    const auto row = [](std::string name, const Side& s) {
      return std::vector{std::move(name), count_text(s.a), count_text(s.b), count_text(s.a + s.b)};
    };
    if (blocks.is_product)
      sheet.table({"distinct blocks loaded, infinite cache",
                   {"order", "of A", "of B", "together"},
                   {row("row by row", by_rows), row(blocks.name(), by_groups)}});
    Table numbers{fmt::format("the order in which each block{} is made", blocks.is_product ? " of C" : ""),
                  {"block", "row by row", blocks.name()},
                  {}};
    const std::vector<std::int64_t> program_at = programs_of_blocks(true);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(programs, 144); ++i)
      numbers.rows.push_back({fmt::format("({}, {})", i / blocks.n, i % blocks.n), fmt::format("{}", i),
                              fmt::format("{}", program_at[i])});
    sheet.table(std::move(numbers));
  }
};

}  // namespace

std::string missing_order(Scene& scene) {
  return blocks_of(scene) ? ""
                          : "its programs do not multiply two matrices tile by tile, so there is no order of blocks; "
                            "grid and timeline show in what order its programs run";
}

Drawing draw_order(Scene& scene, const Canvas& canvas) {
  OrderPicture picture(scene, canvas);
  picture.draw_halves();
  picture.draw_model_lines();
  picture.state_facts();
  picture.add_controls();
  picture.add_legend();
  picture.add_tables();
  return picture.sheet.finish();
}

}  // namespace tl::viz
