// The configs of a kernel as dots, knob by knob: which knob matters; or what was measured over the model's times. A
// click takes a config's settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include "viz/model/panel.h"
#include "viz/model/plot.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

// A knob of the configs, and a column for each of its values.
struct Knob {
  std::string name;
  std::vector<std::string> values;
  double worst = 1;  // times the best time: what the best config with its worst value takes
};

// A strip of dots: what stands to the right, and where it has its place.
struct Strip {
  float left = 0, right = 0, top = 0, bottom = 0;
};

struct TuningPicture {
  const TuningRun& run;
  std::vector<const TuningDot*> dots;  // the fastest by the model first
  bool is_measured = false;            // then what was measured counts, and the model's time where nothing was
  bool is_against = false;             // the measured times over the model's
  double low = INFINITY, high = 0;     // of the times
  std::map<std::string, int> colours;  // by the limit
  Sheet sheet;

  TuningPicture(Scene& scene, const Canvas& canvas)
      : run(*scene.tuning),
        is_measured(std::ranges::any_of(run.dots, [](const TuningDot& d) { return std::isfinite(d.measured_ms); })),
        is_against(is_measured && scene.setting("against", 0) != 0),
        sheet("tuning", fmt::format("{} configs for {}", run.dots.size(), run.key), subtitle(), canvas) {
    for (const TuningDot& d : run.dots)
      if (std::isfinite(d.model_ms)) dots.push_back(&d);
    std::ranges::sort(dots, {}, [](const TuningDot* d) { return d->model_ms; });
    if (is_measured)
      sheet.control({"against", "over the model's time", Control::Kind::toggle, 0, 1, is_against ? 1 : 0});
  }

  std::string subtitle() const {
    if (is_against)
      return fmt::format(
          "A dot is a config: the model's time below, what was measured on the left ({}). A click takes "
          "its settings.",
          run.measured_on);
    return fmt::format(
        "A dot is a config, in each knob at its value, as high as its time{}. The line goes along the "
        "fastest of each value: a steep one is a knob that matters. A click takes a config's settings.",
        is_measured ? " (filled: measured, " + run.measured_on + ")" : "");
  }

  static std::string model_text(const TuningDot& d) { return (d.is_least ? "> " : "") + report::time_text(d.model_ms); }
  double time_of(const TuningDot& d) const { return std::isfinite(d.measured_ms) ? d.measured_ms : d.model_ms; }
  bool is_known(const TuningDot& d) const { return !is_measured || std::isfinite(d.measured_ms); }

  static std::string value_of(const TuningDot& d, const std::string& knob) {
    for (const auto& [name, value] : d.config)
      if (name == knob) return value;
    return "";
  }
  double best_with(const Knob& knob, const std::string& value) const {
    double best = INFINITY;
    for (const TuningDot* d : dots)
      if (is_known(*d) && value_of(*d, knob.name) == value) best = std::min(best, time_of(*d));
    return best;
  }

  // Those of several values, first the one of which a wrong value costs most.
  std::vector<Knob> knobs() const {
    std::vector<Knob> found;
    for (const auto& entry : dots.front()->config) {
      Knob knob{entry.first, {}};
      for (const TuningDot* d : dots)
        if (const std::string value = value_of(*d, knob.name); !std::ranges::count(knob.values, value))
          knob.values.push_back(value);
      if (knob.values.size() < 2) continue;
      std::ranges::sort(knob.values, [](const std::string& a, const std::string& b) {
        return std::pair(std::atof(a.c_str()), a) < std::pair(std::atof(b.c_str()), b);
      });
      double least = INFINITY, most = 0;
      for (const std::string& value : knob.values)
        if (const double best = best_with(knob, value); std::isfinite(best)) {
          least = std::min(least, best);
          most = std::max(most, best);
        }
      knob.worst = most > 0 ? most / least : 1;
      found.push_back(std::move(knob));
    }
    std::ranges::stable_sort(found, std::greater(), &Knob::worst);
    return found;
  }

