// SVG 1.1: text stays text, hatches are patterns, each shape keeps its id and its tooltip as <title>.
#include <fmt/format.h>

#include <cmath>

#include "viz/export/export.h"

namespace tl::viz {

namespace {

// To two decimals. By hand, as a drawing of many cells has ten thousand numbers.
std::string number(float v) {
  const float hundredths = std::round(v * 100);
  if (!(std::abs(hundredths) < 1e6f)) return fmt::format("{}", hundredths / 100);
  const int n = std::abs(static_cast<int>(hundredths)), rest = n % 100;
  std::string out = (hundredths < 0 ? "-" : "") + std::to_string(n / 100);
  if (rest == 0) return out;
  out += {'.', static_cast<char>('0' + rest / 10)};
  if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
  return out;
}

std::string paint(const char* attribute, const Colour& colour, const Theme& theme, const Colour& over = {}) {
  if (colour.role == Role::none) return fmt::format(" {}=\"none\"", attribute);
  const Rgba c = theme(colour, over);
  std::string out = fmt::format(" {}=\"{}\"", attribute, hex(c));
  if (c.a < 1) out += fmt::format(" {}-opacity=\"{}\"", attribute, number(c.a));
  return out;
}

std::string stroke(const Shape& s, const Theme& theme) {
  if (s.stroke.role == Role::none) return "";
  return paint("stroke", s.stroke, theme) + fmt::format(" stroke-width=\"{}\"", number(s.stroke_width)) +
         (s.is_dashed ? " stroke-dasharray=\"4 3\"" : "");
}

std::string text_element(float x, float y, const Shape& s, Align align, const Colour& over, const Theme& theme) {
  const char* const anchors[] = {"start", "middle", "end"};
  std::string out = fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"", number(x), number(y), number(s.size));
  if (align != Align::left) out += fmt::format(" text-anchor=\"{}\"", anchors[static_cast<int>(align)]);
  if (s.is_mono) out += " class=\"m\"";
  if (s.is_bold) out += " font-weight=\"bold\"";
  return out + paint("fill", s.ink, theme, over) + " xml:space=\"preserve\">" + escaped(s.text) + "</text>";
}

std::string box(const Shape& s) {
  return fmt::format(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(s.x), number(s.y), number(s.w),
                     number(s.h));
}

std::string head(const Shape& s, const Theme& theme) {
  const float length = std::hypot(s.w, s.h);
  if (length < 1) return "";
  const float ux = s.w / length, uy = s.h / length, x = s.x + s.w, y = s.y + s.h, a = 7, b = 3;
  return fmt::format("<path d=\"M{} {}L{} {}L{} {}Z\"{}/>", number(x), number(y), number(x - a * ux - b * uy),
                     number(y - a * uy + b * ux), number(x - a * ux + b * uy), number(y - a * uy - b * ux),
                     paint("fill", s.stroke, theme));
}

constexpr const char* hatch_ids[] = {"", "hatch", "cross", "dots"};

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') out += ' ';  // XML has no control characters
    else if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n') out += c;
  }
  return out;
}

std::string svg_definitions(const Theme& theme) {
  const std::string c = hex(theme({Role::masked}));
  const std::string ink = hex(theme({Role::ink}));
  return fmt::format(
      "<defs>"
      "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1L1 -1M0 6L6 0M5 "
      "7L7 5\" stroke=\"{0}\" stroke-width=\"1.2\"/></pattern>"
      "<pattern id=\"cross\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1L1 -1M0 6L6 0M5 "
      "7L7 5M-1 5L1 7M0 0L6 6M5 -1L7 1\" stroke=\"{1}\" stroke-opacity=\"0.55\" stroke-width=\"1\"/></pattern>"
      "<pattern id=\"dots\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><circle cx=\"3\" cy=\"3\" r=\"1\" "
      "fill=\"{0}\"/></pattern>"
      "</defs>",
      c, ink);
}

