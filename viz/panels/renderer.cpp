#include "viz/panels/renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "viz/panels/crisp_text.h"

namespace tl::viz {

namespace {

// ImGui counts a font's size from its ascent to its descent; a drawing's is that of the letters, as SVG counts it and
// as text_width measures. Of DejaVu, an em's.
constexpr float line_of_em = 1.164f, ascent_of_em = 0.928f;

// Places and strokes of one drawing on the screen.
struct Brush {
  ImDrawList& list;
  const Workspace& workspace;
  ImVec2 origin;
  float scale;

  ImVec2 at(float x, float y) const { return {origin.x + x * scale, origin.y + y * scale}; }
  ImFont* font(const Shape& s) const {
    return s.is_mono ? workspace.fonts.mono : s.is_bold ? workspace.fonts.bold : workspace.fonts.sans;
  }

  float line_height(const Shape& s) const { return line_of_em * s.size * scale; }

  void hatch(const Shape& s, ImVec2 a, ImVec2 b) const {
    const ImU32 ink =
        workspace.colour(Colour{Role::contrast, 0, 0, 0.55f}, s.fill.role == Role::none ? Colour{Role::paper} : s.fill);
    list.PushClipRect(a, b, true);
    const float step = std::max(3.0f, 6 * scale), height = b.y - a.y;
    if (s.hatch == Hatch::dots) {
      for (float y = a.y + step / 2; y < b.y; y += step)
        for (float x = a.x + step / 2; x < b.x; x += step) list.AddRectFilled({x, y}, {x + 1.5f, y + 1.5f}, ink);
    } else {
      // x + y is a multiple of the step, so that the hatches of neighbours join.
      const float from = origin.x + origin.y, first = std::ceil((a.x + a.y - from) / step) * step + from - b.y;
      for (float x = first; x < b.x; x += step) list.AddLine({x, b.y}, {x + height, a.y}, ink);
      if (s.hatch == Hatch::crossed)
        for (float x = a.x - height; x < b.x; x += step) list.AddLine({x, a.y}, {x + height, b.y}, ink);
    }
    list.PopClipRect();
  }

  void text(const Shape& s, const std::string& text, ImVec2 where, const Colour& ink, const Colour& over) const {
    add_text(list, font(s), line_height(s), where, workspace.colour(ink, over), text.c_str());
  }

  void centred(const Shape& s, ImVec2 a, ImVec2 b) const {
    const ImVec2 size = font(s)->CalcTextSizeA(line_height(s), 1e9f, 0, s.text.c_str());
    const Colour ink = s.ink.role == Role::none ? Colour{Role::contrast} : s.ink;
    text(s, s.text, {(a.x + b.x - size.x) / 2, (a.y + b.y - size.y) / 2}, ink,
         s.fill.role == Role::none ? Colour{Role::paper} : s.fill);
  }

  // Its place is that of its baseline.
  void label(const Shape& s) const {
    const float width = font(s)->CalcTextSizeA(line_height(s), 1e9f, 0, s.text.c_str()).x;
    ImVec2 where = at(s.x, s.y);
    where.y -= ascent_of_em * s.size * scale;
    if (s.align == Align::centre) where.x -= width / 2;
    if (s.align == Align::right) where.x -= width;
    text(s, s.text, where, s.ink, s.over.role == Role::none ? Colour{Role::paper} : s.over);
  }

  void line(ImVec2 a, ImVec2 b, ImU32 colour, float width, bool is_dashed) const {
    if (!is_dashed) return list.AddLine(a, b, colour, width);
    const float length = std::hypot(b.x - a.x, b.y - a.y), dash = 5 * scale;
    if (length <= 0) return;
    const ImVec2 step((b.x - a.x) / length, (b.y - a.y) / length);
    for (float t = 0; t < length; t += 2 * dash) {
      const float e = std::min(length, t + dash);
      list.AddLine({a.x + step.x * t, a.y + step.y * t}, {a.x + step.x * e, a.y + step.y * e}, colour, width);
    }
  }

  // Four bars: a quarter of the triangles of ImGui's antialiased outline, and fields have thousands of cells.
  void frame(ImVec2 a, ImVec2 b, ImU32 colour, float width) const {
    a = {std::floor(a.x), std::floor(a.y)};
    b = {std::floor(b.x), std::floor(b.y)};
    width = std::round(width);
    list.AddRectFilled(a, {b.x, a.y + width}, colour);
    list.AddRectFilled({a.x, b.y - width}, b, colour);
    list.AddRectFilled({a.x, a.y + width}, {a.x + width, b.y - width}, colour);
    list.AddRectFilled({b.x - width, a.y + width}, {b.x, b.y - width}, colour);
  }

