// Outcomes side by side: each one's output, its error as a fraction of the tolerance, and the times, measured and
// modelled kept apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/lang/text.h"
#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

constexpr int levels = 32;
constexpr float axis_room = 34, axis_top = 46, gap = 26;

const Outcome* reference_of(const Scene& scene) {
  for (const Outcome& o : scene.outcomes)
    if (o.name == "reference" && !o.values.empty()) return &o;
  return nullptr;
}

std::string time_text(double ms) {
  return ms >= 1000 ? fmt::format("{:.2f} s", ms / 1000)
         : ms >= 1  ? fmt::format("{:.2f} ms", ms)
                    : fmt::format("{:.2f} us", ms * 1000);
}

// Where the pictures of each outcome go: its values, and its error in the same line, beneath, or beside.
enum class Arrangement : unsigned char { one_line, errors_beneath, errors_beside };

// How the compared tensor is arranged in cells, and where its pictures stand: the arrangement with the largest cells.
struct Layout {
  std::int64_t elems = 1, rows = 1, columns = 1;
  float planes_room = 0;  // for their names, where there are more than two axes
  Arrangement arrangement = Arrangement::one_line;
  int lines = 1;
  float left = 0, top = 0, width = 0, height = 0;  // of a picture's cells

  // The outcome's values or error; the reference is outcome 0.
  Point place(int outcome, bool is_error) const {
    const int second = is_error ? 1 : 0;
    const int column = arrangement == Arrangement::one_line         ? std::max(0, 2 * outcome - 1 + second)
                       : arrangement == Arrangement::errors_beneath ? outcome
                                                                    : second;
    const int line = arrangement == Arrangement::one_line         ? 0
                     : arrangement == Arrangement::errors_beneath ? second
                                                                  : outcome;
    return {left + axis_room + static_cast<float>(column) * (width + axis_room + planes_room + gap),
            top + axis_top + static_cast<float>(line) * (height + axis_top + 14)};
  }
};

Layout layout_of(const Scene& scene, const Sheet& sheet, int outcomes, bool has_errors, float room) {
  Layout l;
  for (const std::int64_t extent : scene.output_shape) l.elems *= extent;
  l.columns = scene.output_shape.empty() ? 1 : std::max<std::int64_t>(1, scene.output_shape.back());
  if (scene.output_shape.size() < 2) {
    l.columns = std::min<std::int64_t>(l.elems, 16);
    while (l.columns * l.columns < 2 * l.elems && l.columns < 1024) l.columns *= 2;
    l.columns = std::clamp<std::int64_t>(l.columns, 1, std::max<std::int64_t>(1, l.elems));
  }
  l.rows = std::max<std::int64_t>(1, (l.elems + l.columns - 1) / l.columns);
  l.left = sheet.left();
  l.top = sheet.y;
  if (scene.output_shape.size() > 2) l.planes_room = 50;
  float best = 0;
  // Among equals the first: the most in a line.
  for (const Arrangement a : {Arrangement::one_line, Arrangement::errors_beneath, Arrangement::errors_beside}) {
    if (!has_errors && a != Arrangement::errors_beneath) continue;
    const int a_line = a == Arrangement::one_line         ? 2 * outcomes - 1
                       : a == Arrangement::errors_beneath ? std::max(1, outcomes)
                                                          : 2;
    const int lines = a == Arrangement::one_line || !has_errors ? 1 : a == Arrangement::errors_beneath ? 2 : outcomes;
    const float width = (sheet.inner() + gap) / static_cast<float>(a_line) - gap - axis_room - l.planes_room,
                height = std::max(72.f, room / static_cast<float>(lines) - axis_top - 14);
    const float cell = std::min({34.f, width / static_cast<float>(l.columns), height / static_cast<float>(l.rows)});
    if (cell > best * 1.01f) {
      best = cell;
      l.arrangement = a;
      l.lines = lines;
      l.width = width;
      l.height = std::min(height, std::max(24.f, cell * static_cast<float>(l.rows)));
    }
  }
  return l;
}