std::string svg_element(const Drawing& drawing, const Shape& s, const Theme& theme) {
  std::string out;
  switch (s.kind) {
    case Kind::rect:
      if (s.fill.role != Role::none || s.stroke.role != Role::none)
        out += "<rect" + box(s) + paint("fill", s.fill, theme) + stroke(s, theme) + "/>";
      if (s.hatch != Hatch::none)
        out += "<rect" + box(s) + fmt::format(" fill=\"url(#{})\"/>", hatch_ids[static_cast<int>(s.hatch)]);
      if (const Shape plate = plate_of(s); plate.w > 0)
        out += "<rect" + box(plate) + fmt::format(" fill=\"{}\"/>", hex(theme.solid(s.fill)));
      if (!s.text.empty())
        out += text_element(s.x + s.w / 2, s.y + s.h / 2 + s.size * 0.36f, s, Align::centre, s.fill, theme);
      break;
    case Kind::text: out = text_element(s.x, s.y, s, s.align, s.over, theme); break;
    case Kind::line:
    case Kind::arrow:
      out = fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", number(s.x), number(s.y), number(s.x + s.w),
                        number(s.y + s.h)) +
            stroke(s, theme) + "/>";
      if (s.kind == Kind::arrow) out += head(s, theme);
      break;
    case Kind::polyline: {
      std::string points;
      for (const Point& p : s.points) points += fmt::format("{},{} ", number(p.x), number(p.y));
      out = "<polyline points=\"" + points + "\"" + paint("fill", s.fill, theme) + stroke(s, theme) + "/>";
      break;
    }
    case Kind::cross:
      out = fmt::format("<path d=\"M{} {}L{} {}M{} {}L{} {}\"", number(s.x), number(s.y), number(s.x + s.w),
                        number(s.y + s.h), number(s.x + s.w), number(s.y), number(s.x), number(s.y + s.h)) +
            paint("stroke", s.stroke, theme) + " stroke-width=\"2\"/>";
      break;
    case Kind::up_triangle:
    case Kind::down_triangle: {
      const float base = s.kind == Kind::up_triangle ? s.y + s.h : s.y,
                  tip = s.kind == Kind::up_triangle ? s.y : s.y + s.h;
      out = fmt::format("<path d=\"M{} {}L{} {}L{} {}Z\"", number(s.x), number(base), number(s.x + s.w), number(base),
                        number(s.x + s.w / 2), number(tip)) +
            paint("fill", s.fill, theme) + "/>";
      break;
    }
    case Kind::image:
      out = "<image" + box(s) +
            " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" xlink:href=\"data:image/bmp;base64," +
            base64(bmp(drawing.images[s.image], theme)) + "\"/>";
      break;
  }
  if (s.id.empty() && s.tooltip.empty()) return out;
  std::string open = "<g";
  if (!s.id.empty()) open += " data-id=\"" + escaped(s.id) + "\"";
  open += ">";
  if (!s.tooltip.empty()) open += "<title>" + escaped(s.tooltip) + "</title>";
  return open + out + "</g>";
}

std::string svg(const Drawing& drawing, const Theme& theme) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"DejaVu Sans,Verdana,sans-serif\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
      "<style>.m{{font-family:DejaVu Sans Mono,Menlo,Consolas,monospace}}</style>\n",
      number(drawing.width), number(drawing.height), escaped(drawing.title), escaped(drawing.subtitle));
  out += svg_definitions(theme);
  out += fmt::format("\n<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(drawing.width),
                     number(drawing.height), hex(theme({Role::paper})));
  for (const Shape& s : drawing.shapes) (out += svg_element(drawing, s, theme)) += '\n';
  return out += "</svg>\n";
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t j) -> unsigned {
      return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0;
    };
    const unsigned v = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += digits[v >> 18];
    out += digits[v >> 12 & 63];
    out += i + 1 < bytes.size() ? digits[v >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? digits[v & 63] : '=';
  }
  return out;
}

std::vector<std::uint32_t> colours_of(const Image& image, const Theme& theme) {
  std::vector<std::uint32_t> colours;
  for (const Image::Entry& e : image.palette) {
    const Rgba c = theme.solid(e.colour);
    const auto byte = [](float v) { return static_cast<std::uint32_t>(v * 255 + 0.5f); };
    colours.push_back(byte(c.b) | byte(c.g) << 8 | byte(c.r) << 16);
  }
  return colours;
}

std::string bmp(const Image& image, const Theme& theme) {
  const auto width = static_cast<std::uint32_t>(image.columns), height = static_cast<std::uint32_t>(image.rows),
             row = (width + 3) / 4 * 4, pixels = row * height;
  const std::vector<std::uint32_t> colours = colours_of(image, theme);
  const auto count = static_cast<std::uint32_t>(colours.size()), head = 54 + 4 * count;
  std::string out = "BM";
  const auto put = [&](std::uint32_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> 8 * i & 255);
  };
  put(head + pixels, 4);
  put(0, 4);
  put(head, 4);
  put(40, 4);
  put(width, 4);
  put(static_cast<std::uint32_t>(-static_cast<std::int32_t>(height)), 4);  // negative: from the top
  put(1, 2);
  put(8, 2);
  put(0, 4);
  put(pixels, 4);
  put(2835, 4);
  put(2835, 4);
  put(count, 4);
  put(0, 4);
  for (const std::uint32_t colour : colours) put(colour, 4);
  out.reserve(head + pixels);
  for (std::uint32_t r = 0; r < height; ++r) {
    out.append(reinterpret_cast<const char*>(image.texels.data()) + std::size_t{r} * width, width);
    out.append(row - width, '\0');
  }
  return out;
}

}  // namespace tl::viz
