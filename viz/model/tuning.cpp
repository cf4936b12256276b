// The configs of a kernel as dots: the model's time of each, beside what was measured; a click takes a config's
// settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/model/panel.h"
#include "viz/model/plot.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

struct TuningPicture {
  const TuningRun& run;
  std::vector<const TuningDot*> dots;  // the fastest by the model first
  bool is_measured = false;            // then the dots stand over the model's times, else in the order of these
  double low_x = INFINITY, high_x = 0, low_y = INFINITY, high_y = 0;
  float left = 0, right = 0, top = 0, bottom = 0;
  Sheet sheet;

  TuningPicture(const TuningRun& r, const Canvas& canvas)
      : run(r),
        sheet("tuning", fmt::format("{} configs for {}", r.dots.size(), r.key),
              r.measured_on.empty() ? "A dot is a config, from the fastest by the model on; a click takes its settings."
                                    : "A dot is a config: the model's time below, what was measured on the left (" +
                                          r.measured_on + "); a click takes its settings.",
              canvas) {
    for (const TuningDot& d : run.dots)
      if (std::isfinite(d.model_ms)) {
        dots.push_back(&d);
        is_measured |= std::isfinite(d.measured_ms);
      }
    std::ranges::sort(dots, {}, [](const TuningDot* d) { return d->model_ms; });
  }

  bool is_placed(std::size_t i) const { return !is_measured || std::isfinite(dots[i]->measured_ms); }

  double x_value(std::size_t i) const { return is_measured ? dots[i]->model_ms : static_cast<double>(i + 1); }
  double y_value(std::size_t i) const { return is_measured ? dots[i]->measured_ms : dots[i]->model_ms; }
  float at(double v, double low, double high, float from, float to) const {
    return from + (to - from) * static_cast<float>(std::log(v / low) / std::log(high / low));
  }
  float x_of(double v) const {
    if (is_measured) return at(v, low_x, high_x, left, right);
    return left + (right - left) * static_cast<float>(v / (static_cast<double>(dots.size()) + 1));
  }
  float y_of(double v) const { return at(v, low_y, high_y, bottom, top); }

  static std::string model_text(const TuningDot& d) { return (d.is_least ? "> " : "") + report::time_text(d.model_ms); }

  void find_bounds() {
    for (std::size_t i = 0; i < dots.size(); ++i) {
      low_x = std::min(low_x, x_value(i));
      high_x = std::max(high_x, x_value(i));
      if (is_placed(i)) {
        low_y = std::min(low_y, y_value(i));
        high_y = std::max(high_y, y_value(i));
      }
    }
    if (is_measured) {
      low_x = low_y = std::min(low_x, low_y);
      high_x = high_y = std::max(high_x, high_y);
    }
    low_x /= 1.2;
    low_y /= 1.2;
    high_x *= 1.2;
    high_y *= 1.2;
    left = sheet.left() + 76;
    right = sheet.right() - 8;
    top = sheet.y + 24;
    bottom = sheet.y + sheet.room() - 44;
  }

  void draw_axes() {
    float last = INFINITY;  // no number stands on another
    for (const double t : log_ticks(low_y, high_y, 10, 8)) {
      if (t < low_y || t > high_y) continue;
      sheet.line(left, y_of(t), right, y_of(t), {Role::faint});
      if (last - y_of(t) < 14) continue;
      sheet.note(left - 6, (last = y_of(t)) + 4, report::time_text(t), 13, Align::right);
    }
    sheet.note(sheet.left(), top - 10, is_measured ? "measured" : "time (model)", 13);
    if (is_measured) {
      last = -INFINITY;
      for (const double t : log_ticks(low_x, high_x, 10, 8)) {
        if (t < low_x || t > high_x) continue;
        sheet.line(x_of(t), top, x_of(t), bottom, {Role::faint});
        if (x_of(t) - last < text_width(report::time_text(t), 13) + 8) continue;
        sheet.note(last = x_of(t), bottom + 17, report::time_text(t), 13, Align::centre);
      }
      sheet.line(x_of(low_x), y_of(low_x), x_of(high_x), y_of(high_x), {Role::soft}, 1.5f).is_dashed = true;
      sheet.legend({"as the model says", {Role::soft}, Hatch::none, Kind::line, {Role::soft}});
    }
    sheet.note((left + right) / 2, bottom + 36, is_measured ? "time (model)" : "rank by the model", 13, Align::centre);
  }