Field field_of(const Scene& scene, const Layout& l, Point at) {
  Field f;
  f.rows = l.rows;
  f.columns = l.columns;
  f.row_stride = l.columns;
  f.name = scene.output;
  f.states.push_back({{Role::none}, ""});
  f.x = at.x;
  f.y = at.y;
  f.width = l.width;
  f.height = l.height;
  f.largest_cell = 34;
  f.least_side = 64;
  return f;
}

// out[1, 0, 3]; of a vector out[3].
std::string element_name(const Scene& scene, std::int64_t i) {
  std::string index;
  for (std::size_t d = scene.output_shape.size(); d-- > 0; i /= std::max<std::int64_t>(1, scene.output_shape[d]))
    index =
        fmt::format("{}{}{}", i % std::max<std::int64_t>(1, scene.output_shape[d]), index.empty() ? "" : ", ", index);
  return fmt::format("{}[{}]", scene.output, index.empty() ? fmt::format("{}", i) : index);
}

void finish_picture(Sheet& sheet, const Scene& scene, const Field& f, const FieldPainter& painter,
                    const std::string& title, const std::string& subtitle, const Colour& ink, const std::string& id) {
  const std::int64_t plane = rows_of_plane(scene.output_shape, f.rows);
  // A vector wraps: its rows begin with the element that they are named by.
  painter.draw_axes(
      sheet,
      [&](std::int64_t r) {
        return scene.output_shape.size() < 2 ? count_text(r * f.columns) : fmt::format("{}", r % plane);
      },
      plane);
  painter.draw_planes(sheet, scene.output, scene.output_shape);
  painter.draw_frame(sheet, true);
  Shape& name = sheet.text(f.x, f.y - 32, title, 12.5f);
  name.is_bold = true;
  Shape& verdict = sheet.text(f.x, f.y - 18, fitted(subtitle, std::min(f.width + gap, sheet.right() - f.x), least_text),
                              10.5f, Align::left, ink);
  verdict.id = id;
  verdict.tooltip = subtitle;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
};

void draw_values(Sheet& sheet, const Scene& scene, const Layout& l, Point at, const Outcome& o, const Range& range) {
  Field f = field_of(scene, l, at);
  for (int i = 0; i < levels; ++i)
    f.states.push_back(
        {magnitude(i / (levels - 1.0)),
         range.high > range.low
             ? fmt::format("about {}", short_number(range.low + (range.high - range.low) * i / (levels - 1), false))
             : "a value"});
  f.states.push_back({{Role::fault}, "nan or inf"});
  FieldPainter painter(f);
  const auto n = std::min<std::int64_t>(l.elems, static_cast<std::int64_t>(o.values.size()));
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = o.values[i], level = range.high > range.low ? (v - range.low) / (range.high - range.low) : 0.5;
    painter.set_cell(i, 1,
                     std::isfinite(v) ? static_cast<unsigned char>(
                                            1 + std::clamp(static_cast<int>(level * (levels - 1) + 0.5), 0, levels - 1))
                                      : static_cast<unsigned char>(levels + 1));
  }
  painter.draw(sheet, "output/" + o.name, [&](Shape& s, std::int64_t r, std::int64_t c) {
    const std::int64_t i = r * l.columns + c;
    if (i >= n) return;
    s.stroke = {};
    const double value = o.values[i];
    if (painter.cell() >= 20 && painter.cell_height() >= 14) {
      s.size = least_text;
      s.is_mono = true;
      s.text = number_in(painter.cell() - 2, value, false, s.size);
    }
    s.tooltip = fmt::format("{} = {}", element_name(scene, i), exact_number(value));
  });
  finish_picture(sheet, scene, f, painter, o.name + (o.is_model ? " (model)" : ""), "", {Role::soft}, "");
}

struct Errors {
  std::int64_t wrong = 0;
  double worst = 0, worst_fraction = 0;
};