  void arrow_head(ImVec2 a, ImVec2 b, ImU32 colour) const {
    const float length = std::hypot(b.x - a.x, b.y - a.y), size = 6 * scale;
    if (length < 1) return;
    const ImVec2 d((b.x - a.x) / length * size, (b.y - a.y) / length * size);
    list.AddTriangleFilled(b, {b.x - d.x - d.y / 2, b.y - d.y + d.x / 2}, {b.x - d.x + d.y / 2, b.y - d.y - d.x / 2},
                           colour);
  }
};

void show_shape(const Brush& brush, const Shape& s, bool is_lit) {
  const Workspace& w = brush.workspace;
  ImDrawList& list = brush.list;
  const ImVec2 a = brush.at(s.x, s.y), b = brush.at(s.x + s.w, s.y + s.h);
  const float width = std::max(1.0f, s.stroke_width * brush.scale);
  const bool is_stroked = s.stroke.role != Role::none;
  const ImU32 stroke = w.colour(is_stroked ? s.stroke : s.ink), fill = w.colour(s.fill);
  switch (s.kind) {
    case Kind::rect:
      if (s.fill.role != Role::none) list.AddRectFilled(a, b, fill);
      if (s.hatch != Hatch::none) brush.hatch(s, a, b);
      if (const Shape plate = plate_of(s); plate.w > 0)
        for (const Colour& coat : {plate.fill, s.fill})
          list.AddRectFilled(brush.at(plate.x, plate.y), brush.at(plate.x + plate.w, plate.y + plate.h),
                             w.colour(coat));
      if (is_stroked) brush.frame(a, b, stroke, width);
      if (!s.text.empty()) brush.centred(s, a, b);
      break;
    case Kind::line: brush.line(a, b, stroke, width, s.is_dashed); break;
    case Kind::arrow:
      brush.line(a, b, stroke, width, s.is_dashed);
      brush.arrow_head(a, b, stroke);
      break;
    case Kind::polyline: {
      for (std::size_t i = 1; i < s.points.size(); ++i)
        brush.line(brush.at(s.points[i - 1].x, s.points[i - 1].y), brush.at(s.points[i].x, s.points[i].y), stroke,
                   width, s.is_dashed);
      break;
    }
    case Kind::text: brush.label(s); break;
    case Kind::cross:
      list.AddLine(a, b, stroke, width + 1);
      list.AddLine({a.x, b.y}, {b.x, a.y}, stroke, width + 1);
      break;
    case Kind::up_triangle: list.AddTriangleFilled({(a.x + b.x) / 2, a.y}, {b.x, b.y}, {a.x, b.y}, fill); break;
    case Kind::down_triangle: list.AddTriangleFilled({a.x, a.y}, {b.x, a.y}, {(a.x + b.x) / 2, b.y}, fill); break;
    case Kind::image: break;
  }
  if (!is_lit) return;
  const ImU32 accent = w.colour(Role::accent);
  if (s.kind == Kind::line || s.kind == Kind::arrow) list.AddLine(a, b, accent, width + 2);
  else if (s.kind != Kind::text && s.kind != Kind::polyline)
    list.AddRect(a, b, accent, 0, 0, std::max(2.0f, 2 * brush.scale));
}

}  // namespace

// In rows, each as wide as its words and a slider ask for; what a row leaves over makes its sliders longer.
std::vector<Renderer::ControlPlace> Renderer::control_places(const Drawing& drawing) {
  const float room = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemSpacing.x,
              inner = ImGui::GetStyle().ItemInnerSpacing.x, least = 4.5f * ImGui::GetFontSize();
  std::vector<ControlPlace> places;
  std::size_t first = 0;  // of the row
  float x = 0;
  const auto stretch_row = [&] {
    const std::size_t count = places.size() - first;
    const float more =
        std::clamp((room - x + gap) / static_cast<float>(std::max<std::size_t>(1, count)), 0.f, 2 * least);
    for (std::size_t i = first; i < places.size(); ++i) {
      places[i].x += static_cast<float>(i - first) * more;
      places[i].grab += more;
    }
    first = places.size();
    x = 0;
  };
  int row = 0;
  for (const Control& c : drawing.controls) {
    std::string words = c.label;
    if (c.kind != Control::Kind::choice && c.kind != Control::Kind::toggle) words += fmt::format(" {}", c.max);
    float grab = c.kind == Control::Kind::toggle ? ImGui::GetFrameHeight() : least;
    for (const std::string& choice : c.choices)
      grab = std::max(grab, ImGui::CalcTextSize(choice.c_str()).x + ImGui::GetFrameHeight() + inner);
    const float width = grab + inner + ImGui::CalcTextSize(words.c_str()).x;
    if (x > 0 && x + width > room) {
      stretch_row();
      ++row;
    }
    places.push_back({row, x, grab});
    x += width + gap;
  }
  stretch_row();
  return places;
}

float Renderer::controls_height(const Drawing& drawing) {
  const auto places = control_places(drawing);
  return static_cast<float>(places.empty() ? 0 : places.back().row + 1) * ImGui::GetFrameHeightWithSpacing();
}

bool Renderer::show_controls(const Drawing& drawing, Workspace& workspace,
                             std::map<std::string, std::int64_t>& values) {
  bool has_moved = false;
  const std::vector<ControlPlace> places = control_places(drawing);
  const float left = ImGui::GetCursorPosX();
  for (std::size_t i = 0; i < drawing.controls.size(); ++i) {
    const Control& c = drawing.controls[i];
    ImGui::PushID(c.name.c_str());
    if (places[i].x > 0) ImGui::SameLine(left + places[i].x);
    std::int64_t turned = c.value;
    const ImVec2 place = ImGui::GetCursorScreenPos();
    controls_[c.name] = {place.x, place.y, places[i].grab, ImGui::GetFrameHeight()};
    ImGui::SetNextItemWidth(places[i].grab);
    if (c.kind == Control::Kind::toggle) {
      bool is_on = c.value != 0;
      if (ImGui::Checkbox(c.label.c_str(), &is_on)) turned = is_on;
    } else if (c.kind == Control::Kind::choice) {
      if (ImGui::BeginCombo(c.label.c_str(), c.choices[c.value].c_str())) {
        for (std::size_t k = 0; k < c.choices.size(); ++k)
          if (ImGui::Selectable(c.choices[k].c_str(), static_cast<std::int64_t>(k) == c.value))
            turned = static_cast<std::int64_t>(k);
        ImGui::EndCombo();
      }
    } else {  // its number stands beside it: on it, the grab would cover it
      const bool is_power = c.kind == Control::Kind::power;
      const auto place_of = [&](std::int64_t n) {
        return is_power ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, n)))) - 1
                        : static_cast<int>(n);
      };
      int at = place_of(c.value);
      if (ImGui::SliderInt("##value", &at, place_of(c.min), place_of(c.max), "",
                           ImGuiSliderFlags_AlwaysClamp | (is_power ? ImGuiSliderFlags_NoInput : 0)))
        turned = is_power ? std::int64_t{1} << at : at;
      ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
      ImGui::Text("%s %lld", c.label.c_str(), static_cast<long long>(c.value));
    }
    if (turned != c.value && c.is_of_kernel) workspace.turn(c, turned);
    else if (turned != c.value) {
      values[c.name] = turned;
      has_moved = true;
    }
    ImGui::PopID();
  }
  return has_moved;
}

