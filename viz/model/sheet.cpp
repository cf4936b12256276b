#include "viz/model/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/model/legible.h"

namespace tl::viz {

Sheet::Sheet(std::string panel, std::string title, std::string subtitle, const Canvas& canvas) : canvas_(canvas) {
  drawing.panel = std::move(panel);
  drawing.title = std::move(title);
  drawing.subtitle = std::move(subtitle);
  drawing.width = std::max(canvas.width, 320.f);
  if (canvas.height < low_canvas) {  // the picture comes before the sentence about it
    y = margin + 6;
    Shape& title = heading(left(), y, fitted(drawing.title, inner() / 1.12f, 13));
    title.id = "title";
    title.tooltip = drawing.title + "\n" + drawing.subtitle;
  } else {
    y = paragraph(margin - 2, drawing.title, 17, {Role::ink}, "title", true);
    if (!drawing.subtitle.empty()) y = paragraph(y + 2, drawing.subtitle, 12.5f, {Role::soft}, "subtitle");
  }
  y += 12;
}

float Sheet::room() const {
  std::size_t lines = 2;
  for (const std::string& fact : drawing.facts) lines += wrapped(fact, inner() - 14, 13).size();
  return std::max(least_room, canvas_.height - y - static_cast<float>(lines) * 19 - margin);
}

Shape& Sheet::rect(float x, float y, float w, float h, Colour fill, std::string id) {
  Shape s;
  s.kind = Kind::rect;
  s.x = x;
  s.y = y;
  s.w = w;
  s.h = h;
  s.fill = fill;
  s.ink = {Role::contrast};
  s.id = std::move(id);
  drawing.shapes.push_back(std::move(s));
  return drawing.shapes.back();
}

Shape& Sheet::text(float x, float y, std::string text, float size, Align align, Colour ink) {
  Shape s;
  s.kind = Kind::text;
  s.layer = Layer::labels;
  s.x = x;
  s.y = y;
  s.text = std::move(text);
  s.size = size;
  s.align = align;
  s.ink = ink;
  drawing.shapes.push_back(std::move(s));
  return drawing.shapes.back();
}

Shape& Sheet::note(float x, float y, std::string words, float size, Align align) {
  return text(x, y, std::move(words), size, align, {Role::soft});
}

Shape& Sheet::heading(float x, float y, std::string words, float size) {
  Shape& s = text(x, y, std::move(words), size);
  s.is_bold = true;
  return s;
}

Shape& Sheet::line(float x0, float y0, float x1, float y1, Colour stroke, float width) {
  Shape s;
  s.kind = Kind::line;
  s.layer = Layer::lines;
  s.x = x0;
  s.y = y0;
  s.w = x1 - x0;
  s.h = y1 - y0;
  s.stroke = stroke;
  s.stroke_width = width;
  drawing.shapes.push_back(std::move(s));
  return drawing.shapes.back();
}

Shape& Sheet::arrow(float x0, float y0, float x1, float y1, Colour stroke, float width) {
  Shape& s = line(x0, y0, x1, y1, stroke, width);
  s.kind = Kind::arrow;
  return s;
}

Shape& Sheet::mark(Kind kind, float x, float y, float w, float h, Colour fill, std::string id) {
  Shape& s = rect(x, y, w, h, fill, std::move(id));
  s.kind = kind;
  s.layer = Layer::marks;
  s.stroke = fill;
  return s;
}

float Sheet::paragraph(float y, const std::string& words, float size, Colour ink, const std::string& id, bool is_bold) {
  int number = 0;
  for (const std::string& l : wrapped(words, inner(), size, is_bold)) {
    y += std::round(size * 1.35f);
    Shape& s = text(left(), y, l, size, Align::left, ink);
    s.is_bold = is_bold;
    s.id = number == 0 ? id : fmt::format("{}/{}", id, number);
    ++number;
  }
  return y;
}

void Sheet::legend(LegendItem item) {
  for (const LegendItem& other : drawing.legend)
    if (other.label == item.label) return;
  drawing.legend.push_back(std::move(item));
}

void Sheet::lay_legend() {
  has_legend_ = true;
  float x = left(), base = y + 12;
  for (const LegendItem& item : drawing.legend) {
    const float width = 22 + text_width(item.label, 13) + 18;
    if (x > left() && x + width - 18 > right()) {
      x = left();
      base += 20;
    }
    const bool is_line = item.mark == Kind::line;
    Shape& s = is_line ? line(x, base - 4, x + 16, base - 4, item.fill, 2) : rect(x, base - 11, 16, 13, item.fill, "");
    s.kind = item.mark;
    s.layer = Layer::labels;
    s.hatch = item.hatch;
    if (!is_line)
      s.stroke = item.stroke.role != Role::none ? item.stroke
                 : item.mark == Kind::rect      ? Colour{Role::faint}
                                                : item.fill;
    text(x + 22, base, item.label, 13, Align::left, {Role::ink});
    x += width;
  }
  y = base + 4;
}

Drawing Sheet::finish() {
  y += 6;
  int number = 0;
  if (canvas_.height < bare_canvas)
    if (const auto title = std::ranges::find(drawing.shapes, "title", &Shape::id); title != drawing.shapes.end())
      for (const std::string& fact : drawing.facts) title->tooltip += "\n" + fact;
  for (const std::string& fact : canvas_.height < bare_canvas ? std::vector<std::string>() : drawing.facts) {
    bool is_first = true;
    for (const std::string& l : wrapped(fact, inner() - 14, 13)) {
      y += 18;
      if (is_first) rect(left() + 1, y - 8, 5, 5, {Role::soft}).layer = Layer::labels;
      text(left() + 14, y, l, 13).id = is_first ? fmt::format("fact/{}", number++) : "";
      is_first = false;
    }
  }
  if (!has_legend_ && !drawing.legend.empty()) {
    y += drawing.facts.empty() ? 10 : 14;
    lay_legend();
  }
  drawing.height = std::ceil(y + margin - 4);
  make_legible(drawing);
  std::stable_sort(drawing.shapes.begin(), drawing.shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.layer < b.layer; });
  return std::move(drawing);
}

std::vector<std::string> wrapped(const std::string& text, float width, float size, bool is_bold) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    const std::string longer = line.empty() ? word : line + ' ' + word;
    if (!line.empty() && text_width(longer, size, false, is_bold) > width) lines.push_back(std::exchange(line, word));
    else line = longer;
    at = space + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string short_number(double value, bool is_integer, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (is_integer) return std::abs(value) < 1e8 ? fmt::format("{:.0f}", value) : fmt::format("{:.1e}", value);
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e5 || size < 1e-3)) return fmt::format("{:.0e}", value);
  if (size >= 1000) return fmt::format("{:.0f}", value);  // shorter than 6.55e+04
  return fmt::format("{:.{}g}", value,
                     std::max(digits, size >= 100  ? 3
                                      : size >= 10 ? 2
                                                   : 1));  // those before the point all stand there
}

std::string exact_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : short_number(value, false);
}

std::string number_in(float width, double value, bool is_integer, float& size) {
  if (is_integer && std::isfinite(value)) {
    const std::string whole = fmt::format("{:.0f}", value);
    for (const float fits : {size, std::min(size, least_text)})
      if (text_width(whole, fits, true) < width) return size = fits, whole;
  }
  const std::string text = short_number(value, is_integer);
  if (text_width(text, size, true) < width) return text;
  size = std::min(size, least_text);
  for (int digits = 3; digits > 0; --digits)
    if (std::string less = short_number(value, is_integer, digits); text_width(less, size, true) <= width) return less;
  return "";
}

}  // namespace tl::viz