// Fraction of the tolerance: 0 equal, up to 1 right.
Errors draw_errors(Sheet& sheet, const Scene& scene, const Layout& l, Point at, const Outcome& o,
                   const Outcome& reference) {
  Field f = field_of(scene, l, at);
  f.name = "error of " + scene.output;
  f.states.push_back({{Role::surface}, "equal to the reference"});
  for (int i = 1; i <= levels; ++i)
    f.states.push_back({{Role::difference, 0, 0.12f + 0.88f * static_cast<float>(i) / levels},
                        fmt::format("right: about {} % of the tolerance", 100 * i / levels)});
  constexpr unsigned char is_wrong = levels + 2;
  f.states.push_back({{Role::fault}, "wrong"});
  FieldPainter painter(f);
  Errors errors;
  const Outcome& by = o.allowed_absolute + o.allowed_relative > 0 ? o : reference;
  const auto n = std::min(o.values.size(), reference.values.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double expected = reference.values[i],
                 error = o.values[i] == expected || (std::isnan(o.values[i]) && std::isnan(expected))
                             ? 0
                             : std::abs(o.values[i] - expected);
    const double allowed = by.allowed_absolute + by.allowed_relative * std::abs(expected);
    unsigned char state = 1;
    if (error != 0 && !(error <= allowed)) {
      state = is_wrong;
      ++errors.wrong;
    } else if (error > 0) {
      state =
          static_cast<unsigned char>(1 + std::clamp(static_cast<int>(std::ceil(error / allowed * levels)), 1, levels));
      errors.worst_fraction = std::max(errors.worst_fraction, error / allowed);
    }
    errors.worst = std::isfinite(error) ? std::max(errors.worst, error) : INFINITY;
    painter.set_cell(static_cast<std::int64_t>(i), 1, state);
  }
  painter.draw(sheet, "error/" + o.name, [&](Shape& s, std::int64_t r, std::int64_t c) {
    const std::int64_t i = r * l.columns + c;
    if (i >= static_cast<std::int64_t>(n)) return;
    const auto e = static_cast<std::size_t>(i);
    s.tooltip = fmt::format("{}: {}, the reference says {}", element_name(scene, i), exact_number(o.values[e]),
                            exact_number(reference.values[e]));
    if (painter.state(r, c) != is_wrong || painter.cell() < 8) return;
    const float size = std::min(10.f, painter.cell() - 4);
    const About about = s.about;
    const std::string tooltip = s.tooltip;
    Shape& cross = sheet.mark(Kind::cross, painter.x_of(c) + (painter.cell() - size) / 2,
                              painter.y_of(r) + (painter.cell_height() - size) / 2, size, size, {Role::contrast},
                              fmt::format("wrong/{}", i));
    cross.stroke = {Role::paper};
    cross.about = about;
    cross.tooltip = tooltip;
  });
  const std::string verdict =
      errors.wrong
          ? fmt::format("{} of {} elements wrong", count_text(errors.wrong), count_text(static_cast<std::int64_t>(n)))
      : errors.worst == 0 ? "right: equal everywhere"
                          : fmt::format("right: {:.0f} % of the allowed", std::ceil(100 * errors.worst_fraction));
  finish_picture(sheet, scene, f, painter, "error of " + o.name, verdict, {errors.wrong ? Role::fault : Role::good},
                 "verdict/" + o.name);
  return errors;
}

void draw_times(Sheet& sheet, const Scene& scene) {
  double most = 0;
  for (const Outcome& o : scene.outcomes) most = std::max(most, o.ms);
  for (const Outcome& o : scene.outcomes) {
    if (o.ms <= 0) continue;
    const float label = 190, width = std::max(60.f, sheet.inner() - label - 280);
    sheet.text(sheet.left(), sheet.y + 14, fitted(o.name, label - 8, 12), 12);
    Shape& bar = sheet.rect(sheet.left() + label, sheet.y + 3, std::max(2.f, width * static_cast<float>(o.ms / most)),
                            15, {o.is_model ? Role::model : Role::soft}, "time/" + o.name);
    bar.tooltip = fmt::format("{}: {}{}", o.name, time_text(o.ms), o.note.empty() ? "" : ", " + o.note);
    if (o.is_model) bar.hatch = Hatch::single;
    const float x = bar.x + bar.w + 8;
    sheet.note(x, sheet.y + 15,
               fitted(time_text(o.ms) + (o.is_model ? " (model)" : "") + (o.note.empty() ? "" : ", " + o.note),
                      sheet.right() - x, 11),
               11);
    sheet.y += 24;
  }
}

}  // namespace

