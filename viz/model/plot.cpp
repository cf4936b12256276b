#include "viz/model/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

constexpr float canvas_width = 900, height = 400, mark_size = 8;
constexpr Kind marks[] = {Kind::rect, Kind::up_triangle, Kind::down_triangle, Kind::cross};

struct Axis {
  bool is_log = false;
  double low = 0, high = 1, from = 0, to = 1;  // data, pixels
  float at(double v) const {
    const double t = is_log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return static_cast<float>(from + t * (to - from));
  }
};

struct Bounds {
  double low = INFINITY, high = -INFINITY;
  void take(double v, bool is_log) {
    if (!std::isfinite(v) || (is_log && v <= 0)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool is_empty() const { return low > high; }
};

bool drawable(const Axis& x, const Axis& y, double vx, double vy) {
  return std::isfinite(vx) && std::isfinite(vy) && !(x.is_log && vx <= 0) && !(y.is_log && vy <= 0);
}

// Large powers of two as they are said: 2^20.
std::string tick_text(double v, bool is_power_of_two = false) {
  if (is_power_of_two && v >= 1 << 14) return fmt::format("2^{:.0f}", std::log2(v));
  if (v != 0 && (std::abs(v) >= 1e7 || std::abs(v) < 1e-3)) return fmt::format("{:.3g}", v);
  return fmt::format("{:.6g}", v);
}

Axis axis_of(Bounds bounds, bool is_log, double from, double to, bool from_zero) {
  if (bounds.is_empty()) bounds = {is_log ? 1. : 0., is_log ? 10. : 1.};
  if (from_zero && !is_log) bounds = {std::min(0., bounds.low), bounds.high * 1.06};
  if (bounds.low == bounds.high) is_log ? (bounds.low /= 2, bounds.high *= 2) : (bounds.low -= 0.5, bounds.high += 0.5);
  return {is_log, bounds.low, bounds.high, from, to};
}

// A colour a line, strongest first; a dashed line shares the colour of the one before it.
std::vector<Colour> colours_of(const std::vector<report::Line>& lines) {
  constexpr int order[] = {5, 6, 2, 3, 0, 1};
  std::vector<Colour> colours;
  int next = -1;
  for (const report::Line& l : lines) {
    if (next < 0 || !l.is_dashed) ++next;
    colours.push_back(named(order[next % 6]));
  }
  return colours;
}

void draw_grid(Sheet& sheet, const Axis& x, const Axis& y, const report::Plot& plot) {
  const float left = static_cast<float>(x.from), right = static_cast<float>(x.to), bottom = static_cast<float>(y.from),
              top = static_cast<float>(y.to);
  for (const double v : x.is_log ? log_ticks(x.low, x.high, 2) : linear_ticks(x.low, x.high)) {
    sheet.line(x.at(v), top, x.at(v), bottom, {Role::faint}, 0.5f).layer = Layer::ground;
    sheet.text(x.at(v), bottom + 18, tick_text(v, x.is_log), 12, Align::centre);
  }
  for (const double v : y.is_log ? log_ticks(y.low, y.high, 10) : linear_ticks(y.low, y.high)) {
    sheet.line(left, y.at(v), right, y.at(v), {Role::faint}, 0.5f).layer = Layer::ground;
    sheet.text(left - 8, y.at(v) + 4, tick_text(v), 12, Align::right);
  }
  sheet.line(left, top, left, bottom, {Role::ink});
  sheet.line(left, bottom, right, bottom, {Role::ink});
  sheet.text(left, top - 8, plot.y_label, 13);
  sheet.text((left + right) / 2, bottom + 40, plot.x_label, 13, Align::centre);
}

Shape& draw_curve(Sheet& sheet, std::vector<Point> points, Colour colour, const std::string& id) {
  Shape& s = sheet.line(0, 0, 0, 0, colour, 2);
  s.kind = Kind::polyline;
  s.points = std::move(points);
  s.id = id;
  return s;
}

void draw_line(Sheet& sheet, const report::Line& line, const Axis& x, const Axis& y, Colour colour, Kind mark) {
  std::vector<Point> points, band;
  const auto add = [&](std::vector<Point>& to, std::size_t i, double v) {
    if (drawable(x, y, line.x[i], v)) to.push_back({x.at(line.x[i]), y.at(v)});
  };
  for (std::size_t i = 0; i < line.x.size(); ++i) add(points, i, line.y[i]);
  for (std::size_t i = 0; i < line.high.size(); ++i) add(band, i, line.high[i]);
  for (std::size_t i = line.low.size(); i-- > 0;) add(band, i, line.low[i]);
  if (!band.empty()) {
    Shape& s = draw_curve(sheet, std::move(band), {}, "band/" + line.name);
    s.layer = Layer::cells;
    s.fill = colour;
    s.fill.alpha = 0.14f;
  }
  const std::size_t every =
      line.is_dots ? 1 : std::max<std::size_t>(1, points.size() / 24);  // a hundred points keep some 24 marks
  for (std::size_t i = 0; i < points.size(); i += every)
    sheet
        .mark(mark, points[i].x - mark_size / 2, points[i].y - mark_size / 2, mark_size, mark_size, colour,
              "mark/" + line.name)
        .layer = Layer::lines;
  if (!points.empty() && !line.is_dots)
    draw_curve(sheet, std::move(points), colour, "line/" + line.name).is_dashed = line.is_dashed;
  sheet.legend({line.is_dashed ? line.name + " (dashed)" : line.name, colour, Hatch::none, mark});
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int most) {
  const double rough = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double m : {1., 2., 5.})
    if (m * power >= rough * (1 - 1e-9)) {
      step = m * power;
      break;
    }
  std::vector<double> ticks;
  for (auto i = static_cast<std::int64_t>(std::ceil(low / step - 1e-9));
       static_cast<double>(i) * step <= high + step * 1e-9; ++i)
    ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, double base, int most) {
  const int first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-9));
  if (last - first < 1 && base == 10) return linear_ticks(low, high);  // less than two decades
  const int every = std::max(1, (last - first + most) / most);
  std::vector<double> ticks;
  for (int e = first; e <= last; e += every) ticks.push_back(std::pow(base, e));
  return ticks;
}

Drawing draw_plot(const report::Plot& plot) {
  Sheet sheet("plot", plot.title, plot.subtitle, {canvas_width, height});
  Bounds bx, by;
  for (const report::Line& l : plot.lines)
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      if (!std::isfinite(l.y[i])) continue;
      bx.take(l.x[i], plot.log_x);
      by.take(l.y[i], plot.log_y);
      if (i < l.high.size()) by.take(l.high[i], plot.log_y);
    }
  const float top = sheet.y + 22;
  const Axis x = axis_of(bx, plot.log_x, sheet.left() + 68, sheet.right() - 14, false),
             y = axis_of(by, plot.log_y, top + height, top, true);
  draw_grid(sheet, x, y, plot);
  const std::vector<Colour> colours = colours_of(plot.lines);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    draw_line(sheet, plot.lines[i], x, y, colours[i], marks[i % std::size(marks)]);
  sheet.y = top + height + 44;
  return sheet.finish();
}

}  // namespace tl::viz
