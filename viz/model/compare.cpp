// Outcomes side by side: each one's output, its error against the reference, and the times, measured and modelled kept apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

const Outcome* reference_of(const Scene& scene) {
  for (const Outcome& o : scene.outcomes)
    if (o.name == "reference" && !o.values.empty()) return &o;
  return nullptr;
}

std::string time_text(double ms) { return ms >= 1000 ? fmt::format("{:.2f} s", ms / 1000) : ms >= 1 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.2f} us", ms * 1000); }

}  // namespace

std::string missing_compare(Scene& scene) { return scene.outcomes.empty() ? "nothing was run beside this recording to compare it with" : ""; }

Drawing draw_compare(Scene& scene, const Canvas& canvas) {
  const Outcome* const reference = reference_of(scene);
  Sheet sheet("compare", fmt::format("{} of {}, by each executor", scene.output, debug::short_name(scene.session.launch().kernel)),
              "Left: the output, dark small and bright large. Right: its error against the reference in double precision, a cross where it is wrong. Beneath: times.", canvas);
  std::int64_t columns = scene.output_shape.empty() ? 1 : scene.output_shape.back();
  std::int64_t elems = 1;
  for (const std::int64_t extent : scene.output_shape) elems *= extent;
  if (scene.output_shape.size() < 2) {
    columns = std::min<std::int64_t>(elems, 16);
    while (columns * columns < 4 * elems && columns < 1024) columns *= 2;
    columns = std::min(columns, std::max<std::int64_t>(1, elems));
  }
  const std::int64_t rows = std::max<std::int64_t>(1, (elems + columns - 1) / columns);
  double low = INFINITY, high = -INFINITY;
  if (reference)
    for (const double v : reference->values)
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  int pictures = 0, times = 0;
  for (const Outcome& o : scene.outcomes) pictures += o.values.empty() ? 0 : 1, times += o.ms > 0 ? 1 : 0;
  const float height = std::max(56.f, (sheet.room() - static_cast<float>(times) * 26 - 20) / static_cast<float>(std::max(1, pictures)) - 30), half = (sheet.inner() - 24) / 2;
  Table table{"outcomes", {"who", "time", "elements wrong", "largest error", "note"}, {}};
  constexpr int levels = 32;
  bool has_wrong = false;
  for (const Outcome& o : scene.outcomes) {
    std::int64_t wrong = 0;
    double worst = 0;
    if (!o.values.empty()) {
      const bool is_reference = &o == reference;
      Shape& name = sheet.text(sheet.left(), sheet.y + 13, o.name + (o.is_model ? " (model)" : ""), 13, Align::left, {o.is_model ? Role::model : Role::ink});
      name.is_bold = true;
      Field f;
      f.rows = rows, f.columns = columns;
      f.row_stride = columns;
      f.name = scene.output;
      f.states.push_back({{Role::none}, ""});
      for (int l = 0; l < levels; ++l) f.states.push_back({magnitude(static_cast<double>(l) / (levels - 1)), high > low ? fmt::format("about {}", short_number(low + (high - low) * l / (levels - 1), false)) : "a value"});
      f.states.push_back({{Role::fault}, "nan or inf"});
      f.x = sheet.left(), f.y = sheet.y + 20, f.width = half, f.height = height;
      f.largest_cell = 34;
      FieldPainter values(f);
      const auto n = std::min<std::int64_t>(elems, static_cast<std::int64_t>(o.values.size()));
      for (std::int64_t i = 0; i < n; ++i) {
        const double v = o.values[static_cast<std::size_t>(i)];
        const double level = high > low ? (v - low) / (high - low) : 0.5;
        values.set_cell(i, 1, std::isfinite(v) ? static_cast<unsigned char>(1 + std::clamp(static_cast<int>(level * (levels - 1) + 0.5), 0, levels - 1)) : levels + 1);
      }
      values.draw(sheet, "output/" + o.name, [&](Shape& s, std::int64_t r, std::int64_t c) {
        const std::int64_t i = r * columns + c;
        if (i >= n) return;
        s.stroke = {};
        const std::string text = short_number(o.values[static_cast<std::size_t>(i)], false);
        if (text_width(text, 10) < values.cell() - 3 && values.cell_height() >= 14) s.text = text, s.size = 10;
        s.tooltip = fmt::format("{}[{}] = {}", scene.output, i, short_number(o.values[static_cast<std::size_t>(i)], false));
      });
      if (reference && !is_reference) {
        double scale = 0;
        for (const double v : reference->values) scale = std::max(scale, std::abs(v));
        f.x = sheet.left() + half + 24;
        f.name = "error of " + scene.output;
        f.states = {{{Role::none}, ""}, {{Role::surface}, "right to 1e-6 of the largest value"}, {{Role::difference, 0, 0.4f}, "off by up to 1e-2 of the largest value"}, {{Role::fault}, "off by more, or never written"}};
        FieldPainter errors(f);
        for (std::int64_t i = 0; i < n; ++i) {
          const double e = std::abs(o.values[static_cast<std::size_t>(i)] - reference->values[static_cast<std::size_t>(i)]);
          const unsigned char state = !(e <= 1e-2 * scale) ? 3 : e > 1e-6 * scale ? 2 : 1;
          if (std::isfinite(e)) worst = std::max(worst, e);
          else worst = INFINITY;
          wrong += state == 3;
          errors.set_cell(i, 1, state);
        }
        errors.draw(sheet, "error/" + o.name, [&](Shape& s, std::int64_t r, std::int64_t c) {
          const std::int64_t i = r * columns + c;
          if (i >= n) return;
          s.tooltip = fmt::format("{}[{}]: {} beside {} of the reference", scene.output, i, short_number(o.values[static_cast<std::size_t>(i)], false), short_number(reference->values[static_cast<std::size_t>(i)], false));
          if (errors.state(r, c) == 3 && errors.cell() >= 8) {
            const float size = std::min(10.f, errors.cell() - 4);
            const About about = s.about;
            const std::string tooltip = s.tooltip;
            Shape& cross = sheet.mark(Kind::cross, errors.x_of(c) + (errors.cell() - size) / 2, errors.y_of(r) + (errors.cell_height() - size) / 2, size, size, {Role::contrast}, fmt::format("wrong/{}", i));
            cross.stroke = {Role::paper};
            cross.about = about, cross.tooltip = tooltip;
          }
        });
        has_wrong |= wrong > 0;
        Shape& verdict = sheet.text(sheet.left() + half + 24, sheet.y + 13, wrong ? fmt::format("{} of {} elements wrong", grouped(wrong), grouped(n)) : fmt::format("right; largest error {}", short_number(worst, false)), 12, Align::left, {wrong ? Role::fault : Role::good});
        verdict.id = "verdict/" + o.name;
      }
      sheet.y += 20 + values.height() + 12;
    }
    const bool compared = reference && &o != reference && !o.values.empty();
    table.rows.push_back({o.name, o.ms > 0 ? time_text(o.ms) + (o.is_model ? " (model)" : "") : "not timed", compared ? grouped(wrong) : "", compared ? short_number(worst, false) : "", o.note});
  }
  if (times > 0) {
    double most = 0;
    for (const Outcome& o : scene.outcomes) most = std::max(most, o.ms);
    sheet.y += 6;
    for (const Outcome& o : scene.outcomes) {
      if (o.ms <= 0) continue;
      const float label = 190, width = sheet.inner() - label - 260;
      sheet.text(sheet.left(), sheet.y + 14, fitted(o.name, label - 8, 12), 12);
      Shape& bar = sheet.rect(sheet.left() + label, sheet.y + 3, std::max(2.f, width * static_cast<float>(o.ms / most)), 15, {o.is_model ? Role::model : Role::load}, "time/" + o.name);
      bar.tooltip = fmt::format("{}: {}{}", o.name, time_text(o.ms), o.note.empty() ? "" : ", " + o.note);
      if (o.is_model) bar.hatch = Hatch::single;
      sheet.text(bar.x + bar.w + 8, sheet.y + 15, fitted(time_text(o.ms) + (o.is_model ? " (model)" : "") + (o.note.empty() ? "" : ", " + o.note), sheet.right() - bar.x - bar.w - 8, 11), 11, Align::left, {Role::soft});
      sheet.y += 24;
    }
    sheet.legend({"measured time", {Role::load}});
  }
  if (reference) sheet.legend({"small value", magnitude(0)}), sheet.legend({"large value", magnitude(1)}), sheet.legend({"right", {Role::surface}});
  if (has_wrong) sheet.legend({"wrong", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
