// What limits a launch, as the model says: how many programs an SM holds, and the roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/panel.h"
#include "viz/model/plot.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

struct LimitsPicture {
  const Limits& limits;
  const machine::Schedule& schedule;
  const machine::Roofline& roofline = limits.roofline;
  Sheet sheet;

  LimitsPicture(const Scene& scene, const Canvas& canvas)
      : limits(*scene.model->limits),
        schedule(scene.model->own),
        sheet("limits",
              fmt::format("{} an SM, limited by {}; the launch by {} (model)", plural(limits.occupancy.ctas, "program"),
                          limits.occupancy.limited_by, limits.cause),
              fmt::format("{} of {} warps. On the left how many programs each resource of an SM allows; on the right "
                          "what the chip can do at most, and this launch.",
                          limits.occupancy.warps, limits.occupancy.max_warps),
              canvas) {}

  float draw_occupancy(float width) {
    std::int64_t most = 1;
    for (const auto& l : limits.occupancy.limits)
      if (l.ctas < machine::unlimited_ctas) most = std::max(most, l.ctas);
    most = std::min<std::int64_t>(most, 32);
    Table table{"what an SM allows", {"resource", "a program takes", "an SM has", "programs"}, {}};
    const float left = sheet.left() + 118, slot = (width - 118) / length(most);
    float y = sheet.y + 4;
    sheet.heading(sheet.left(), y + 12, "Programs that an SM holds");
    y += 24;
    const float row = std::clamp((sheet.room() - 24) / length(limits.occupancy.limits.size()), 36.f, 48.f),
                bar = row - 24;
    for (const auto& l : limits.occupancy.limits) {
      const bool is_unused = l.ctas >= machine::unlimited_ctas, binds = l.ctas == limits.occupancy.ctas;
      sheet.text(left - 8, y + bar / 2 + 5, l.resource, 13, Align::right).is_bold = binds;
      for (std::int64_t i = 0; i < std::min(most, l.ctas) && !is_unused; ++i) {
        Shape& s = sheet.rect(left + slot * length(i), y, slot - 2, bar,
                              i < limits.occupancy.ctas ? category(binds ? 6 : 0) : Colour{Role::surface},
                              fmt::format("{}/{}", l.resource, i));
        s.stroke = {Role::soft};
        s.tooltip = fmt::format("{}: {} of {} a program, {} programs", l.resource, count_text(l.used),
                                count_text(l.available), l.ctas);
      }
      const std::string words =
          is_unused ? "none taken" : fmt::format("{}: {} of {}", l.ctas, count_text(l.used), count_text(l.available));
      const float room = width - 118;  // where it is too long it goes on below the name
      if (text_width(words, 12) <= room) sheet.note(left, y + bar + 15, words, 12);
      else sheet.note(left + room, y + bar + 15, fitted(words, width - 8, 12), 12, Align::right);
      table.rows.push_back(
          {l.resource, count_text(l.used), count_text(l.available), is_unused ? "" : fmt::format("{}", l.ctas)});
      y += row;
    }
    sheet.table(std::move(table));
    return y;
  }

