// The named values of the program at this moment: scalars, vectors and matrices with their lanes, masked lanes hatched.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/debug/show.h"
#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

using trace::RecordedValue;

bool is_whole(const RecordedValue& v) { return is_integer(v.dtype) || v.tensor >= 0; }

std::string value_text(const RecordedValue& v, std::int64_t lane) {
  if (v.dtype == DType::int1) return trace::element_as_int(v, lane) ? "T" : "F";
  return short_number(trace::element_as_double(v, lane), is_whole(v));
}

// Masks of the accesses that a value took part in, so that its dead lanes are hatched.
const trace::RecordedAccess* access_of(const trace::RecordedProgram& p, std::int32_t value, std::uint32_t before) {
  for (std::uint32_t s = 0; s < std::min<std::size_t>(before, p.steps.size()); ++s) {
    const trace::Step& step = p.steps[s];
    if (step.access < 0) continue;
    for (const std::int32_t r : p.results(step))
      if (r == value) return &p.accesses[static_cast<std::size_t>(step.access)];
  }
  return nullptr;
}

struct Range {
  double low = 0, high = 0;
};
Range range_of(const RecordedValue& v) {
  Range r{INFINITY, -INFINITY};
  const std::int64_t n = v.form == trace::Form::splat ? 1 : v.shape.product(), stride = std::max<std::int64_t>(1, n / 65536);
  for (std::int64_t i = 0; i < n; i += stride) {
    const double x = trace::element_as_double(v, i);
    if (std::isfinite(x)) r.low = std::min(r.low, x), r.high = std::max(r.high, x);
  }
  return r;
}

}  // namespace

