#include "viz/model/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

bool contains(const Shape& s, Point p) {
  if (s.kind == Kind::text || s.kind == Kind::line || s.kind == Kind::arrow || s.kind == Kind::polyline) {
    if (s.kind != Kind::line && s.kind != Kind::arrow) return false;
    const float length2 = s.w * s.w + s.h * s.h;  // within 3 units of the line
    const float t = length2 > 0 ? std::clamp(((p.x - s.x) * s.w + (p.y - s.y) * s.h) / length2, 0.f, 1.f) : 0.f;
    const float dx = p.x - s.x - t * s.w, dy = p.y - s.y - t * s.h;
    return dx * dx + dy * dy <= 9;
  }
  return p.x >= s.x && p.x < s.x + s.w && p.y >= s.y && p.y < s.y + s.h;
}

struct Texel {
  std::int64_t row = 0, column = 0;
};
Texel texel_at(const Image& image, const Shape& s, Point p) {
  const auto place = [](float at, float from, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>((at - from) / size * static_cast<float>(count)), 0,
                                    count - 1);
  };
  return {place(p.y, s.y, s.h, image.rows), place(p.x, s.x, s.w, image.columns)};
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

About Image::about_of(std::int64_t row, std::int64_t column) const {
  About result = about;
  const std::int64_t r0 = row * cells_down, c0 = column * cells_across;
  const std::int64_t r1 = std::min(field_rows, r0 + cells_down) - 1,
                     c1 = std::min(field_columns, c0 + cells_across) - 1;
  const std::int64_t first = base + r0 * row_stride + c0 * column_stride,
                     last = base + r1 * row_stride + c1 * column_stride;
  switch (counts) {
    case Counts::elements: {
      result.first = first;
      result.last = last;
    } break;
    case Counts::programs: result.program = first == last ? first : -1; break;
    case Counts::lanes: result.lane = first == last ? first : -1; break;
  }
  return result;
}

std::string Image::tooltip_of(std::int64_t row, std::int64_t column) const {
  const auto span = [](std::int64_t first, std::int64_t count, std::int64_t size) {
    const std::int64_t last = std::min(size, first + count) - 1;
    return last <= first ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  };
  const std::string rows_text = span(row * cells_down, cells_down, field_rows),
                    columns_text = span(column * cells_across, cells_across, field_columns);
  const std::string place = field_rows == 1 ? columns_text : rows_text + ", " + columns_text;
  const Entry& entry = palette[texels[row * columns + column]];
  if (field_name.empty()) return entry.label;  // no tensor's
  if (values.empty()) return fmt::format("{}[{}]: {}", field_name, place, entry.label);
  const double held = values[row * columns + column];
  const std::string value = is_whole && std::isfinite(held) ? fmt::format("{:.0f}", held) : exact_number(held);
  return fmt::format("{}[{}] = {}{}{}", field_name, place, value, entry.label.empty() ? "" : ", ", entry.label);
}

Shape plate_of(const Shape& rect) {
  Shape plate;
  if (rect.hatch == Hatch::none || rect.text.empty()) return plate;
  plate.w = std::min(rect.w, text_width(rect.text, rect.size, rect.is_mono, rect.is_bold) + 6);
  plate.h = std::min(rect.h, rect.size + 2);
  plate.x = rect.x + (rect.w - plate.w) / 2;
  plate.y = rect.y + (rect.h - plate.h) / 2;
  plate.fill = {Role::paper};
  return plate;
}

int shape_at(const Drawing& drawing, Point at) {
  int found = -1;
  for (std::size_t i = 0; i < drawing.shapes.size(); ++i) {
    const Shape& s = drawing.shapes[i];
    if ((s.about.is_nothing() && s.tooltip.empty() && s.kind != Kind::image) || !contains(s, at)) continue;
    if (found < 0 || s.layer >= drawing.shapes[found].layer) found = static_cast<int>(i);
  }
  return found;
}

About about_at(const Drawing& drawing, Point at) {
  const int i = shape_at(drawing, at);
  if (i < 0) return {};
  const Shape& s = drawing.shapes[i];
  if (s.kind != Kind::image) return s.about;
  const Image& image = drawing.images[s.image];
  const Texel t = texel_at(image, s, at);
  return image.about_of(t.row, t.column);
}

std::string tooltip_at(const Drawing& drawing, Point at) {
  const int i = shape_at(drawing, at);
  if (i < 0) return "";
  const Shape& s = drawing.shapes[i];
  if (s.kind != Kind::image) return s.tooltip;
  const Image& image = drawing.images[s.image];
  const Texel t = texel_at(image, s, at);
  return image.tooltip_of(t.row, t.column);
}

bool is_lit(const Drawing& drawing, const Shape& shape, const Selection& selection) {
  if (selection.lights(shape.about)) return true;
  for (const Link& link : drawing.links)
    if (link.to == shape.about &&
        (is_same_thing(selection.hovered, link.from) || is_same_thing(selection.pinned, link.from)))
      return true;
  return false;
}