// Shapes are sorted by layer. Plain neighbours of one colour become one rectangle: software GL pays for each.
void Renderer::show_shapes(const Drawing& drawing, ImVec2 origin, Workspace& workspace) {
  const Brush brush{*ImGui::GetWindowDrawList(), workspace, origin, workspace.scale};
  const ImVec2 clip_from = brush.list.GetClipRectMin(), clip_to = brush.list.GetClipRectMax();
  Shape merged;
  const auto flush = [&] {
    if (merged.fill.role != Role::none) show_shape(brush, merged, false);
    merged.fill = {};
  };
  for (std::size_t i = 0; i < drawing.shapes.size(); ++i) {
    const Shape& s = drawing.shapes[i];
    const ImVec2 a = brush.at(s.x, s.y), b = brush.at(s.x + s.w, s.y + s.h);
    if (s.kind != Kind::text && s.kind != Kind::polyline &&
        (std::max(a.x, b.x) < clip_from.x || std::min(a.x, b.x) > clip_to.x || std::max(a.y, b.y) < clip_from.y ||
         std::min(a.y, b.y) > clip_to.y))
      continue;
    const bool lit = lights(drawing, i, workspace.selection);
    const bool is_plain = s.kind == Kind::rect && s.stroke.role == Role::none && s.hatch == Hatch::none &&
                          s.text.empty() && !lit && s.layer == Layer::cells;
    if (is_plain && merged.fill == s.fill && merged.y == s.y && merged.h == s.h &&
        std::abs(merged.x + merged.w - s.x) < 0.01f) {
      merged.w = s.x + s.w - merged.x;
      continue;
    }
    flush();
    if (is_plain) {
      merged.x = s.x;
      merged.y = s.y;
      merged.w = s.w;
      merged.h = s.h;
      merged.fill = s.fill;
      continue;
    }
    if (s.kind == Kind::image) {
      show_image(drawing, s, a, b, workspace);
      if (!workspace.selection.is_nothing())
        for (const LitBox& box : lit_boxes(drawing, s, workspace.selection)) {
          const ImVec2 from = brush.at(box.x, box.y), to = brush.at(box.x + box.w, box.y + box.h);
          brush.list.AddRect({from.x - 1, from.y - 1}, {std::max(to.x, from.x + 2) + 1, std::max(to.y, from.y + 2) + 1},
                             workspace.colour(Role::accent), 0, 0, 2);
        }
    }
    show_shape(brush, s, lit);
  }
  flush();
}