std::string missing_compare(Scene& scene) {
  return scene.outcomes.empty() ? "nothing was run beside this recording to compare it with" : "";
}

Drawing draw_compare(Scene& scene, const Canvas& canvas) {
  const Outcome* const reference = reference_of(scene);
  const std::int64_t launches = std::ssize(scene.session.trace().launches);
  Sheet sheet("compare",
              fmt::format("{} of {}, by each executor", scene.output,
                          launches > 1 ? plural(launches, "kernel") : short_name(scene.session.launch().kernel)),
              "The output in its shape, a cell an element; then its error against the reference, which is computed in "
              "double precision. Beneath: times.",
              canvas);
  Range range;
  if (reference)
    for (const double v : reference->values)
      if (std::isfinite(v)) {
        range.low = std::min(range.low, v);
        range.high = std::max(range.high, v);
      }
  int pictured = 0, times = 0, notes = 0;
  for (const Outcome& o : scene.outcomes) {
    pictured += o.values.empty() ? 0 : 1;
    o.ms > 0 ? ++times : ++notes;
  }
  const Layout layout =
      layout_of(scene, sheet, pictured, reference && pictured > 1,
                sheet.room() - static_cast<float>(times) * 24 - static_cast<float>(std::min(notes, 5)) * 18 - 10);
  Table table{"outcomes", {"who", "time", "elements wrong", "largest error", "note"}, {}};
  bool has_wrong = false, has_error = false;
  int place = 0;
  if (reference) draw_values(sheet, scene, layout, layout.place(place++, false), *reference, range);
  for (const Outcome& o : scene.outcomes) {
    const bool has_picture = &o != reference && !o.values.empty(), compared = reference && has_picture;
    Errors errors;
    if (has_picture) draw_values(sheet, scene, layout, layout.place(place, false), o, range);
    if (compared) errors = draw_errors(sheet, scene, layout, layout.place(place, true), o, *reference);
    place += has_picture ? 1 : 0;
    has_wrong |= errors.wrong > 0, has_error |= compared && errors.worst > 0;
    table.rows.push_back({o.name, o.ms > 0 ? time_text(o.ms) + (o.is_model ? " (model)" : "") : "not timed",
                          compared ? count_text(errors.wrong) : "", compared ? short_number(errors.worst, false) : "",
                          o.note});
  }
  if (pictured > 0) sheet.y = layout.top + static_cast<float>(layout.lines) * (layout.height + axis_top + 14);
  draw_times(sheet, scene);
  int notes_stated = 0;
  for (const Outcome& o : scene.outcomes)
    if (o.ms <= 0 && !o.note.empty() && &o != reference && notes_stated++ < 4) sheet.fact(o.name + ": " + o.note);
  if (reference) {
    if (reference->allowed_absolute > 0 || reference->allowed_relative > 0)
      sheet.fact(fmt::format("allowed: an error of {} and {} of the value, as its rounding can amount to",
                             short_number(reference->allowed_absolute, false),
                             short_number(reference->allowed_relative, false)));
    if (range.low < range.high) {
      sheet.legend({fmt::format("{}, the reference's smallest", short_number(range.low, false)), magnitude(0)});
      sheet.legend({fmt::format("{}, its largest", short_number(range.high, false)), magnitude(1)});
    }
    sheet.legend({"error 0: equal", {Role::surface}});
    if (has_error && reference->allowed_absolute + reference->allowed_relative > 0)
      sheet.legend({"all that is allowed", {Role::difference, 0, 1}});
  }
  if (std::ranges::any_of(scene.outcomes, [](const Outcome& o) {
        return std::ranges::any_of(o.values, [](double v) { return !std::isfinite(v); });
      }))
    sheet.legend({"nan or inf", {Role::fault}});
  if (has_wrong) sheet.legend({"wrong: off by more", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  if (times > 0) sheet.legend({"measured time", {Role::soft}});
  if (!scene.no_gpu.empty()) sheet.fact(scene.no_gpu);
  sheet.table(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
