// The tensors by shape, or as a ruler of bytes: what was loaded and stored up to this moment, and what nobody wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

enum CellState : unsigned char { absent, given, unwritten, loaded, stored, loads_now, stores_now, states };

constexpr float axis_height = 14, caption_room = 34, box_gap = 26;

// Rows and columns that show a tensor by its shape, whatever its strides: the last axis to the right, the others
// downwards. Nothing where the other axes do not follow one another at one stride.
std::optional<Findings::Grid> grid_of(const trace::RecordedTensor& t) {
  const std::size_t rank = t.shape.size();
  if (rank < 2) return std::nullopt;
  Findings::Grid grid;
  grid.columns = t.shape[rank - 1], grid.column_stride = t.strides[rank - 1];
  grid.rows = t.shape[rank - 2], grid.row_stride = t.strides[rank - 2];
  for (std::size_t d = rank - 2; d-- > 0;) {
    if (t.strides[d] != grid.row_stride * grid.rows) return std::nullopt;
    grid.rows *= t.shape[d];
  }
  const std::int64_t near = std::min(grid.row_stride, grid.column_stride),
                     far = std::max(grid.row_stride, grid.column_stride);
  const std::int64_t along = grid.row_stride < grid.column_stride ? grid.rows : grid.columns;
  return grid.rows > 0 && grid.columns > 0 && near > 0 && near * along <= far ? std::optional(grid) : std::nullopt;
}

// All of the storage, in the order of its addresses.
Findings::Grid ruler_of(const trace::RecordedTensor& t) {
  Findings::Grid grid;
  grid.columns = std::max<std::int64_t>(1, t.storage_elems);
  if (grid.columns > 32)
    for (grid.columns = 32; grid.columns * grid.columns < 4 * t.storage_elems && grid.columns < 4096;)
      grid.columns *= 2;
  grid.rows = std::max<std::int64_t>(1, (t.storage_elems + grid.columns - 1) / grid.columns);
  grid.row_stride = grid.columns;
  return grid;
}

std::string shape_text(const trace::RecordedTensor& t) {
  std::string shape;
  for (std::size_t d = 0; d < t.shape.size(); ++d) shape += fmt::format("{}{}", d ? " x " : "", grouped(t.shape[d]));
  return fmt::format("{} {}", shape.empty() ? "1" : shape, name_of(t.dtype));
}

std::string name_and_shape(const trace::RecordedTensor& t) { return fmt::format("{}  {}", t.name, shape_text(t)); }

std::string stride_text(const trace::RecordedTensor& t) {
  std::string strides;
  for (std::size_t d = 0; d < t.strides.size(); ++d) strides += fmt::format("{}{}", d ? ", " : "", t.strides[d]);
  return fmt::format("{}{}",
                     strides.empty() ? "" : fmt::format("stride{} {}; ", t.strides.size() == 1 ? "" : "s", strides),
                     bytes_text(static_cast<double>(t.storage_elems) * size_in_bytes(t.dtype)));
}

// A tensor on the sheet.
struct Box {
  Findings::Grid grid;
  bool by_shape = false, has_planes = false;
  float axis_room = 40;                       // of the numbers before its rows
  float caption = 120;                        // what stands above it
  float x = 0, y = 0, width = 0, height = 0;  // of its cells
};

// A vector may be drawn larger than the matrices: its shape is not what it is about.
float cell_of(const Box& box, float cell) {
  return std::min(38.f, box.by_shape ? cell : std::max(cell, 140 / static_cast<float>(box.grid.columns)));
}
float width_of(const Box& box, float cell) {
  return std::max(static_cast<float>(box.grid.columns) * cell_of(box, cell), 24.f);
}

// What a box takes with cells of this size, its labels included.
Point taken(const Box& box, float cell) {
  return {std::max(width_of(box, cell) + (box.has_planes ? 50.f : 0.f), box.caption) + box.axis_room,
          std::max(static_cast<float>(box.grid.rows) * cell_of(box, cell), 24.f) + axis_height + caption_room};
}

// Places the boxes in lines from (left, top) on; returns the height they take together.
float flow(std::vector<Box>& boxes, float left, float top, float width, float cell) {
  float x = left, y = top, line = 0;
  for (Box& box : boxes) {
    const Point size = taken(box, cell);
    if (x > left && x + size.x > left + width) x = left, y += line + box_gap, line = 0;
    box.x = x + box.axis_room, box.y = y + axis_height + caption_room;
    box.width = std::min(left + width - box.x, width_of(box, cell)), box.height = size.y - axis_height - caption_room;
    line = std::max(line, size.y);
    x += size.x + box_gap;
  }
  return y + line - top;
}

