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

enum State : unsigned char { absent, given, unwritten, loaded, stored, loads_now, stores_now };

// Rows and columns that show a tensor by its shape, whatever its strides: the last axis to the right, the others downwards. Nothing where
// the other axes do not follow one another at one stride.
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
  const std::int64_t near = std::min(grid.row_stride, grid.column_stride), far = std::max(grid.row_stride, grid.column_stride);
  const std::int64_t along = grid.row_stride < grid.column_stride ? grid.rows : grid.columns;
  return grid.rows > 0 && grid.columns > 0 && near > 0 && near * along <= far ? std::optional(grid) : std::nullopt;
}

// All of the storage, in the order of its addresses.
Findings::Grid ruler_of(const trace::RecordedTensor& t) {
  Findings::Grid grid;
  grid.columns = std::max<std::int64_t>(1, t.storage_elems);
  if (grid.columns > 32)
    for (grid.columns = 32; grid.columns * grid.columns < 6 * t.storage_elems && grid.columns < 1024;) grid.columns *= 2;
  grid.rows = std::max<std::int64_t>(1, (t.storage_elems + grid.columns - 1) / grid.columns);
  grid.row_stride = grid.columns;
  return grid;
}

std::string shape_text(const trace::RecordedTensor& t) {
  std::string shape, strides;
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    shape += fmt::format("{}{}", d ? " x " : "", t.shape[d]);
    strides += fmt::format("{}{}", d ? ", " : "", t.strides[d]);
  }
  return fmt::format("{}  {} {}, strides ({}) elements, {}", t.name, shape, name_of(t.dtype), strides, bytes_text(static_cast<double>(t.storage_elems) * size_in_bytes(t.dtype)));
}

// What a touch left in its cell or found there; "" where the recording does not say.
std::string value_after(const trace::RecordedTrace& trace, const trace::Touch& touch, const trace::RecordedTensor& tensor) {
  const trace::RecordedProgram& p = trace.programs[touch.moment.program];
  const trace::RecordedAccess& a = p.accesses[static_cast<std::size_t>(p.steps[touch.moment.step].access)];
  std::string text;
  if (a.effect)
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t, std::int64_t number) {
      if (lane == touch.lane) text = short_number(trace::decode_element(tensor.dtype, a.effect + number * size_in_bytes(tensor.dtype)), is_integer(tensor.dtype));
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
  const auto touches = trace::touches_of(session.trace(), session.program().launch, cell.tensor, cell.first, cell.first);
  const auto now = static_cast<std::size_t>(std::ranges::count_if(touches, [&](const trace::Touch& t) { return t.moment < session.now(); }));
  sheet.text(sheet.left(), sheet.y + 14, fmt::format("History of {}: {} touch{}{}", name, touches.size(), touches.size() == 1 ? "" : "es", touches.empty() ? ", so nobody reads or writes it" : ". A click goes there"), 13).is_bold = true;
  sheet.y += 24;
  Table table{"history of " + name, {"program", "step", "line", "lane", "what", "when"}, {}};
  // The touches around the present moment.
  const std::size_t first = touches.size() <= most || now < most / 2 ? 0 : std::min(now - most / 2, touches.size() - most);
  std::string held = tensor.has_before ? short_number(trace::decode_element(tensor.dtype, tensor.before.data() + cell.first * size_in_bytes(tensor.dtype)), is_integer(tensor.dtype)) : "";
  std::set<std::size_t> writers;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const trace::Touch& t = touches[i];
    const trace::RecordedProgram& p = session.trace().programs[t.moment.program];
    const bool writes = t.kind != trace::AccessKind::load, is_past = i < now;
    if (writes) writers.insert(t.moment.program), held = value_after(session.trace(), t, tensor);
    if (i < first || i >= first + most) continue;
    const int line = p.steps[t.moment.step].site.line;
    const std::string what = fmt::format("{}{}", verb(t.kind), held.empty() ? "" : " " + held);
    Shape& row = sheet.rect(sheet.left(), sheet.y, sheet.inner(), 20, {i == now ? Role::current : Role::surface, 0, 0, is_past || i == now ? 1.f : 0.5f}, fmt::format("touch/{}", i));
    row.about.launch = p.launch, row.about.program = linear_id(launch, p.id), row.about.step = t.moment.step, row.about.line = line, row.about.lane = t.lane;
    row.about.tensor = cell.tensor, row.about.first = row.about.last = cell.first;
    row.goes_there = true;
    row.tooltip = fmt::format("{}, step {}, line {}, lane {}: {} {}", program_text(launch, p.id), t.moment.step, line, t.lane, what, name);
    sheet.mark(writes ? Kind::up_triangle : Kind::down_triangle, sheet.left() + 4, sheet.y + 6, 9, 8, {writes ? Role::store : Role::load}, fmt::format("touched/{}", i));
    sheet.text(sheet.left() + 20, sheet.y + 14.5f, fmt::format("{}  step {}  line {}  lane {}", program_text(launch, p.id), t.moment.step, line, t.lane), 11.5f).is_mono = true;
    sheet.text(sheet.right() - 6, sheet.y + 14.5f, what + (i + 1 == now ? "  (last before now)" : i == now ? "  (next)" : ""), 11.5f, Align::right).is_mono = true;
    table.rows.push_back({program_text(launch, p.id), fmt::format("{}", t.moment.step), fmt::format("{}", line), fmt::format("{}", t.lane), what, is_past ? "past" : "to come"});
    sheet.y += 22;
  }
  if (touches.size() > most) sheet.text(sheet.left(), sheet.y + 13, fmt::format("{} of {} touches; `history {}` in the console tells all", most, touches.size(), name), 11, Align::left, {Role::soft}), sheet.y += 18;
  if (writers.size() > 1) sheet.drawing.facts.push_back(fmt::format("{} programs write {}: on a GPU the last one wins, and which that is changes from run to run", writers.size(), name));
  sheet.y += 6;
  sheet.drawing.tables.push_back(std::move(table));
}

}  // namespace