void Renderer::forget() {
  for (ImTextureID t : textures_)
    if (t) drop_(t);
  textures_.clear();
  lit_.clear();
}

// Thousands of shapes, perhaps a hundred things that are related: asked once a selection, not once a frame.
bool Renderer::lights(const Drawing& drawing, std::size_t shape, const Selection& selection) {
  if (selection.is_nothing()) return false;
  if (lit_.size() != drawing.shapes.size() || !(lit_by_ == selection)) {
    lit_by_ = selection;
    lit_.clear();
    for (const Shape& s : drawing.shapes) lit_.push_back(s.kind != Kind::image && is_lit(drawing, s, selection));
  }
  return lit_[shape] != 0;
}

void Renderer::keep_under_pointer(float growth) {
  const ImVec2 from(pointer_.x, pointer_.y);
  pending_scroll_ = ImVec2(from.x * (growth - 1), from.y * (growth - 1));
}

void Renderer::show_image(const Drawing& drawing, const Shape& shape, ImVec2 from, ImVec2 to, Workspace& workspace) {
  const auto index = static_cast<std::size_t>(shape.image);
  const Image& image = drawing.images[index];
  textures_.resize(std::max(textures_.size(), index + 1));
  drop_ = workspace.drop_texture;
  if (!textures_[index]) {
    std::vector<std::uint32_t> palette, rgba;
    for (const auto& entry : image.palette) palette.push_back(workspace.colour(entry.colour));
    for (const unsigned char t : image.texels) rgba.push_back(palette[t]);
    textures_[index] = workspace.make_texture(image.columns, image.rows, rgba);
  }
  ImGui::GetWindowDrawList()->AddImage(textures_[index], from, to);
}

bool Renderer::show(const Drawing& drawing, Workspace& workspace, std::map<std::string, std::int64_t>& values) {
  const bool is_tight =
      controls_height(drawing) > 0.4f * ImGui::GetContentRegionAvail().y;  // then they scroll with the drawing
  bool has_moved = !is_tight && show_controls(drawing, workspace, values);
  // A bar only where it is needed: a drawing as wide as its room must not lose its edge to the other bar.
  const ImVec2 room = ImGui::GetContentRegionAvail(),
               size(std::max(1.0f, drawing.width * workspace.scale), std::max(1.0f, drawing.height * workspace.scale));
  const bool is_wide = size.x > room.x + 1;
  ImGui::BeginChild("drawing", ImVec2(0, 0), false, is_wide ? ImGuiWindowFlags_HorizontalScrollbar : 0);
  if (pending_scroll_) {
    ImGui::SetScrollX(ImGui::GetScrollX() + pending_scroll_->x);
    ImGui::SetScrollY(ImGui::GetScrollY() + pending_scroll_->y);
  }
  pending_scroll_.reset();
  if (is_tight) has_moved = show_controls(drawing, workspace, values);
  const ImVec2 origin = origin_ = ImGui::GetCursorScreenPos();
  show_shapes(drawing, origin, workspace);
  ImGui::InvisibleButton("area", size);
  is_hovered_ = ImGui::IsItemHovered();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {  // drags the drawing about
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    ImGui::SetScrollX(ImGui::GetScrollX() - moved.x);
    ImGui::SetScrollY(ImGui::GetScrollY() - moved.y);
  }
  if (is_hovered_) {
    const ImVec2 mouse = ImGui::GetMousePos();
    pointer_ = {mouse.x - origin.x, mouse.y - origin.y};
    const Point at{pointer_.x / workspace.scale, pointer_.y / workspace.scale};
    const About about = about_at(drawing, at);
    const int shape = shape_at(drawing, at);
    const bool goes = shape >= 0 && drawing.shapes[shape].goes_there;
    if (!about.is_nothing()) workspace.point_at(about, !goes);
    if (shape >= 0 && !drawing.shapes[shape].takes.empty()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 16)
        workspace.take(drawing.shapes[shape].takes);
    }
    if ((goes && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ||
        (about.program >= 0 && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)))
      workspace.go_to(about);
    if (const std::string tip = tooltip_at(drawing, at); !tip.empty()) ImGui::SetTooltip("%s", tip.c_str());
  }
  ImGui::EndChild();
  return has_moved;
}

}  // namespace tl::viz