std::vector<LitBox> lit_boxes(const Drawing& drawing, const Shape& shape, const Selection& selection) {
  constexpr std::int64_t most = 512;
  const Image& image = drawing.images[shape.image];
  const float cell_w = shape.w / static_cast<float>(image.field_columns),
              cell_h = shape.h / static_cast<float>(image.field_rows);
  std::vector<LitBox> boxes;
  const auto add = [&](std::int64_t row, std::int64_t column, std::int64_t count) {
    const LitBox box{shape.x + cell_w * static_cast<float>(column), shape.y + cell_h * static_cast<float>(row),
                     cell_w * static_cast<float>(count), cell_h};
    if (!boxes.empty() && boxes.back().x == box.x && boxes.back().w == box.w &&
        std::abs(boxes.back().y + boxes.back().h - box.y) < 0.01f)
      boxes.back().h += box.h;
    else if (static_cast<std::int64_t>(boxes.size()) < most) boxes.push_back(box);
  };
  const auto light = [&](const About& about) {
    if (about.launch >= 0 && image.about.launch >= 0 && about.launch != image.about.launch) return;
    if (image.counts == Image::Counts::lanes) {
      if (about.lane >= 0 && about.lane < image.field_rows * image.field_columns &&
          (about.program < 0 || about.program == image.about.program))
        add(about.lane / image.field_columns, about.lane % image.field_columns, 1);
      return;
    }
    if (image.counts == Image::Counts::programs) {
      if (about.program >= 0 && about.program < image.field_rows * image.field_columns)
        add(about.program / image.field_columns, about.program % image.field_columns, 1);
      return;
    }
    if (!about.has_cells() || about.tensor != image.about.tensor) return;
    const Cells cells = image.cells();
    for (std::int64_t e = about.first, steps = 0; e <= about.last && steps < most; ++steps) {
      const auto [row, column] = cells.cell_of(e - image.base);
      if (row < 0) {
        e += about.stride;
        continue;
      }
      const bool along = about.stride == cells.column_stride;
      const std::int64_t count = along ? std::min((about.last - e) / about.stride + 1, cells.columns - column) : 1;
      add(row, column, count);
      e += along ? std::max(count * about.stride, cells.row_stride > cells.column_stride
                                                      ? cells.row_stride - column * cells.column_stride
                                                      : about.stride)
                 : about.stride;
    }
  };
  light(selection.hovered);
  light(selection.pinned);
  for (const About& about : selection.related) light(about);
  return boxes;
}

std::string plain_text(const Table& table) {
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c >= widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], characters(row[c]));
    }
  };
  measure(table.header);
  for (const auto& row : table.rows) measure(row);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      text.append(1, ' ').append(row[c]);
      if (c + 1 < row.size()) text.append(widths[c] - characters(row[c]) + 1, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text.append(1, '\n');
  };
  std::string out = table.caption.empty() ? "" : table.caption + "\n";
  if (!table.header.empty()) out += line(table.header);
  for (const auto& row : table.rows) out += line(row);
  return out;
}

std::string plain_text(const Drawing& drawing) {
  std::string out = drawing.title + "\n";
  if (!drawing.subtitle.empty()) out += drawing.subtitle + "\n";
  for (const std::string& fact : drawing.facts) out.append("- ").append(fact).append(1, '\n');
  for (const Table& table : drawing.tables) out.append(1, '\n').append(plain_text(table));
  const char* before = "\nlegend: ";
  for (const LegendItem& item : drawing.legend) out.append(std::exchange(before, "; ")).append(item.label);
  return drawing.legend.empty() ? out : out.append(1, '\n');
}

namespace {

constexpr const char* kind_names[] = {"rect", "line", "arrow", "polyline", "text", "cross", "up", "down", "image"};
constexpr const char* role_names[] = {"none",   "paper",   "surface",  "ink",    "soft",      "faint",      "contrast",
                                      "accent", "current", "category", "named",  "magnitude", "difference", "load",
                                      "store",  "fault",   "good",     "masked", "unwritten", "model"};
constexpr const char* hatch_names[] = {"", " hatched", " crossed", " dotted"};

std::string role_text(const Colour& c) {
  const char* const name = role_names[static_cast<int>(c.role)];
  if (c.role == Role::category || c.role == Role::named) return fmt::format("{} {}", name, c.index);
  return c.role == Role::magnitude || c.role == Role::difference ? fmt::format("{} {:.2f}", name, c.level) : name;
}

}  // namespace

std::string model_text(const Drawing& drawing) {
  std::string out = fmt::format("{}: {} | {}\n", drawing.panel, drawing.title, drawing.subtitle);
  for (const Shape& s : drawing.shapes) {
    out += fmt::format("{} {} at {:.0f},{:.0f}", kind_names[static_cast<int>(s.kind)], s.id.empty() ? "-" : s.id, s.x,
                       s.y);
    if (s.kind != Kind::text) out += fmt::format(" {:.0f}x{:.0f}", s.w, s.h);
    if (s.fill.role != Role::none) out += fmt::format(" {}", role_text(s.fill));
    out += hatch_names[static_cast<int>(s.hatch)];
    if (!s.text.empty()) out += fmt::format(" \"{}\"", s.text);
    if (!s.tooltip.empty()) out += fmt::format(" ({})", s.tooltip);
    out += '\n';
  }
  return out;
}

}  // namespace tl::viz
