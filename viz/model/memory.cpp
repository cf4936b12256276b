// The tensors by shape, or as a ruler of bytes: what was loaded and stored up to this moment, and what nobody wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "viz/model/field.h"
#include "viz/model/history.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

// Merged cells show their highest state.
enum CellState : unsigned char { absent, given, unwritten, loaded, stored, loads_now, stores_now, wrong, states };

constexpr float axis_height = 14, caption_room = 34, box_gap = 26;

// Rows and columns that show a tensor by its shape, whatever its strides: the last axis to the right, the others
// downwards. Nothing where the other axes have no common stride.
std::optional<Findings::Grid> grid_of(const trace::RecordedTensor& t) {
  const std::size_t rank = t.shape.size();
  if (rank < 2) return std::nullopt;
  Findings::Grid grid;
  grid.columns = t.shape[rank - 1];
  grid.column_stride = t.strides[rank - 1];
  grid.rows = t.shape[rank - 2];
  grid.row_stride = t.strides[rank - 2];
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
  for (std::size_t d = 0; d < t.shape.size(); ++d) shape += fmt::format("{}{}", d ? " x " : "", count_text(t.shape[d]));
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

// A vector may have larger cells than the matrices.
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
    if (x > left && x + size.x > left + width) {
      x = left;
      y += line + box_gap;
      line = 0;
    }
    box.x = x + box.axis_room;
    box.y = y + axis_height + caption_room;
    box.width = std::min(left + width - box.x, width_of(box, cell));
    box.height = size.y - axis_height - caption_room;
    line = std::max(line, size.y);
    x += size.x + box_gap;
  }
  return y + line - top;
}

