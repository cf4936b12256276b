#include "viz/panels/renderer.h"

#include <algorithm>
#include <cmath>

namespace tl::viz {

namespace {

// Places and strokes of one drawing on the screen.
struct Brush {
  ImDrawList& list;
  const Workspace& workspace;
  ImVec2 origin;
  float scale;

  ImVec2 at(float x, float y) const { return {origin.x + x * scale, origin.y + y * scale}; }
  ImFont* font(const Shape& s) const { return s.is_mono ? workspace.fonts.mono : s.is_bold ? workspace.fonts.bold : workspace.fonts.sans; }

  void hatch(const Shape& s, ImVec2 a, ImVec2 b) const {
    const ImU32 ink = workspace.colour(Colour{Role::contrast, 0, 0, 0.55f}, s.fill.role == Role::none ? Colour{Role::paper} : s.fill);
    list.PushClipRect(a, b, true);
    const float step = std::max(3.0f, 6 * scale), height = b.y - a.y;
    if (s.hatch == Hatch::dots) {
      for (float y = a.y + step / 2; y < b.y; y += step)
        for (float x = a.x + step / 2; x < b.x; x += step) list.AddRectFilled({x, y}, {x + 1.5f, y + 1.5f}, ink);
    } else {
      for (float x = a.x - height; x < b.x; x += step) list.AddLine({x, b.y}, {x + height, a.y}, ink);
      if (s.hatch == Hatch::crossed)
        for (float x = a.x - height; x < b.x; x += step) list.AddLine({x, a.y}, {x + height, b.y}, ink);
    }
    list.PopClipRect();
  }

  void text(const Shape& s, const std::string& text, ImVec2 where, const Colour& ink, const Colour& over) const {
    list.AddText(font(s), s.size * scale, where, workspace.colour(ink, over), text.c_str());
  }

  void centred(const Shape& s, ImVec2 a, ImVec2 b) const {
    const ImVec2 size = font(s)->CalcTextSizeA(s.size * scale, 1e9f, 0, s.text.c_str());
    const Colour ink = s.ink.role == Role::none ? Colour{Role::contrast} : s.ink;
    text(s, s.text, {(a.x + b.x - size.x) / 2, (a.y + b.y - size.y) / 2}, ink, s.fill.role == Role::none ? Colour{Role::paper} : s.fill);
  }

  // The baseline of DejaVu stands 0.93 em below the top of ImGui's line.
  void label(const Shape& s) const {
    const float width = font(s)->CalcTextSizeA(s.size * scale, 1e9f, 0, s.text.c_str()).x;
    ImVec2 where = at(s.x, s.y);
    where.y -= 0.93f * s.size * scale;
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

  void arrow_head(ImVec2 a, ImVec2 b, ImU32 colour) const {
    const float length = std::hypot(b.x - a.x, b.y - a.y), size = 6 * scale;
    if (length < 1) return;
    const ImVec2 d((b.x - a.x) / length * size, (b.y - a.y) / length * size);
    list.AddTriangleFilled(b, {b.x - d.x - d.y / 2, b.y - d.y + d.x / 2}, {b.x - d.x + d.y / 2, b.y - d.y - d.x / 2}, colour);
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
      if (is_stroked) list.AddRect(a, b, stroke, 0, 0, width);
      if (!s.text.empty()) brush.centred(s, a, b);
      break;
    case Kind::line: brush.line(a, b, stroke, width, s.is_dashed); break;
    case Kind::arrow:
      brush.line(a, b, stroke, width, s.is_dashed);
      brush.arrow_head(a, b, stroke);
      break;
    case Kind::polyline: {
      for (std::size_t i = 1; i < s.points.size(); ++i) brush.line(brush.at(s.points[i - 1].x, s.points[i - 1].y), brush.at(s.points[i].x, s.points[i].y), stroke, width, s.is_dashed);
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
  else if (s.kind != Kind::text && s.kind != Kind::polyline) list.AddRect(a, b, accent, 0, 0, std::max(2.0f, 2 * brush.scale));
}

}  // namespace

float Renderer::controls_height(const Drawing& drawing) {
  const auto rows = (drawing.controls.size() + controls_a_row - 1) / controls_a_row;
  return static_cast<float>(rows) * ImGui::GetFrameHeightWithSpacing();
}

bool Renderer::show_controls(const Drawing& drawing, std::map<std::string, std::int64_t>& values) {
  bool has_moved = false;
  const float third = ImGui::GetContentRegionAvail().x / controls_a_row;
  for (std::size_t i = 0; i < drawing.controls.size(); ++i) {
    const Control& c = drawing.controls[i];
    ImGui::PushID(c.name.c_str());
    if (i % controls_a_row != 0) ImGui::SameLine(static_cast<float>(i % controls_a_row) * third);
    if (c.kind == Control::Kind::toggle) {
      bool is_on = c.value != 0;
      if (ImGui::Checkbox(c.label.c_str(), &is_on)) values[c.name] = is_on, has_moved = true;
    } else {
      int value = static_cast<int>(c.value);
      ImGui::SetNextItemWidth(third * 0.45f);
      if (ImGui::SliderInt(c.label.c_str(), &value, static_cast<int>(c.min), static_cast<int>(c.max), "%d", ImGuiSliderFlags_AlwaysClamp)) values[c.name] = value, has_moved = true;
    }
    ImGui::PopID();
  }
  return has_moved;
}

void Renderer::drop_textures() {
  for (ImTextureID t : textures_)
    if (t) drop_(t);
  textures_.clear();
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
  const bool has_moved = show_controls(drawing, values);
  ImGui::BeginChild("drawing", ImVec2(0, 0), false, ImGuiWindowFlags_HorizontalScrollbar);
  const Brush brush{*ImGui::GetWindowDrawList(), workspace, ImGui::GetCursorScreenPos(), workspace.scale};
  for (int layer = 0; layer <= static_cast<int>(Layer::labels); ++layer)
    for (const Shape& s : drawing.shapes) {
      if (static_cast<int>(s.layer) != layer) continue;
      const ImVec2 a = brush.at(s.x, s.y), b = brush.at(s.x + s.w, s.y + s.h);
      if (s.kind == Kind::image) show_image(drawing, s, a, b, workspace);
      show_shape(brush, s, is_lit(drawing, s, workspace.selection));
    }
  ImGui::InvisibleButton("area", ImVec2(std::max(1.0f, drawing.width * workspace.scale), std::max(1.0f, drawing.height * workspace.scale)));
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const Point at{(mouse.x - brush.origin.x) / brush.scale, (mouse.y - brush.origin.y) / brush.scale};
    const About about = about_at(drawing, at);
    if (!about.is_nothing()) workspace.point_at(about);
    if (const std::string tip = tooltip_at(drawing, at); !tip.empty()) ImGui::SetTooltip("%s", tip.c_str());
  }
  ImGui::EndChild();
  return has_moved;
}

}  // namespace tl::viz