  void find_bounds() {
    for (const TuningDot* d : dots) {
      low = std::min(low, is_against ? std::min(d->model_ms, time_of(*d)) : time_of(*d));
      high = std::max(high, is_against ? std::max(d->model_ms, time_of(*d)) : time_of(*d));
    }
    low /= 1.1;
    high *= 1.1;
  }
  float part_of(double v) const { return static_cast<float>(std::log(v / low) / std::log(high / low)); }
  float y_of(const Strip& s, double v) const { return s.bottom + (s.top - s.bottom) * part_of(v); }
  float x_of(const Strip& s, double v) const { return s.left + (s.right - s.left) * part_of(v); }

  void draw_times(const Strip& s) {
    float last = INFINITY;  // no number stands on another
    for (const double t : log_ticks(low, high, 10, 8)) {
      if (t < low || t > high) continue;
      sheet.line(s.left, y_of(s, t), s.right, y_of(s, t), {Role::faint});
      if (last - y_of(s, t) < 14) continue;
      last = y_of(s, t);
      sheet.note(s.left - 6, last + 4, report::time_text(t), least_text, Align::right);
    }
  }

  Shape& draw_dot(const TuningDot& d, float x, float y, const std::string& id) {
    const int colour = colours.try_emplace(d.limited_by, static_cast<int>(colours.size())).first->second;
    const float size = d.is_open || d.is_winner ? 13 : 9;
    const bool points_up = d.is_least && !std::isfinite(d.measured_ms);
    Shape& s = sheet.mark(points_up ? Kind::up_triangle : Kind::rect, x - size / 2, y - size / 2, size, size,
                          is_known(d) ? category(colour) : Colour{Role::surface}, id);
    s.stroke = d.is_open ? Colour{Role::ink} : is_known(d) ? Colour{} : category(colour);
    s.stroke_width = d.is_open ? 2.5f : 1.5f;
    const std::string measured = std::isfinite(d.measured_ms) ? report::time_text(d.measured_ms) : "";
    s.tooltip = fmt::format("{}{}\n{} (model){}\n{} waves, {} an SM, {}", d.text(),
                            d.is_open     ? ": open"
                            : d.is_winner ? ": the winner that tune kept"
                                          : "",
                            model_text(d), measured.empty() ? "" : ", " + measured + " measured", waves_text(d),
                            plural(d.ctas_per_sm, "program"), d.limit_text());
    s.takes = d.config;
    sheet.legend({d.limit_text(), category(colour)});
    if (!is_known(d)) sheet.legend({"not measured", {Role::surface}, Hatch::none, Kind::rect, {Role::soft}});
    if (points_up)
      sheet.legend({"takes at least that long", {Role::soft}, Hatch::none, Kind::up_triangle, {Role::soft}});
    if (d.is_open) sheet.legend({"open", {}, Hatch::none, Kind::rect, {Role::ink}});
    return s;
  }
  static std::string waves_text(const TuningDot& d) { return d.is_least ? "-" : fmt::format("{:.2f}", d.waves); }

  // A strip a knob, side by side while a value's column has room for its number, else in rows.
  void draw_knobs(const std::vector<Knob>& all) {
    constexpr float least_column = 27, axis = 62, gap = 14, head = 22, foot = 20;
    const float width = sheet.inner() - axis;
    std::vector<std::vector<const Knob*>> rows(1);
    float used = 0;
    for (const Knob& knob : all) {
      const float takes = least_column * length(knob.values.size()) + gap;
      if (!rows.back().empty() && used + takes > width) {
        rows.emplace_back();
        used = 0;
      }
      rows.back().push_back(&knob);
      used += takes;
    }
    const float height = std::max(90.f, (sheet.room() - 8) / length(rows.size()));
    for (const auto& row : rows) {
      std::size_t columns = 0;
      for (const Knob* knob : row) columns += knob->values.size();
      const float column = std::min(70.f, (width - gap * length(row.size())) / length(columns));
      Strip strip{sheet.left() + axis, sheet.left() + axis, sheet.y + head, sheet.y + height - foot};
      strip.right = strip.left + column * length(columns) + gap * length(row.size() - 1);
      draw_times(strip);
      for (const Knob* knob : row) {
        strip.right = strip.left + column * length(knob->values.size());
        draw_knob(*knob, strip, column);
        strip.left = strip.right + gap;
      }
      sheet.y += height;
    }
    sheet.legend({"the fastest of each value", {Role::accent}, Hatch::none, Kind::line, {Role::accent}});
  }

