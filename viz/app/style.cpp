#include "viz/app/style.h"

#include <imgui.h>

namespace tl::viz {

namespace {

ImVec4 vec(const Rgba& c, float alpha = 1) { return {c.r, c.g, c.b, alpha}; }

}  // namespace

void apply_style(const Theme& theme, float scale) {
  ImGuiStyle style;
  theme.name() == ThemeName::light ? ImGui::StyleColorsLight(&style) : ImGui::StyleColorsDark(&style);
  const Rgba paper = theme({Role::paper}), surface = theme({Role::surface}), ink = theme({Role::ink}),
             soft = theme({Role::soft}), faint = theme({Role::faint}), accent = theme({Role::accent});
  style.Colors[ImGuiCol_Text] = vec(ink);
  style.Colors[ImGuiCol_TextDisabled] = vec(soft);
  for (const int i : {ImGuiCol_WindowBg, ImGuiCol_PopupBg}) style.Colors[i] = vec(paper);
  style.Colors[ImGuiCol_ChildBg] =
      vec(paper, 0);  // the frame is cleared to paper: each layer of it more costs software GL 10 ms
  for (const int i : {ImGuiCol_Border, ImGuiCol_Separator}) style.Colors[i] = vec(faint);
  for (const int i : {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Tab, ImGuiCol_TabUnfocused, ImGuiCol_Header})
    style.Colors[i] = vec(surface);
  style.Colors[ImGuiCol_ScrollbarBg] = vec(paper, 0);
  style.Colors[ImGuiCol_ScrollbarGrab] = vec(faint);
  for (const int i : {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_TabHovered, ImGuiCol_HeaderHovered})
    style.Colors[i] = vec(accent, 0.35f);
  for (const int i : {ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_TabActive, ImGuiCol_TabUnfocusedActive,
                      ImGuiCol_HeaderActive})
    style.Colors[i] = vec(accent, 0.45f);
  for (const int i : {ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive})
    style.Colors[i] = vec(accent, theme.name() == ThemeName::light ? 0.6f : 0.45f);  // a number may stand on it
  style.Colors[ImGuiCol_CheckMark] = vec(accent);
  style.WindowRounding = style.ChildRounding = 0;
  style.FrameRounding = style.TabRounding = style.GrabRounding = style.PopupRounding = 4;
  style.ScrollbarRounding = 6;
  style.ScrollbarSize = 12;
  style.WindowPadding = {10, 5};
  style.FramePadding = {8, 3};
  style.ItemSpacing = {8, 4};
  style.GrabMinSize = 12;
  style.FrameBorderSize = 1;  // an empty box must be seen in every theme
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

}  // namespace tl::viz