Drawing draw_block(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const trace::RecordedProgram& p = session.program();
  const debug::ProgramView& view = session.view();
  const std::uint32_t now = session.now().step;
  Sheet sheet("block", fmt::format("What {} holds before step {}", program_text(session.launch(), p.id), now),
              "Each variable lane by lane: the small numbers are lanes. Numbers without a unit are elements (offsets) or plain values.", canvas);
  Table table{"variables", {"name", "type", "value"}, {}};
  const float left = sheet.left() + 118, inner = sheet.right() - left;
  float y = sheet.y;
  bool has_mask = false, has_colours = false, is_new_shown = false;
  const float bottom = sheet.y + sheet.room();
  int hidden = 0;
  for (const debug::Variable* variable : view.locals(now, session.frame())) {
    const std::int32_t index = view.value_at(*variable, now);
    if (index < 0) continue;
    const RecordedValue& v = p.values[static_cast<std::size_t>(index)];
    const std::string type = debug::type_text(v.dtype, v.shape.span());
    if (!v.is_kept()) {
      table.rows.push_back({variable->name, type, "not recorded"});
      continue;
    }
    table.rows.push_back({variable->name, type, debug::elements_text(v, session.launch())});
    const bool is_new = std::any_of(variable->values.begin(), variable->values.end(), [&](const auto& at) { return at.first == now && at.second == index; });
    const trace::RecordedAccess* const access = access_of(p, index, now);
    const int rank = v.shape.rank;
    const std::int64_t columns = rank == 0 ? 1 : v.shape[rank - 1], rows = std::max<std::int64_t>(1, rank == 0 ? 1 : v.shape.product() / std::max<std::int64_t>(1, columns));
    // As many lanes as can be read; the rest is told by a count.
    const float cell = rows == 1 ? 44.f : 34.f;
    const auto fit = static_cast<std::int64_t>((inner - 30) / cell);
    const bool as_picture = columns > fit || rows > 8;
    if (y > bottom - 40) {
      ++hidden;
      continue;
    }
    Shape& name = sheet.text(sheet.left(), y + 16, fitted(variable->name, 108, 13, true), 13, Align::left, {Role::ink});
    name.is_mono = true, name.is_bold = is_new;
    name.id = "variable/" + variable->name;
    sheet.text(sheet.left(), y + 30, fitted(v.tensor >= 0 ? fmt::format("into {}", session.launch().tensors[static_cast<std::size_t>(v.tensor)].name) : type, 112, 10.5f), 10.5f, Align::left, {Role::soft});
    const Range range = range_of(v);
    const bool is_mask = v.dtype == DType::int1;
    const auto look = [&](Shape& s, std::int64_t lane) {
      const bool off = is_mask ? trace::element_as_int(v, lane) == 0 : access && !access->is_active(lane);
      const double x = trace::element_as_double(v, lane);
      if (as_picture && !is_mask && !off) {
        s.fill = magnitude(range.high > range.low ? (x - range.low) / (range.high - range.low) : 0.5);
        has_colours = true;
      }
      if (off) s.hatch = Hatch::single, s.fill = {Role::surface}, has_mask = true;
      s.tooltip = fmt::format("{}[{}] = {}{}", variable->name, lane, value_text(v, lane), off && !is_mask ? " (masked off)" : "");
      s.about.launch = p.launch;
      s.about.program = linear_id(session.launch(), p.id);
      if (rank > 0) s.about.lane = lane;
    };
    if (is_new) sheet.rect(sheet.left() - 6, y - 2, sheet.inner() + 12, 1, {Role::current}).h = as_picture ? std::min<float>(static_cast<float>(rows), 8) * 12 + 24 : static_cast<float>(rows) * 24 + 20, sheet.drawing.shapes.back().layer = Layer::ground, is_new_shown = true;
    if (!as_picture) {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::int64_t lane = r * columns + c;
          const std::string text = value_text(v, lane);
          Shape& s = sheet.rect(left + static_cast<float>(c) * cell, y + static_cast<float>(r) * 24 + 2, cell, 22, {is_mask && trace::element_as_int(v, lane) ? Role::good : Role::surface, 0, 0, is_mask ? 0.35f : 1.f},
                                fmt::format("value/{}/{}", variable->name, lane));
          s.stroke = {Role::faint};
          s.ink = {Role::ink};
          s.is_mono = true;
          s.size = text_width(text, 12, true) < cell - 3 ? 12 : text_width(text, 10, true) < cell - 3 ? 10 : 8;
          s.text = fitted(text, cell - 2, s.size, true);
          look(s, lane);
        }
      if (rank > 0)
        for (std::int64_t c = 0; c < columns; ++c) sheet.text(left + (static_cast<float>(c) + 0.5f) * cell, y + static_cast<float>(rows) * 24 + 12, fmt::format("{}", c), 9, Align::centre, {Role::soft});
      y += static_cast<float>(rows) * 24 + (rank > 0 ? 22.f : 14.f);
      continue;
    }
    // Too many lanes for numbers: a strip or field of colours, several lanes a cell where they must share.
    const std::int64_t shown_columns = std::min<std::int64_t>(columns, static_cast<std::int64_t>(inner / 4)), shown_rows = std::min<std::int64_t>(rows, 16);
    const float w = std::min(14.f, inner / static_cast<float>(shown_columns)), h = rows == 1 ? 22.f : std::max(6.f, std::min(w, 10.f));
    for (std::int64_t r = 0; r < shown_rows; ++r)
      for (std::int64_t c = 0; c < shown_columns; ++c) {
        const std::int64_t row = r * rows / shown_rows, column = c * columns / shown_columns, lane = row * columns + column;
        Shape& s = sheet.rect(left + static_cast<float>(c) * w, y + 2 + static_cast<float>(r) * h, w, h, {is_mask ? Role::good : Role::surface, 0, 0, is_mask ? 0.5f : 1.f}, fmt::format("value/{}/{}", variable->name, lane));
        look(s, lane);
      }
    const std::string scale = is_mask ? fmt::format("lanes 0..{}", v.shape.product() - 1) : fmt::format("lanes 0..{}: {} (dark) to {} (bright){}", v.shape.product() - 1, short_number(range.low, is_whole(v)), short_number(range.high, is_whole(v)),
                                                    shown_columns < columns || shown_rows < rows ? fmt::format("; every {} lane is shown", shown_columns < columns ? fmt::format("{}th", (columns + shown_columns - 1) / shown_columns) : "second") : "");
    y += static_cast<float>(shown_rows) * h + 16;
    sheet.text(left, y, scale, 10.5f, Align::left, {Role::soft});
    y += 12;
  }
  if (table.rows.empty()) {
    sheet.text(sheet.left(), y + 16, "no variable has a value yet", 13, Align::left, {Role::soft});
    y += 24;
  }
  sheet.y = y;
  if (hidden > 0) sheet.drawing.facts.push_back(fmt::format("{} more variable{} in the text form", hidden, hidden == 1 ? " is" : "s are"));
  if (has_mask) sheet.legend({"masked off, or False", {Role::surface}, Hatch::single});
  if (has_colours) sheet.legend({"small", magnitude(0)}), sheet.legend({"large", magnitude(1)});
  if (is_new_shown) sheet.legend({"made by the last step", {Role::current}});
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