  void draw_dots() {
    std::map<std::string, int> colours;  // by the limit
    Table table{"the configs, the fastest by the model first",
                {"config", "model", "measured", "waves", "programs an SM", "limited by"},
                {}};
    for (std::size_t i = 0; i < dots.size(); ++i) {
      const TuningDot& d = *dots[i];
      const int colour = colours.try_emplace(d.limited_by, static_cast<int>(colours.size())).first->second;
      const float size = d.is_open || d.is_winner ? 14 : 10;
      // What was not measured stands hollow on the axis.
      const float y = is_placed(i) ? y_of(y_value(i)) : bottom;
      const Colour fill = is_placed(i) ? category(colour) : Colour{Role::surface},
                   stroke = is_placed(i) ? Colour{} : category(colour);
      const bool points_up = d.is_least && !is_measured;
      Shape& s = sheet.mark(points_up ? Kind::up_triangle : Kind::rect, x_of(x_value(i)) - size / 2, y - size / 2, size,
                            size, fill, "tuning/" + d.text());
      s.stroke = d.is_open ? Colour{Role::ink} : stroke, s.stroke_width = d.is_open ? 2.5f : 1.5f;
      const std::string measured = std::isfinite(d.measured_ms) ? report::time_text(d.measured_ms) : "";
      const std::string waves = d.is_least ? "-" : fmt::format("{:.2f}", d.waves);
      s.tooltip = fmt::format("{}{}\n{} (model){}\n{} waves, {} an SM, {}", d.text(),
                              d.is_open     ? ": open"
                              : d.is_winner ? ": the winner that tune kept"
                                            : "",
                              model_text(d), measured.empty() ? "" : ", " + measured + " measured", waves,
                              plural(d.ctas_per_sm, "program"), d.limit_text());
      s.takes = d.config;
      if (!is_placed(i)) sheet.legend({"not measured", {Role::surface}, Hatch::none, Kind::rect, {Role::soft}});
      sheet.legend({d.limit_text(), category(colour)});
      if (points_up)
        sheet.legend({"takes at least that long", {Role::soft}, Hatch::none, Kind::up_triangle, {Role::soft}});
      table.rows.push_back({d.text(), model_text(d), measured, waves, fmt::format("{}", d.ctas_per_sm), d.limited_by});
    }
    sheet.table(std::move(table));
  }

  void draw() {
    find_bounds();
    draw_axes();
    draw_dots();
    sheet.y = bottom + 48;
    const TuningDot& best = *dots.front();
    sheet.fact(fmt::format("the fastest by the model: {}, {} (model), limited by {}", best.text(),
                           report::time_text(best.model_ms), best.limited_by));
    if (is_measured) {
      const TuningDot& won = **std::ranges::min_element(
          dots, {}, [](const TuningDot* d) { return std::isfinite(d->measured_ms) ? d->measured_ms : INFINITY; });
      sheet.fact(fmt::format("the fastest measured: {}, {}", won.text(), report::time_text(won.measured_ms)) +
                 (std::isfinite(best.measured_ms)
                      ? fmt::format("; the model's first took {:.2f} times as long", best.measured_ms / won.measured_ms)
                      : "; the model's first was not measured"));
    } else {
      sheet.fact("nothing was measured at these sizes: `tilescope tune` with --device cuda does");
    }
    if (const auto cut = std::ranges::count_if(dots, [](const TuningDot* d) { return d->is_least; }))
      sheet.fact(fmt::format("{} more than twice as long and {} followed no further: the time of {} is the least (>)",
                             plural(cut, "config") + (cut > 1 ? " take" : " takes"), cut > 1 ? "were" : "was",
                             cut > 1 ? "each" : "it"));
    if (!run.refused.empty())
      sheet.fact(fmt::format("{} refused: {}", plural(static_cast<std::int64_t>(run.refused.size()), "config"),
                             run.refused.front()));
  }
};

}  // namespace

std::string missing_tuning(Scene& scene) {
  if (!scene.tuning) return scene.no_tuning.empty() ? "the configs are not ranked yet" : scene.no_tuning;
  if (std::ranges::none_of(scene.tuning->dots, [](const TuningDot& d) { return std::isfinite(d.model_ms); }))
    return "no config of this kernel can be launched" +
           (scene.tuning->refused.empty() ? std::string() : ": " + scene.tuning->refused.front());
  return "";
}

Drawing draw_tuning(Scene& scene, const Canvas& canvas) {
  TuningPicture picture(*scene.tuning, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
