#include "interp/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tl::report {

namespace {

// Okabe and Ito, "Color Universal Design", 2008; the yellow is left out: it vanishes on white.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"};
constexpr double width = 900, height = 540, left = 84, right = 30, top = 72, bottom = 64;

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

struct Axis {
  bool is_log = false;
  double low = 0, high = 1, from = 0, to = 1;  // data, pixels
  double at(double v) const {
    const double t = is_log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return from + t * (to - from);
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

std::string tick_text(double v) {
  if (v != 0 && (std::abs(v) >= 1e7 || std::abs(v) < 1e-3)) return fmt::format("{:.3g}", v);
  return fmt::format("{:.6g}", v);
}

std::string marker(int kind, double x, double y, const char* colour) {
  const std::string style = fmt::format("fill=\"{}\" stroke=\"#fff\" stroke-width=\"1\"", colour);
  switch (kind % 4) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>\n", x, y, style);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7.4\" height=\"7.4\" {}/>\n", x - 3.7, y - 3.7,
                         style);
    case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l4.6 8h-9.2z\" {}/>\n", x, y - 5, style);
    default: return fmt::format("<path d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\" {}/>\n", x, y - 5, style);
  }
}

std::string band(const Line& line, const Axis& x, const Axis& y, const char* colour) {
  std::string path;
  const auto add = [&](std::size_t i, double v) {
    if (drawable(x, y, line.x[i], v))
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(line.x[i]), y.at(v));
  };
  for (std::size_t i = 0; i < line.high.size(); ++i) add(i, line.high[i]);
  for (std::size_t i = line.low.size(); i-- > 0;) add(i, line.low[i]);
  return path.empty() ? "" : fmt::format("<path d=\"{}Z\" fill=\"{}\" opacity=\"0.14\"/>\n", path, colour);
}

std::string curve(const Line& line, const Axis& x, const Axis& y, const char* colour, int kind) {
  std::string path, marks;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < line.x.size(); ++i) drawn += drawable(x, y, line.x[i], line.y[i]);
  const std::size_t every = std::max<std::size_t>(1, drawn / 24);  // a hundred points keep some 24 markers
  for (std::size_t i = 0, n = 0; i < line.x.size(); ++i) {
    if (!drawable(x, y, line.x[i], line.y[i])) continue;
    const double px = x.at(line.x[i]), py = y.at(line.y[i]);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    if (n++ % every == 0) marks += marker(kind, px, py, colour);
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"{}/>\n{}",
                     path, colour, line.is_dashed ? " stroke-dasharray=\"6 4\"" : "", marks);
}

std::string label(double x, double y, const std::string& text, const std::string& attributes) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(text));
}

std::string grid(const Axis& x, const Axis& y, bool binary_x) {
  std::string out;
  for (double v : x.is_log ? log_ticks(x.low, x.high, binary_x ? 2 : 10) : linear_ticks(x.low, x.high)) {
    const double p = x.at(v);
    out += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#e4e4e4\"/>\n", p, top, height - bottom);
    out += label(p, height - bottom + 18, tick_text(v), "text-anchor=\"middle\"");
  }
  for (double v : y.is_log ? log_ticks(y.low, y.high, 10) : linear_ticks(y.low, y.high)) {
    const double p = y.at(v);
    out += fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#e4e4e4\"/>\n", left, p, width - right);
    out += label(left - 8, p + 4, tick_text(v), "text-anchor=\"end\"");
  }
  return out + fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#333\"/>\n", left, top, height - bottom,
                           width - right);
}