// The cells' size at which all the boxes fit, the same for all of them, so that a tile looks the same in each.
void place(std::vector<Box>& boxes, float left, float top, float width, float room) {
  float low = 1e-6f, high = 38;
  // Whoever has little room scrolls rather than squints.
  flow(boxes, left, top, width, low);
  std::set<float> lines;
  for (const Box& box : boxes) lines.insert(box.y);
  room = std::max(room, 50 + 150 * static_cast<float>(lines.size()));
  const auto fits = [&](float cell) {
    const bool is_wide =
        std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) { return width_of(b, cell) + b.axis_room > width; });
    return !is_wide && flow(boxes, left, top, width, cell) <= room;
  };
  for (int i = 0; i < 30; ++i) {
    const float middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  flow(boxes, left, top, width, low);
}

std::string element_text(DType dtype, const std::byte* at) {
  return is_integer(dtype) ? std::to_string(trace::decode_int(dtype, at))
                           : exact_number(trace::decode_element(dtype, at));
}

// What a touch left in its cell or found there; "" where the recording does not say.
std::string value_after(const trace::RecordedTrace& trace, const trace::Touch& touch,
                        const trace::RecordedTensor& tensor) {
  const trace::RecordedProgram& p = trace.programs[touch.moment.program];
  const trace::RecordedAccess& a = p.accesses[static_cast<std::size_t>(p.steps[touch.moment.step].access)];
  std::string text;
  if (a.effect)
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t, std::int64_t number) {
      if (lane == touch.lane) text = element_text(tensor.dtype, a.effect + number * size_in_bytes(tensor.dtype));
    });
  return text;
}

// The chosen cell: everything that touched it, in order, with a line for the present moment; a click goes there.
void draw_history(Sheet& sheet, Scene& scene, const About& cell) {
  constexpr std::size_t most = 8;
  debug::Session& session = scene.session;
  const trace::RecordedLaunch& launch = session.launch();
  const trace::RecordedTensor& tensor = launch.tensors[static_cast<std::size_t>(cell.tensor)];
  const std::string name = trace::cell_name(tensor, cell.first);
  const auto touches =
      trace::touches_of(session.trace(), session.program().launch, cell.tensor, cell.first, cell.first);
  const auto now = static_cast<std::size_t>(
      std::ranges::count_if(touches, [&](const trace::Touch& t) { return t.moment < session.now(); }));
  sheet
      .text(sheet.left(), sheet.y + 14,
            fmt::format("History of {}: {} touch{}{}", name, touches.size(), touches.size() == 1 ? "" : "es",
                        touches.empty() ? ", so nobody reads or writes it" : ". A click goes there"),
            13)
      .is_bold = true;
  sheet.y += 24;
  Table table{"history of " + name, {"program", "step", "line", "lane", "what", "when"}, {}};
  // The touches around the present moment.
  const std::size_t first =
      touches.size() <= most || now < most / 2 ? 0 : std::min(now - most / 2, touches.size() - most);
  std::string held = tensor.has_before
                         ? element_text(tensor.dtype, tensor.before.data() + cell.first * size_in_bytes(tensor.dtype))
                         : "";
  std::set<std::size_t> writers;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const trace::Touch& t = touches[i];
    const trace::RecordedProgram& p = session.trace().programs[t.moment.program];
    const bool writes = t.kind != trace::AccessKind::load, is_past = i < now;
    if (writes) writers.insert(t.moment.program), held = value_after(session.trace(), t, tensor);
    if (i < first || i >= first + most) continue;
    const int line = p.steps[t.moment.step].site.line;
    const std::string what = fmt::format("{}{}", verb(t.kind), held.empty() ? "" : " " + held);
    Shape& row = sheet.rect(sheet.left(), sheet.y, sheet.inner(), 20,
                            {i == now ? Role::current : Role::surface, 0, 0, is_past || i == now ? 1.f : 0.5f},
                            fmt::format("touch/{}", i));
    row.about.launch = p.launch, row.about.program = linear_id(launch, p.id), row.about.step = t.moment.step,
    row.about.line = line, row.about.lane = t.lane;
    row.about.tensor = cell.tensor, row.about.first = row.about.last = cell.first;
    row.goes_there = true;
    row.tooltip = fmt::format("{}, step {}, line {}, lane {}: {} {}", program_text(launch, p.id), t.moment.step, line,
                              t.lane, what, name);
    sheet.mark(writes ? Kind::up_triangle : Kind::down_triangle, sheet.left() + 4, sheet.y + 6, 9, 8,
               {writes ? Role::store : Role::load}, fmt::format("touched/{}", i));
    sheet
        .text(sheet.left() + 20, sheet.y + 14.5f,
              fmt::format("{}  step {}  line {}  lane {}", program_text(launch, p.id), t.moment.step, line, t.lane),
              11.5f)
        .is_mono = true;
    sheet
        .text(sheet.right() - 6, sheet.y + 14.5f,
              what + (i + 1 == now ? "  (last before now)"
                      : i == now   ? "  (next)"
                                   : ""),
              11.5f, Align::right)
        .is_mono = true;
    table.rows.push_back({program_text(launch, p.id), fmt::format("{}", t.moment.step), fmt::format("{}", line),
                          fmt::format("{}", t.lane), what, is_past ? "past" : "to come"});
    sheet.y += 22;
  }
  if (touches.size() > most)
    sheet.text(sheet.left(), sheet.y + 13,
               fmt::format("{} of {} touches; `history {}` in the console tells all", most, touches.size(), name), 11,
               Align::left, {Role::soft}),
        sheet.y += 18;
  if (writers.size() > 1)
    sheet.drawing.facts.push_back(
        fmt::format("{} programs write {}: on a GPU the last one wins, and which that is changes from run to run",
                    writers.size(), name));
  sheet.y += 6;
  sheet.drawing.tables.push_back(std::move(table));
}

