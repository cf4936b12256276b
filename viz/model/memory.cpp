// The tensors by shape, or as a ruler of bytes: what was loaded and stored up to this moment, and what nobody wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

enum State : unsigned char { absent, given, unwritten, loaded, stored, loads_now, stores_now };

bool is_row_major(const trace::RecordedTensor& t) {
  std::int64_t stride = 1;
  for (std::size_t d = t.shape.size(); d-- > 0;) {
    if (t.shape[d] > 1 && t.strides[d] != stride) return false;
    stride *= t.shape[d];
  }
  return stride == t.storage_elems;
}

std::string shape_text(const trace::RecordedTensor& t) {
  std::string shape, strides;
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    shape += fmt::format("{}{}", d ? " x " : "", t.shape[d]);
    strides += fmt::format("{}{}", d ? ", " : "", t.strides[d]);
  }
  return fmt::format("{}  {} {}, strides ({}) elements, {}", t.name, shape, name_of(t.dtype), strides, bytes_text(static_cast<double>(t.storage_elems) * size_in_bytes(t.dtype)));
}

struct Counts {
  std::int64_t loads = 0, stores = 0, masked = 0;  // lanes
};

}  // namespace

Drawing draw_memory(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const auto& trace = session.trace();
  const int launch = session.program().launch;
  const auto& tensors = session.launch().tensors;
  const debug::Moment now = session.now();
  const bool ruler = scene.setting("ruler", 0) != 0;
  Sheet sheet("memory", fmt::format("Memory before step {} of {}", now.step, program_text(session.launch(), session.program().id)),
              ruler ? "Each tensor as a ruler: the number before a row is its first byte." : "Each tensor by its shape: a cell is an element, the number before a row its first index.", canvas);
  Table table{"lanes up to here", {"tensor", "loads", "stores", "masked off", "never written"}, {}};
  const float room = sheet.room();
  const float each = std::max(64.f, room / static_cast<float>(std::max<std::size_t>(1, tensors.size())) - 34);
  bool has[7] = {};
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const trace::RecordedTensor& tensor = tensors[t];
    const int index = static_cast<int>(t);
    const bool by_shape = !ruler && is_row_major(tensor) && tensor.shape.size() >= 2;
    const bool output = is_output(trace, launch, index);
    Field f;
    f.columns = by_shape ? tensor.shape.back() : tensor.storage_elems;
    if (!by_shape && f.columns > 32) {
      f.columns = 32;
      while (f.columns * f.columns < 6 * tensor.storage_elems && f.columns < 1024) f.columns *= 2;
    }
    f.columns = std::max<std::int64_t>(f.columns, 1);
    f.rows = std::max<std::int64_t>(1, (tensor.storage_elems + f.columns - 1) / f.columns);
    f.states = {{{Role::none}, ""}, {{Role::surface}, "not touched yet"}, {{Role::unwritten}, "never written: its content is unknown"}, {{Role::load, 0, 0, 0.35f}, "loaded earlier"}, {{Role::store, 0, 0, 0.45f}, "stored earlier"},
                {{Role::load}, "loaded by the last step"}, {{Role::store}, "stored by the last step"}};
    f.name = tensor.name;
    f.about.launch = launch, f.about.tensor = index;
    f.row_stride = f.columns;
    sheet.text(sheet.left(), sheet.y + 13, fitted(shape_text(tensor), sheet.inner(), 12.5f), 12.5f).about = f.about;
    f.x = sheet.left() + 56, f.y = sheet.y + 22;
    f.width = sheet.inner() - 56, f.height = each;
    f.largest_cell = 38;
    FieldPainter painter(f);
    painter.set_cell(0, tensor.storage_elems, output ? unwritten : given);
    Counts counts;
    std::vector<bool> written(output ? static_cast<std::size_t>(tensor.storage_elems) : 0);
    std::int64_t written_count = 0;
    const trace::RecordedAccess* last = nullptr;
    for (std::size_t p = 0; p <= now.program; ++p) {
      const trace::RecordedProgram& program = trace.programs[p];
      if (program.launch != launch) continue;
      for (std::uint32_t s = 0; s < program.steps.size() && (p < now.program || s < now.step); ++s) {
        if (program.steps[s].access < 0) continue;
        const trace::RecordedAccess& a = program.accesses[static_cast<std::size_t>(program.steps[s].access)];
        if (a.tensor != index) continue;
        const bool is_last = p == now.program && s + 1 == now.step;
        (a.writes() ? counts.stores : counts.loads) += a.active;
        counts.masked += a.lanes() - a.active;
        if (is_last) last = &a;
        const unsigned char state = a.writes() ? (is_last ? stores_now : stored) : (is_last ? loads_now : loaded);
        for_each_run(a, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
          if (stride == 1) painter.set_cell(first, count, state);
          else
            for (std::int64_t i = 0; i < count; ++i) painter.set_cell(first + i * stride, 1, state);
          if (a.writes() && output)
            for (std::int64_t i = 0; i < count; ++i) {
              const auto e = static_cast<std::size_t>(first + i * stride);
              if (e < written.size() && !written[e]) written[e] = true, ++written_count;
            }
        });
      }
    }
    trace::Memory* const memory = tensor.storage_elems <= most_cells ? &session.memory() : nullptr;
    painter.draw(sheet, fmt::format("cell/{}", t), [&](Shape& s, std::int64_t r, std::int64_t c) {
      const std::int64_t element = r * f.columns + c;
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
    if (last && last->active > 0 && last->first >= 0) {
      const Kind kind = last->writes() ? Kind::up_triangle : Kind::down_triangle;
      const std::int64_t row = last->first / f.columns, column = last->first % f.columns;
      const Colour colour{last->writes() ? Role::store : Role::load};
      sheet.mark(kind, painter.x_of(column) + painter.cell() / 2 - 5, painter.y_of(row) - 9, 10, 8, colour, fmt::format("now/{}", t)).tooltip = fmt::format("the last step {} {} lanes from here on", last->writes() ? "stores" : "loads", last->active);
    }
    const std::int64_t unknown = output ? tensor.storage_elems - written_count : 0;
    table.rows.push_back({tensor.name, grouped(counts.loads), grouped(counts.stores), grouped(counts.masked), output ? grouped(unknown) : "given"});
    sheet.y = f.y + painter.height() + 14;
  }
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