// The legend stands where it covers least of the curves: the four corners, counted at their points and along the way.
std::string legend(const Plot& plot, const Axis& x, const Axis& y, const std::vector<int>& colour_of) {
  std::size_t longest = 0;
  for (const Line& l : plot.lines) longest = std::max(longest, l.name.size());
  const double w = 52 + 7.2 * static_cast<double>(longest), h = 12 + 20 * static_cast<double>(plot.lines.size());
  const double xs[] = {width - right - w - 10, left + 12}, ys[] = {height - bottom - h - 10, top + 8};
  double best_x = xs[0], best_y = ys[0];
  int fewest = 1 << 30;
  for (double bx : xs)
    for (double by : ys) {
      int inside = 0;
      const auto covers = [&](double px, double py) {
        return px > bx - 6 && px < bx + w + 16 && py > by - 6 && py < by + h + 16;
      };
      for (const Line& l : plot.lines)
        for (std::size_t i = 0; i < l.x.size(); ++i)
          if (drawable(x, y, l.x[i], l.y[i])) {
            const double px = x.at(l.x[i]), py = y.at(l.y[i]);
            inside += covers(px, py);
            if (i == 0 || !drawable(x, y, l.x[i - 1], l.y[i - 1])) continue;
            for (double t = 0.1; t < 0.95; t += 0.1)
              inside += covers(px + t * (x.at(l.x[i - 1]) - px), py + t * (y.at(l.y[i - 1]) - py));
          }
      if (inside < fewest) fewest = inside, best_x = bx, best_y = by;
    }
  std::string out = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"#fff\" fill-opacity=\"0.88\" "
      "stroke=\"#ccc\"/>\n",
      best_x, best_y, w, h);
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const double ly = best_y + 16 + 20 * static_cast<double>(i);
    const char* colour = colours[colour_of[i] % 7];
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h28\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", best_x + 8, ly, colour,
                       plot.lines[i].is_dashed ? " stroke-dasharray=\"6 4\"" : "");
    out += marker(static_cast<int>(i), best_x + 22, ly, colour) + label(best_x + 44, ly + 4, plot.lines[i].name, "");
  }
  return out;
}

Axis axis_of(Bounds bounds, bool is_log, double from, double to, bool from_zero) {
  if (bounds.is_empty()) bounds = {is_log ? 1. : 0., is_log ? 10. : 1.};
  if (from_zero && !is_log) bounds = {std::min(0., bounds.low), bounds.high * 1.06};
  if (bounds.low == bounds.high) is_log ? (bounds.low /= 2, bounds.high *= 2) : (bounds.low -= 0.5, bounds.high += 0.5);
  return {is_log, bounds.low, bounds.high, from, to};
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

std::string svg_of(const Plot& plot) {
  Bounds bx, by;
  for (const Line& l : plot.lines)
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      if (!std::isfinite(l.y[i])) continue;
      bx.take(l.x[i], plot.log_x);
      by.take(l.y[i], plot.log_y);
      if (i < l.high.size()) by.take(l.high[i], plot.log_y);
    }
  const Axis x = axis_of(bx, plot.log_x, left, width - right, false),
             y = axis_of(by, plot.log_y, height - bottom, top, true);

  std::vector<int> colour_of;  // a dashed line shares the colour of the one before it
  for (const Line& l : plot.lines)
    colour_of.push_back(colour_of.empty() ? 0 : l.is_dashed ? colour_of.back() : colour_of.back() + 1);

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>{2}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, escaped(plot.title));
  out += label(left, 30, plot.title, "font-size=\"18\" font-weight=\"600\"");
  out += label(left, 52, plot.subtitle, "fill=\"#666\"");
  out += grid(x, y, plot.log_x);
  for (std::size_t i = 0; i < plot.lines.size(); ++i) out += band(plot.lines[i], x, y, colours[colour_of[i] % 7]);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    out += curve(plot.lines[i], x, y, colours[colour_of[i] % 7], static_cast<int>(i));
  out += label((left + width - right) / 2, height - 18, plot.x_label, "text-anchor=\"middle\" font-size=\"13\"");
  out += fmt::format(
      "<text transform=\"translate(22 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n",
      (top + height - bottom) / 2, escaped(plot.y_label));
  if (!plot.lines.empty()) out += legend(plot, x, y, colour_of);
  return out + "</svg>\n";
}

}  // namespace tl::report