// Its name and shape above a tensor's cells, its strides beneath them.
void draw_captions(Sheet& sheet, const trace::RecordedTensor& tensor, const Field& f, const FieldPainter& painter) {
  const float width = sheet.right() - f.x;
  Shape& name = sheet.text(f.x, f.y - axis_height - 18, fitted(name_and_shape(tensor), width, 12.5f), 12.5f);
  name.is_bold = true;
  name.about = f.about;
  name.tooltip = fmt::format("{}: {}, {}", tensor.name, shape_text(tensor), stride_text(tensor));
  sheet.text(f.x, f.y - axis_height - 4, fitted(stride_text(tensor), width, 10), 10, Align::left, {Role::soft});
  painter.draw_frame(sheet);
}

// All but a second handle on the same memory through which nothing moves: attention's o as a pointer, where its
// descriptor stores.
std::vector<int> shown_tensors(Scene& scene) {
  const int launch = scene.session.program().launch;
  const auto& tensors = scene.session.launch().tensors;
  std::vector<int> shown;
  for (int t = 0; t < static_cast<int>(tensors.size()); ++t) {
    const trace::RecordedTensor& tensor = tensors[static_cast<std::size_t>(t)];
    const auto is_twin = [&](const trace::RecordedTensor& other) {
      return &other != &tensor && other.name == tensor.name && other.storage_elems == tensor.storage_elems;
    };
    const auto twin = std::ranges::find_if(tensors, is_twin);
    const bool is_idle = twin != tensors.end() && scene.found().of_tensor(launch, t).accesses.empty();
    const bool is_idle_twin =
        is_idle && (twin < tensors.begin() + t ||
                    !scene.found().of_tensor(launch, static_cast<int>(twin - tensors.begin())).accesses.empty());
    if (!is_idle_twin) shown.push_back(t);
  }
  return shown;
}

}  // namespace