  void draw_knob(const Knob& knob, const Strip& strip, float column) {
    Shape& ground = sheet.rect(strip.left, strip.top, strip.right - strip.left, strip.bottom - strip.top,
                               {Role::surface, 0, 0, 0.5f}, "knob/" + knob.name);
    ground.layer = Layer::ground;
    ground.tooltip =
        fmt::format("{}: with its worst value the best config takes {:.2f} times the best time", knob.name, knob.worst);
    sheet.heading(strip.left, strip.top - 7, knob.name);
    if (const std::string cost = fmt::format("{:.2f} x", knob.worst);
        text_width(knob.name, 13, false, true) + text_width(cost, least_text) + 10 < strip.right - strip.left)
      sheet.note(strip.right, strip.top - 7, cost, least_text, Align::right).tooltip = ground.tooltip;
    float from_x = 0, from_y = 0;
    for (std::size_t v = 0; v < knob.values.size(); ++v) {
      const float x = strip.left + column * (length(v) + 0.5f);
      sheet.note(x, strip.bottom + 14, knob.values[v], least_text, Align::centre);
      for (const TuningDot* d : dots)
        if (value_of(*d, knob.name) == knob.values[v])
          draw_dot(*d, x, y_of(strip, time_of(*d)), "tuning/" + knob.name + "/" + d->text());
      const double best = best_with(knob, knob.values[v]);
      if (!std::isfinite(best)) continue;
      if (from_x > 0) sheet.line(from_x, from_y, x, y_of(strip, best), {Role::accent}, 2);
      from_x = x;
      from_y = y_of(strip, best);
    }
  }

  // What was measured over what the model says.
  void draw_against() {
    const Strip s{sheet.left() + 76, sheet.right() - 8, sheet.y + 24, sheet.y + sheet.room() - 44};
    draw_times(s);
    sheet.note(sheet.left(), s.top - 10, is_measured ? "measured" : "time (model)", 13);
    float last = -INFINITY;
    for (const double t : log_ticks(low, high, 10, 8)) {
      if (t < low || t > high) continue;
      sheet.line(x_of(s, t), s.top, x_of(s, t), s.bottom, {Role::faint});
      if (x_of(s, t) - last < text_width(report::time_text(t), least_text) + 8) continue;
      last = x_of(s, t);
      sheet.note(last, s.bottom + 17, report::time_text(t), least_text, Align::centre);
    }
    sheet.line(x_of(s, low), y_of(s, low), x_of(s, high), y_of(s, high), {Role::soft}, 1.5f).is_dashed = true;
    sheet.legend({"as the model says", {Role::soft}, Hatch::none, Kind::line, {Role::soft}});
    sheet.note((s.left + s.right) / 2, s.bottom + 36, "time (model)", 13, Align::centre);
    for (const TuningDot* d : dots)  // what was not measured stands hollow on the axis
      draw_dot(*d, x_of(s, d->model_ms), is_known(*d) ? y_of(s, time_of(*d)) : s.bottom, "tuning/" + d->text());
    sheet.y = s.bottom + 48;
  }

  void draw() {
    find_bounds();
    const std::vector<Knob> all = knobs();
    is_against || all.empty() ? draw_against() : draw_knobs(all);
    add_facts(all);
    Table table{"the configs, the fastest by the model first",
                {"config", "model", "measured", "waves", "programs an SM", "limited by"},
                {}};
    for (const TuningDot* d : dots)
      table.rows.push_back({d->text(), model_text(*d),
                            std::isfinite(d->measured_ms) ? report::time_text(d->measured_ms) : "", waves_text(*d),
                            fmt::format("{}", d->ctas_per_sm), d->limited_by});
    sheet.table(std::move(table));
  }

  void add_facts(const std::vector<Knob>& all) {
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
    if (!all.empty())
      sheet.fact(fmt::format("{} matters most: with its worst value the best config takes {:.2f} times as long",
                             all.front().name, all.front().worst));
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
  TuningPicture picture(scene, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