Drawing draw_memory(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  const auto& tensors = session.launch().tensors;
  const debug::Moment now = session.now();
  const bool ruler = scene.setting("ruler", 0) != 0;
  Sheet sheet("memory", fmt::format("Memory before step {} of {}", now.step, program_text(session.launch(), session.program().id)),
              ruler ? "Each tensor as a ruler: the number before a row is its first byte." : "Each tensor by its shape: a cell is an element, the number before a row its first index.", canvas);
  Table table{"lanes up to here", {"tensor", "loads", "stores", "masked off", "never written"}, {}};
  const bool has_history = scene.chosen.has_cells();
  const float room = sheet.room() - (has_history ? 210.f : 0.f);
  const float each = std::max(64.f, room / static_cast<float>(std::max<std::size_t>(1, tensors.size())) - 34);
  bool has[7] = {};
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const trace::RecordedTensor& tensor = tensors[t];
    const int index = static_cast<int>(t);
    const Findings::OfTensor& touched = scene.found().of_tensor(launch, index);
    const bool output = touched.is_output;
    const auto shaped = ruler ? std::nullopt : grid_of(tensor);
    const bool by_shape = shaped.has_value();
    Findings::Grid grid = shaped ? *shaped : ruler_of(tensor);
    Field f;
    f.rows = grid.rows, f.columns = grid.columns;
    f.states = {{{Role::none}, ""}, {{Role::surface}, "not touched yet"}, {{Role::unwritten}, "never written: its content is unknown"}, {{Role::load, 0, 0, 0.35f}, "loaded earlier"}, {{Role::store, 0, 0, 0.45f}, "stored earlier"},
                {{Role::load}, "loaded by the last step"}, {{Role::store}, "stored by the last step"}};
    f.name = tensor.name;
    f.about.launch = launch, f.about.tensor = index;
    f.row_stride = grid.row_stride, f.column_stride = grid.column_stride;
    sheet.text(sheet.left(), sheet.y + 13, fitted(shape_text(tensor), sheet.inner(), 12.5f), 12.5f).about = f.about;
    f.x = sheet.left() + 56, f.y = sheet.y + 22;
    f.width = sheet.inner() - 56, f.height = each;
    f.largest_cell = 38;
    FieldPainter painter(f);
    if (by_shape || painter.is_texture()) painter.fill(output ? unwritten : given);
    else painter.set_cell(0, tensor.storage_elems, output ? unwritten : given);
    grid.across = painter.across(), grid.down = painter.down();
    const auto& first = scene.found().first_touch(launch, index, grid);
    const std::size_t done = touched.done_before(now);
    for (std::size_t i = 0; i < painter.texels(); ++i) painter.raise(i, first.store[i] < done ? stored : first.load[i] < done ? loaded : absent);
    const Findings::Lanes& counts = touched.lanes_before(now);
    const trace::RecordedAccess* last = nullptr;
    if (done > 0 && touched.accesses[done - 1].moment == trace::Moment{now.program, now.step - 1} && now.step > 0) {
      last = touched.accesses[done - 1].access;
      const unsigned char state = last->writes() ? stores_now : loads_now;
      for_each_run(*last, [&](std::int64_t from, std::int64_t count, std::int64_t stride, std::int64_t) {
        for (std::int64_t i = 0; i < count; ++i)
          if (const auto [row, column] = grid.cell_of(from + i * stride); row >= 0) painter.set(row, column, 1, state);
      });
    }
    trace::Memory* const memory = tensor.storage_elems <= most_cells ? &session.memory() : nullptr;
    painter.draw(sheet, fmt::format("cell/{}", t), [&](Shape& s, std::int64_t r, std::int64_t c) {
      const std::int64_t element = r * grid.row_stride + c * grid.column_stride;
      const unsigned char state = painter.state(r, c);
      if (state == absent) {
        s.stroke = {}, s.tooltip.clear(), s.about = {};
        return;
      }
      has[state] = true;
      std::string text;
      if (memory && memory->is_known(index)) text = state == unwritten ? "?" : short_number(memory->element(index, element), is_integer(tensor.dtype));
      if (painter.cell() >= 20) {
        s.size = text_width(text, 11, true) < painter.cell() - 3 ? 11 : 8.5f;
        if (text_width(text, s.size, true) < painter.cell() - 1 && painter.cell_height() > 12) s.text = text;
        s.is_mono = true;
        if (s.fill.alpha < 1) s.ink = {Role::ink};
      }
      s.tooltip = fmt::format("{} (byte {}): {}{}", trace::cell_name(tensor, element), element * size_in_bytes(tensor.dtype), text.empty() || text == "?" ? "" : "holds " + text + ", ", s.tooltip);
    });
    if (painter.is_texture()) std::fill(has + 1, has + 7, true);
    const std::int64_t every = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(14 / painter.cell_height())));
    for (std::int64_t r = 0; r < f.rows; r += every)
      sheet.text(f.x - 6, painter.y_of(r) + std::min(painter.cell_height() / 2 + 4, 12.f), ruler || !by_shape ? grouped(ruler ? r * f.columns * size_in_bytes(tensor.dtype) : r * f.columns) : fmt::format("{}", r), 10, Align::right, {Role::soft});
    // Above the picture of the last step: down for a load, up for a store.
    if (last && last->active > 0 && last->first >= 0 && grid.cell_of(last->first).first >= 0) {
      const Kind kind = last->writes() ? Kind::up_triangle : Kind::down_triangle;
      const auto [row, column] = grid.cell_of(last->first);
      const Colour colour{last->writes() ? Role::store : Role::load};
      sheet.mark(kind, painter.x_of(column) + painter.cell() / 2 - 5, painter.y_of(row) - 9, 10, 8, colour, fmt::format("now/{}", t)).tooltip = fmt::format("the last step {} {} lanes from here on", last->writes() ? "stores" : "loads", last->active);
    }
    const std::int64_t unknown = output ? tensor.storage_elems - counts.written : 0;
    table.rows.push_back({tensor.name, grouped(counts.loads), grouped(counts.stores), grouped(counts.masked), output ? grouped(unknown) : "given"});
    sheet.y = f.y + painter.height() + 14;
  }
  if (scene.chosen.has_cells() && scene.chosen.tensor < static_cast<int>(tensors.size()) && (scene.chosen.launch < 0 || scene.chosen.launch == launch)) draw_history(sheet, scene, scene.chosen);
  else sheet.drawing.facts.push_back("a click on a cell tells its history: who loaded it, who stored it, when");
  sheet.drawing.controls.push_back({"ruler", "as a ruler of bytes", Control::Kind::toggle, 0, 1, ruler});
  const char* const names[] = {"", "not touched yet", "? never written", "loaded earlier", "stored earlier", "", ""};
  const Field look;
  const Colour colours[] = {{}, {Role::surface}, {Role::unwritten}, {Role::load, 0, 0, 0.35f}, {Role::store, 0, 0, 0.45f}, {}, {}};
  for (int s = given; s <= stored; ++s)
    if (has[s]) sheet.legend({names[s], colours[s]});
  if (has[loads_now]) sheet.legend({"loaded by the last step", {Role::load}, Hatch::none, Kind::down_triangle});
  if (has[stores_now]) sheet.legend({"stored by the last step", {Role::store}, Hatch::none, Kind::up_triangle});
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