Drawing draw_memory(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  const auto& tensors = session.launch().tensors;
  const debug::Moment now = session.now();
  const bool ruler = scene.setting("ruler", 0) != 0;
  Sheet sheet(
      "memory",
      fmt::format("Memory before step {} of {}", now.step, program_text(session.launch(), session.program().id)),
      ruler ? "Each tensor as it lies in memory: the number before a row is its first byte. Strides count elements."
            : "Each tensor in its shape, a cell an element: rows downwards, columns to the right. A vector wraps: the "
              "number before a row is its first element. Strides count elements.",
      canvas);
  Table table{"lanes up to here", {"tensor", "loads", "stores", "masked off", "never written"}, {}};
  const bool has_history = scene.chosen.has_cells();
  std::vector<Box> boxes;
  const std::vector<int> shown = shown_tensors(scene);
  for (const int t : shown) {
    const trace::RecordedTensor& tensor = tensors[static_cast<std::size_t>(t)];
    const auto shaped = ruler ? std::nullopt : grid_of(tensor);
    boxes.push_back({shaped ? *shaped : ruler_of(tensor), shaped.has_value(), shaped && tensor.shape.size() > 2});
    Box& box = boxes.back();
    const std::int64_t last =
        box.by_shape ? box.grid.rows : tensor.storage_elems * (ruler ? size_in_bytes(tensor.dtype) : 1);
    box.axis_room = std::max(28.f, text_width(grouped(last), 9.5f) + 8);
    box.caption =
        std::max({120.f, text_width(name_and_shape(tensor), 12.5f, false, true), text_width(stride_text(tensor), 10)});
  }
  place(boxes, sheet.left(), sheet.y, sheet.inner(), std::max(100.f, sheet.room() - (has_history ? 210.f : 40.f)));
  bool has[states] = {}, is_merged = false;
  for (std::size_t b = 0; b < shown.size(); ++b) {
    const int index = shown[b], t = index;
    const trace::RecordedTensor& tensor = tensors[static_cast<std::size_t>(t)];
    const Findings::OfTensor& touched = scene.found().of_tensor(launch, index);
    const bool output = touched.is_output;
    Box& box = boxes[b];
    Findings::Grid& grid = box.grid;
    Field f;
    f.rows = grid.rows, f.columns = grid.columns;
    f.states = {{{Role::none}, ""},
                {{Role::surface}, "given, not touched yet"},
                {{Role::unwritten}, "never written: its content is unknown"},
                {{Role::load, 0, 0, 0.35f}, "loaded earlier"},
                {{Role::store, 0, 0, 0.45f}, "stored earlier"},
                {{Role::load}, "loaded by the last step"},
                {{Role::store}, "stored by the last step"}};
    f.name = tensor.name;
    f.about.launch = launch, f.about.tensor = index;
    f.row_stride = grid.row_stride, f.column_stride = grid.column_stride;
    f.x = box.x, f.y = box.y, f.width = box.width, f.height = box.height;
    f.largest_cell = 38;
    FieldPainter painter(f);
    if (box.by_shape || painter.is_merged()) painter.fill(output ? unwritten : given);
    else painter.set_cell(0, tensor.storage_elems, output ? unwritten : given);
    grid.across = painter.across(), grid.down = painter.down();
    const auto& first = scene.found().first_touch(launch, index, grid);
    const std::size_t done = touched.done_before(now);
    for (std::size_t i = 0; i < painter.texels(); ++i)
      painter.raise(i, first.store[i] < done ? stored : first.load[i] < done ? loaded : absent);
    const Findings::Lanes& counts = touched.lanes_before(now);
    const trace::RecordedAccess* last = nullptr;
    if (done > 0 && touched.accesses[done - 1].moment == trace::Moment{now.program, now.step - 1} && now.step > 0) {
      last = touched.accesses[done - 1].access;
      const unsigned char state = last->writes() ? stores_now : loads_now;
      for_each_run(*last, [&](std::int64_t from, std::int64_t count, std::int64_t stride, std::int64_t) {
        for (std::int64_t i = 0, along = 1; i < count; i += along) {  // a row of the tensor at a time
          const auto [row, column] = grid.cell_of(from + i * stride);
          along = row >= 0 && stride == grid.column_stride ? std::min(count - i, grid.columns - column) : 1;
          if (row >= 0) painter.set(row, column, along, state);
        }
      });
    }
    draw_captions(sheet, tensor, f, painter);
    trace::Memory* const memory = tensor.storage_elems <= most_cells ? &session.memory() : nullptr;
    painter.draw(sheet, fmt::format("cell/{}", t), [&](Shape& s, std::int64_t r, std::int64_t c) {
      const std::int64_t element = r * grid.row_stride + c * grid.column_stride;
      const unsigned char state = painter.state(r, c);
      if (state == absent) {
        s.stroke = {}, s.tooltip.clear(), s.about = {};
        return;
      }
      std::string text;
      if (memory && memory->is_known(index))
        text = state == unwritten            ? "?"
               : tensor.dtype == DType::int1 ? (memory->element(index, element) != 0 ? "T" : "F")
               : is_integer(tensor.dtype)    ? std::to_string(memory->element_as_int(index, element))
                                             : exact_number(memory->element(index, element));
      if (painter.cell() >= 20) {
        s.size = 11, s.is_mono = true;
        if (!text.empty() && painter.cell_height() > 12)
          s.text =
              state == unwritten || tensor.dtype == DType::int1
                  ? text
                  : number_in(painter.cell() - 2, memory->element(index, element), is_integer(tensor.dtype), s.size);
        if (s.fill.alpha < 1) s.ink = {Role::ink};
      }
      s.tooltip =
          fmt::format("{} (byte {}): {}{}", trace::cell_name(tensor, element), element * size_in_bytes(tensor.dtype),
                      text.empty() || text == "?" ? "" : "holds " + text + ", ", s.tooltip);
    });
    for (int s = given; s < states; ++s) has[s] |= painter.shows(static_cast<unsigned char>(s));
    is_merged |= painter.is_merged();
    const std::int64_t plane = box.by_shape ? rows_of_plane(tensor.shape, f.rows) : f.rows;
    painter.draw_axes(
        sheet,
        [&](std::int64_t r) {
          return box.by_shape ? fmt::format("{}", r % plane)
                              : grouped(ruler ? r * f.columns * size_in_bytes(tensor.dtype) : r * f.columns);
        },
        plane);
    // Where the last step was: down for a load, up for a store.
    if (last && last->active > 0 && last->first >= 0 && grid.cell_of(last->first).first >= 0) {
      const Kind kind = last->writes() ? Kind::up_triangle : Kind::down_triangle;
      const auto [row, column] = grid.cell_of(last->first);
      const bool is_top = row == 0;  // the indices stand above it: then it stands in the cell
      const Colour colour = is_top ? Colour{Role::paper} : Colour{last->writes() ? Role::store : Role::load};
      Shape& mark = sheet.mark(kind, std::max(f.x, painter.x_of(column) + painter.cell() / 2 - 5),
                               is_top ? f.y + 1 : painter.y_of(row) - 9, 10,
                               is_top ? std::min(8.f, painter.height() - 2) : 8, colour, fmt::format("now/{}", t));
      mark.tooltip =
          fmt::format("the last step {} {} lanes from here on", last->writes() ? "stores" : "loads", last->active);
    }
    if (box.by_shape) painter.draw_planes(sheet, tensor.name, tensor.shape);
    const std::int64_t unknown = output ? tensor.storage_elems - counts.written : 0;
    if (unknown > 0 && counts.written > 0)
      sheet.drawing.facts.push_back(fmt::format("{} of the {} elements of {} were never written up to here",
                                                grouped(unknown), grouped(tensor.storage_elems), tensor.name));
    table.rows.push_back({tensor.name, grouped(counts.loads), grouped(counts.stores), grouped(counts.masked),
                          output ? grouped(unknown) : "given"});
    sheet.y = std::max(sheet.y, f.y + painter.height() + 6);
  }
  if (is_merged)
    sheet.drawing.facts.push_back(
        "a pixel stands for several elements where they are too many: the latest state among them shows");
  if (scene.chosen.has_cells() && scene.chosen.tensor < static_cast<int>(tensors.size()) &&
      (scene.chosen.launch < 0 || scene.chosen.launch == launch))
    draw_history(sheet, scene, scene.chosen);
  else sheet.drawing.facts.push_back("a click on a cell tells its history: who loaded it, who stored it, when");
  sheet.drawing.controls.push_back({"ruler", "as a ruler of bytes", Control::Kind::toggle, 0, 1, ruler});
  if (has[given]) sheet.legend({"given, not touched yet", {Role::surface}});
  if (has[unwritten]) sheet.legend({"never written: content unknown (?)", {Role::unwritten}});
  if (has[loaded]) sheet.legend({"loaded earlier", {Role::load, 0, 0, 0.35f}});
  if (has[loads_now]) sheet.legend({"loaded by the last step", {Role::load}});
  if (has[stored]) sheet.legend({"stored earlier", {Role::store, 0, 0, 0.45f}});
  if (has[stores_now]) sheet.legend({"stored by the last step", {Role::store}});
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