// The cells' size at which all the boxes fit, the same for all of them, so that a tile looks the same in each.
void place(std::vector<Box>& boxes, float left, float top, float width, float room) {
  float low = 1e-6f, high = 38;
  // With little room the drawing scrolls, so that cells stay readable.
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

// Its name and shape above a tensor's cells, its strides beneath them.
void draw_captions(Sheet& sheet, const trace::RecordedTensor& tensor, const Field& f, const FieldPainter& painter) {
  const float width = sheet.right() - f.x;
  Shape& name = sheet.heading(f.x, f.y - axis_height - 18, fitted(name_and_shape(tensor), width, 12.5f), 12.5f);
  name.about = f.about;
  name.tooltip = fmt::format("{}: {}, {}", tensor.name, shape_text(tensor), stride_text(tensor));
  sheet.note(f.x, f.y - axis_height - 4, fitted(stride_text(tensor), width, least_text));
  painter.draw_frame(sheet);
}

// All tensors but unused second handles on the same memory: attention's o as a pointer, where its descriptor stores.
std::vector<int> shown_tensors(Scene& scene) {
  const int launch = scene.session.program().launch;
  const auto& tensors = scene.session.launch().tensors;
  std::vector<int> shown;
  for (int t = 0; t < static_cast<int>(tensors.size()); ++t) {
    const trace::RecordedTensor& tensor = tensors[t];
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

const std::vector<Image::Entry> cell_states = {{{Role::none}, ""},
                                               {{Role::surface}, "given, not touched yet"},
                                               {{Role::unwritten}, "never written: its content is unknown"},
                                               {{Role::load, 0, 0, 0.35f}, "loaded earlier"},
                                               {{Role::store, 0, 0, 0.45f}, "stored earlier"},
                                               {{Role::load}, "loaded by the last step"},
                                               {{Role::store}, "stored by the last step"},
                                               {{Role::fault, 0, 0, 0.5f}, "stored, and wrong at the end"}};

struct MemoryPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  const std::vector<trace::RecordedTensor>& tensors = session.launch().tensors;
  const debug::Moment now = session.now();
  const bool is_ruler = scene.setting("ruler", 0) != 0;
  Sheet sheet;
  const std::vector<int> shown = shown_tensors(scene);
  std::vector<Box> boxes;
  Table table{"lanes up to here", {"tensor", "loads", "stores", "masked off", "never written"}, {}};
  bool has[states] = {}, is_merged = false;

  MemoryPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet(
            "memory",
            fmt::format("Memory before step {} of {}", now.step, program_text(session.launch(), session.program().id)),
            is_ruler ? "Each tensor as it lies in memory: the number before a row is its first byte. Strides count "
                       "elements."
                     : "Each tensor in its shape, a cell an element: rows downwards, columns to the right. A vector "
                       "wraps: the number before a row is its first element. Strides count elements.",
            canvas) {
    for (const int t : shown) boxes.push_back(box_of(tensors[t]));
    place(boxes, sheet.left(), sheet.y, sheet.inner(),
          std::max(100.f, sheet.room() - (scene.chosen.has_cells() ? 210.f : 40.f)));
  }

  Box box_of(const trace::RecordedTensor& tensor) const {
    const auto shaped = is_ruler ? std::nullopt : grid_of(tensor);
    Box box{shaped ? *shaped : ruler_of(tensor), shaped.has_value(), shaped && tensor.shape.size() > 2};
    const std::int64_t last =
        box.by_shape ? box.grid.rows : tensor.storage_elems * (is_ruler ? size_in_bytes(tensor.dtype) : 1);
    box.axis_room = std::max(28.f, text_width(count_text(last), least_text) + 8);
    box.caption = std::max(
        {120.f, text_width(name_and_shape(tensor), 12.5f, false, true), text_width(stride_text(tensor), least_text)});
    return box;
  }

  Field field_of(int index, const Box& box) const {
    Field f;
    f.rows = box.grid.rows;
    f.columns = box.grid.columns;
    f.states = cell_states;
    f.name = tensors[index].name;
    f.about.launch = launch;
    f.about.tensor = index;
    f.row_stride = box.grid.row_stride;
    f.column_stride = box.grid.column_stride;
    f.x = box.x;
    f.y = box.y;
    f.width = box.width;
    f.height = box.height;
    f.largest_cell = 38;
    return f;
  }

  void draw_tensor(int index, Box& box) {
    const trace::RecordedTensor& tensor = tensors[index];
    const Findings::OfTensor& touched = scene.found().of_tensor(launch, index);
    const Field f = field_of(index, box);
    FieldPainter painter(f);
    const trace::RecordedAccess* const last = find_states(painter, index, box);
    find_wrong(painter, index, box.grid);
    draw_captions(sheet, tensor, f, painter);
    painter.draw(sheet, fmt::format("cell/{}", index), [&](Shape& s, std::int64_t r, std::int64_t c) {
      decorate_cell(s, index, r * box.grid.row_stride + c * box.grid.column_stride, painter.state(r, c), painter);
    });
    for (int s = given; s < states; ++s) has[s] |= painter.shows(static_cast<unsigned char>(s));
    is_merged |= painter.is_merged();
    const std::int64_t plane = box.by_shape ? rows_of_plane(tensor.shape, f.rows) : f.rows;
    const auto row_label = [&](std::int64_t r) {
      return box.by_shape ? fmt::format("{}", r % plane)
                          : count_text(r * f.columns * (is_ruler ? size_in_bytes(tensor.dtype) : 1));
    };
    painter.draw_axes(sheet, row_label, plane);
    if (last) mark_last_step(*last, painter, f, box.grid);
    if (box.by_shape) painter.draw_planes(sheet, tensor.name, tensor.shape);
    const Findings::Lanes& counts = touched.lanes_before(now);
    const std::int64_t unknown = touched.is_output ? tensor.storage_elems - counts.written : 0;
    const std::int64_t padding = tensor.storage_elems - std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                                                        std::int64_t{1}, std::multiplies<>());
    if (unknown > 0 && counts.written > 0)
      sheet.fact(fmt::format("{} of the {} elements of {}{} were never written up to here", count_text(unknown),
                             count_text(tensor.storage_elems), tensor.name,
                             padding > 0 ? fmt::format(", {} of them padding,", count_text(padding)) : ""));
    table.rows.push_back({tensor.name, count_text(counts.loads), count_text(counts.stores), count_text(counts.masked),
                          touched.is_output ? count_text(unknown) : "given"});
    sheet.y = std::max(sheet.y, f.y + painter.height() + 6);
  }

  // Sets the states of a tensor's cells; returns the access of the last step, if it was one to this tensor.
  const trace::RecordedAccess* find_states(FieldPainter& painter, int index, Box& box) {
    const Findings::OfTensor& touched = scene.found().of_tensor(launch, index);
    const CellState at_first = touched.is_output ? unwritten : given;
    Findings::Grid& grid = box.grid;
    if (box.by_shape || painter.is_merged()) painter.fill(at_first);
    else painter.set_cell(0, tensors[index].storage_elems, at_first);
    grid.across = painter.across();
    grid.down = painter.down();
    const auto& first = scene.found().first_touch(launch, index, grid);
    const std::size_t done = touched.done_before(now);
    for (std::size_t i = 0; i < painter.texels(); ++i)
      painter.raise(i, first.store[i] < done ? stored : first.load[i] < done ? loaded : absent);
    if (done == 0 || now.step == 0 || touched.accesses[done - 1].moment != trace::Moment{now.program, now.step - 1})
      return nullptr;
    const trace::RecordedAccess* const last = touched.accesses[done - 1].access;
    const unsigned char state = last->writes() ? stores_now : loads_now;
    for_each_run(*last, [&](std::int64_t from, std::int64_t count, std::int64_t stride, std::int64_t) {
      for (std::int64_t i = 0, along = 1; i < count; i += along) {  // a row of the tensor at a time
        const auto [row, column] = grid.cell_of(from + i * stride);
        along = row >= 0 && stride == grid.column_stride ? std::min(count - i, grid.columns - column) : 1;
        if (row >= 0) painter.set(row, column, along, state);
      }
    });
    return last;
  }

  // Elements that are wrong at the end, once they are stored.
  void find_wrong(FieldPainter& painter, int index, const Findings::Grid& grid) const {
    const auto& all = session.trace().wrong;
    const auto of =
        all ? all->find(tensors[index].name) : std::map<std::string, std::vector<std::int64_t>>::const_iterator{};
    if (!all || of == all->end()) return;
    for (const std::int64_t element : of->second) {
      const auto [row, column] = grid.cell_of(element);
      if (row < 0) continue;
      if (const unsigned char now = painter.state(row, column); now == stored || now == stores_now || now == loads_now)
        painter.set(row, column, 1, wrong);
    }
  }

  void decorate_cell(Shape& s, int index, std::int64_t element, unsigned char state, const FieldPainter& painter) {
    if (state == absent) {
      s.stroke = {}, s.tooltip.clear(), s.about = {};
      return;
    }
    const trace::RecordedTensor& tensor = tensors[index];
    const bool is_known = tensor.storage_elems <= most_cells && session.memory().is_known(index),
               is_mask = tensor.dtype == DType::int1;
    std::string text;
    if (is_known)
      text = state == unwritten         ? "?"
             : is_mask                  ? (session.memory().element(index, element) != 0 ? "T" : "F")
             : is_integer(tensor.dtype) ? std::to_string(session.memory().element_as_int(index, element))
                                        : exact_number(session.memory().element(index, element));
    if (painter.cell() >= 20) {
      s.size = 11;
      s.is_mono = true;
      if (!text.empty() && painter.cell_height() > 12)
        s.text = state == unwritten || is_mask ? text
                                               : number_in(painter.cell() - 2, session.memory().element(index, element),
                                                           is_integer(tensor.dtype), s.size);
      if (s.fill.alpha < 1) s.ink = {Role::ink};
    }
    if (state == wrong) s.hatch = Hatch::single;
    s.tooltip =
        fmt::format("{} (byte {}): {}{}", trace::cell_name(tensor, element), element * size_in_bytes(tensor.dtype),
                    text.empty() || text == "?" ? "" : "holds " + text + ", ", s.tooltip);
  }

  // Where the last step was: down for a load, up for a store.
  void mark_last_step(const trace::RecordedAccess& last, const FieldPainter& painter, const Field& f,
                      const Findings::Grid& grid) {
    const auto [row, column] = grid.cell_of(last.first);
    if (last.active == 0 || last.first < 0 || row < 0) return;
    const bool is_top = row == 0;  // the indices stand above it: then it stands in the cell
    Shape& mark =
        sheet.mark(last.writes() ? Kind::up_triangle : Kind::down_triangle,
                   std::max(f.x, painter.x_of(column) + painter.cell() / 2 - 5),
                   is_top ? f.y + 1 : painter.y_of(row) - 9, 10, is_top ? std::min(8.f, painter.height() - 2) : 8,
                   {is_top          ? Role::paper
                    : last.writes() ? Role::store
                                    : Role::load},
                   fmt::format("now/{}", f.about.tensor));
    const Colour colour{last.writes() ? Role::store : Role::load};
    sheet.legend({last.writes() ? "where the last step's stores begin" : "where the last step's loads begin", colour,
                  Hatch::none, last.writes() ? Kind::up_triangle : Kind::down_triangle, colour});
    mark.tooltip =
        fmt::format("the last step {} {} lanes from here on", last.writes() ? "stores" : "loads", last.active);
  }

  void add_legend() {
    sheet.control({"ruler", "as a ruler of bytes", Control::Kind::toggle, 0, 1, is_ruler});
    for (const CellState s : {given, unwritten, loaded, loads_now, stored, stores_now, wrong})
      if (has[s])
        sheet.legend({s == unwritten ? "never written: content unknown (?)" : cell_states[s].label,
                      cell_states[s].colour, s == wrong ? Hatch::single : Hatch::none});
  }
};

}  // namespace

Drawing draw_memory(Scene& scene, const Canvas& canvas) {
  MemoryPicture picture(scene, canvas);
  Sheet& sheet = picture.sheet;
  for (std::size_t b = 0; b < picture.shown.size(); ++b) picture.draw_tensor(picture.shown[b], picture.boxes[b]);
  if (picture.is_merged)
    sheet.fact("a pixel stands for several elements where they are too many: the latest state among them shows");
  const About& chosen = scene.chosen;
  if (chosen.has_cells() && chosen.tensor < static_cast<int>(picture.tensors.size()) &&
      (chosen.launch < 0 || chosen.launch == picture.launch))
    draw_history(sheet, scene.session, chosen);
  else sheet.fact("a click on a cell tells its history: who loaded it, who stored it, when");
  picture.add_legend();
  sheet.table(std::move(picture.table));
  return sheet.finish();
}

}  // namespace tl::viz