  // Flops a second over flops a byte, both logarithmic: a slope that DRAM sets, a roof that the units set.
  float draw_roofline(float x, float width, float height) {
    const double peak = roofline.peak_flops, ridge = limits.ridge,
                 at = roofline.dram_bytes > 0 ? roofline.intensity() : ridge,
                 reached = schedule.model_ms > 0 ? roofline.flops / (schedule.model_ms * 1e-3) : 0;
    float y = sheet.y + 4;
    sheet.heading(x, y + 12, "Roofline");
    y += 26;
    if (peak <= 0 || ridge <= 0 || roofline.flops <= 0) {
      sheet.note(x, y + 12, "no arithmetic is counted here", 13);
      return y + 24;
    }
    const double low = std::min(at, ridge) / 8, high = std::max(at, ridge) * 8,
                 floor = std::min(reached > 0 ? reached : peak, peak * low / ridge) / 2, top = peak * 2;
    const float left = x + 62, right = x + width - 8, bottom = y + height - 40;
    const auto x_of = [&](double v) {
      return left + (right - left) * static_cast<float>(std::log(v / low) / std::log(high / low));
    };
    const auto y_of = [&](double v) {
      return bottom - (bottom - y) * static_cast<float>(std::log(v / floor) / std::log(top / floor));
    };
    for (const double t : log_ticks(low, high, 10, 6)) {
      if (t < low || t > high) continue;
      sheet.line(x_of(t), y, x_of(t), bottom, {Role::faint});
      sheet.note(x_of(t), bottom + 16, short_number(t, false), 12, Align::centre);
    }
    for (const double t : log_ticks(floor, top, 10, 6)) {
      if (t < floor || t > top) continue;
      sheet.line(left, y_of(t), right, y_of(t), {Role::faint});
      sheet.note(left - 6, y_of(t) + 4, short_number(t * 1e-12, false), 12, Align::right);
    }
    sheet.note((left + right) / 2, bottom + 34, "flop a byte of DRAM", 12, Align::centre);
    sheet.note(x, y - 2, "TFLOP/s", 12);
    sheet.line(left, y_of(peak * low / ridge), x_of(ridge), y_of(peak), category(0), 2.5f);
    sheet.line(x_of(ridge), y_of(peak), right, y_of(peak), category(2), 2.5f);
    sheet.legend({"what DRAM's bandwidth allows", category(0), Hatch::none, Kind::line, category(0)});
    sheet.legend({"what the arithmetic units do", category(2), Hatch::none, Kind::line, category(2)});
    sheet.legend({"this launch (model)", category(6)});
    if (reached > 0) {
      Shape& s = sheet.rect(x_of(at) - 5, y_of(reached) - 5, 10, 10, category(6), "launch");
      s.layer = Layer::marks, s.stroke = {Role::ink};
      s.tooltip = fmt::format("{:.4g} flop a byte, {:.4g} TFLOP/s (model)", at, reached * 1e-12);
    }
    sheet.fact(fmt::format(
        "{:.3g} flop a byte of DRAM, {} the {:.3g} where arithmetic becomes the limit: {:.3g} of "
        "{:.3g} TFLOP/s (model)",
        at, at < ridge ? "below" : "above", ridge, reached * 1e-12, 1e-12 * std::min(peak, peak * at / ridge)));
    return y + height;
  }

  float draw_times(float x, float y, float width) {
    double most = 1e-12;
    for (const auto& r : roofline.resources) most = std::max(most, r.ms);
    sheet.heading(x, y + 12, "Least time by resource");
    y += 22;
    Table table{"the least time that each resource lets it take", {"resource", "time"}, {}};
    float label = 0;
    for (const auto& r : roofline.resources) label = std::max(label, text_width(r.resource, 12));
    label = std::min(label, 0.4f * width);
    const float left = x + label + 8, unit = (width - label - 100) / static_cast<float>(most);
    for (const auto& r : roofline.resources) {
      const float bar = std::max(2.f, unit * static_cast<float>(r.ms));
      sheet.text(left - 8, y + 13, fitted(r.resource, label, 12), 12, Align::right);
      sheet.rect(left, y + 2, bar, 14, category(0), "time/" + r.resource).tooltip =
          fmt::format("{}: {}", r.resource, report::time_text(r.ms));
      sheet.text(left + bar + 6, y + 13, report::time_text(r.ms), 12);
      table.rows.push_back({r.resource, report::time_text(r.ms)});
      y += 20;
    }
    sheet.table(std::move(table));
    return y;
  }

  void draw() {
    const float width = 0.42f * sheet.inner(), x = sheet.left() + width + 28, rest = sheet.right() - x;
    const float under = draw_occupancy(width);
    const float times = 30 + 20 * length(roofline.resources.size()),
                y = draw_roofline(x, rest, std::max(140.f, sheet.room() - times - 10));
    sheet.y = std::max(under, draw_times(x, y + 6, rest)) + 8;
  }
};

}  // namespace

std::string missing_limits(Scene& scene) {
  return scene.model && scene.model->limits ? "" : "the model has no launch of this kernel";
}

Drawing draw_limits(Scene& scene, const Canvas& canvas) {
  LimitsPicture picture(scene, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
