// What stands around the panels: the toolbar, the kernel's settings, an error, the status line; and the panes
// themselves.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "viz/app/app.h"

namespace tl::viz {

namespace {

constexpr auto pane_flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_NoBringToFrontOnFocus;

bool has_room(float width) {
  return ImGui::GetCursorPosX() + width <= ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x;
}

// Puts the next item on the same line where there is room, else on a new one.
void flow(float width) {
  ImGui::SameLine();
  if (!has_room(width)) ImGui::NewLine();
}

float small_button_width(const char* label) {
  return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// With an ellipsis where it is wider.
std::string shortened(std::string text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  while (!text.empty() && ImGui::CalcTextSize((text + "\u2026").c_str()).x > width) {
    while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.pop_back();  // a character of several bytes goes whole
    text.pop_back();
  }
  return text + "\u2026";
}

// What parts groups of items.
void bar() {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  flow(gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x + gap / 2, at.y + 2}, {at.x + gap / 2, at.y + ImGui::GetFrameHeight() - 2},
                                      ImGui::GetColorU32(ImGuiCol_Border));
  ImGui::Dummy({gap, ImGui::GetFrameHeight()});
}

bool button(const char* label, const char* tooltip) {
  flow(ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool is_pressed = ImGui::Button(label);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
  return is_pressed;
}

}  // namespace

void App::draw_toolbar() {
  ImGui::SetNextItemWidth((is_tight() ? 150 : 190) * workspace_.scale);
  std::string open_one = problem_ ? problem_->name : title_;
  if (problem_ && problems::names_file(open_one)) open_one.erase(0, open_one.rfind('/') + 1);
  if (open_one.empty()) open_one = "open a kernel";
  if (ImGui::BeginCombo("##kernel", open_one.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const problems::Problem& p : problems::all()) {
      if (ImGui::Selectable(p.name.c_str(), &p == problem_)) open_kernel({p.name, {}, 0});
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", p.summary.c_str());
    }
    ImGui::EndCombo();
  }
  if (runner_.is_busy()) {
    if (button("Stop", "ends the run; what was recorded so far is shown")) runner_.stop();
  } else if (button("Run again", "Ctrl+R")) {
    run_again();
  }
  bar();
  const bool is_small = is_compact();  // then actions that have a key have no button
  const bool has_words = static_cast<float>(window_.width()) > (has_lessons() ? 1640 : 1450) * workspace_.scale;
  const auto does = [&](const char* sign, const char* word, const char* tooltip) {
    return button((has_words ? std::string(sign) + " " + word : sign).c_str(), tooltip);
  };
  if (!is_small && does("|\u25c0", "start", "to the start (Home)")) command("start");
  if (!is_small && does("\u25c0\u25c0", "run back", "reverse-continue: back to the last breakpoint (Shift+F5)"))
    command("rc");
  if (does("\u25c0", "back", "step back over (Shift+F10)")) command("rn");
  if (does("\u25b6", "step", "step over (F10)")) command("n");
  if (!is_small && does("\u25bc", "into", "step into: one op (F11)")) command("s");
  if (!is_small && does("\u25b6\u25b6", "run", "continue to the next breakpoint (F5)")) command("c");
  if (!is_small && does("\u25b6|", "end", "to the end (End)")) command("end");
  if (button("pid -", "previous program ([)")) command("program -1");
  if (button("pid +", "next program (])")) command("program +1");
  if (is_small) {
    if (problem_ && !problem_->settings.empty()) draw_settings_button("Settings");
    if (button("Commands", "everything by name (Ctrl+P)")) wants_palette_ = true;
    return;
  }
  if (is_tight()) {  // themes and sizes are among the commands
    if (is_lesson()) draw_settings_button("Settings");
    draw_preset_choice();
    if (button("Commands", "everything by name: themes, sizes, panels (Ctrl+P)")) wants_palette_ = true;
    return;
  }
  if (is_lesson()) draw_settings_button("Settings");
  bar();
  for (const std::string& name : presets()) {
    if (!is_offered(name)) continue;
    flow(ImGui::CalcTextSize(name.c_str()).x + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x);
    if (ImGui::RadioButton(name.c_str(), preferences_.preset == name)) use_preset(name);
  }
  bar();
  flow(100 * workspace_.scale);
  ImGui::SetNextItemWidth(100 * workspace_.scale);
  if (ImGui::BeginCombo("##theme", preferences_.theme.c_str())) {
    for (const ThemeName theme : {ThemeName::light, ThemeName::dark, ThemeName::contrast})
      if (ImGui::Selectable(name_of(theme), theme == workspace_.theme.name())) use_theme(theme);
    ImGui::EndCombo();
  }
  if (button("-", "smaller (Ctrl+-)")) use_scale(usual_percent() - 25);
  if (button("+", "larger (Ctrl++)")) use_scale(usual_percent() + 25);
  if (button("Commands", "everything by name (Ctrl+P)")) wants_palette_ = true;
}

void App::draw_preset_choice() {
  const float width = 110 * workspace_.scale;
  flow(width);
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo("##preset", preferences_.preset.c_str())) return;
  for (const std::string& name : presets())
    if (is_offered(name) && ImGui::Selectable(name.c_str(), preferences_.preset == name)) use_preset(name);
  ImGui::EndCombo();
}

void App::draw_settings_button(const char* label) {
  if (button(label, "the kernel's sizes and types")) ImGui::OpenPopup("settings");
  ImGui::SetNextWindowSize({0.9f * static_cast<float>(window_.width()), 0});
  if (!ImGui::BeginPopup("settings")) return;
  if (problem_ && !problem_->settings.empty()) draw_settings(false);
  else ImGui::TextDisabled("no kernel with settings is open");
  ImGui::EndPopup();
}

void App::draw_settings(bool is_one_row) {
  constexpr const char* others = "more ...";
  for (const problems::Setting& s : problem_->settings) {
    if (is_unsaid(s)) continue;
    const float width = ImGui::CalcTextSize(s.name.c_str()).x + 116 * workspace_.scale;
    if (&s != &problem_->settings.front()) {
      ImGui::SameLine();
      const float after = &s == &problem_->settings.back() ? 0 : small_button_width(others) + 8 * workspace_.scale;
      if (is_one_row && !has_room(width + after)) return draw_settings_button(others);
      if (!has_room(width)) ImGui::NewLine();
    }
    ImGui::PushID(s.name.c_str());
    ImGui::BeginGroup();
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", s.name.c_str());
    if (ImGui::IsItemHovered() && !s.help.empty()) ImGui::SetTooltip("%s", s.help.c_str());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(100 * workspace_.scale);
    draw_setting(s);
    ImGui::EndGroup();
    ImGui::PopID();
  }
}

bool App::is_unsaid(const problems::Setting& s) const {
  return s.kind == problems::Setting::Kind::integer && values_.at(s.name).empty();
}

void App::draw_setting(const problems::Setting& s) {
  using SettingKind = problems::Setting::Kind;
  const std::string& value = values_[s.name];
  if (!s.choices.empty() || s.kind == SettingKind::boolean) {
    static const std::vector<std::string> truth = {"false", "true"};
    constexpr const char* unsaid = "default";
    if (!ImGui::BeginCombo("##value", value.empty() ? unsaid : value.c_str())) return;
    if (s.default_value.empty() && ImGui::Selectable(unsaid, value.empty())) change_setting(s.name, "");
    for (const std::string& choice : s.choices.empty() ? truth : s.choices)
      if (ImGui::Selectable(choice.c_str(), choice == value)) change_setting(s.name, choice);
    return ImGui::EndCombo();
  }
  if (s.kind == SettingKind::integer && s.power_of_two) {
    const std::int64_t now = std::atoll(value.c_str());
    int log2 = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(now))) - 1;  // -1: 0, as the kernel chooses
    const int most =
        std::max(log2, std::min(13, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(s.max))) - 1));
    const float number = ImGui::CalcTextSize(std::to_string(std::int64_t{1} << most).c_str()).x,
                gap = ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::SetNextItemWidth(100 * workspace_.scale - number - gap);
    if (ImGui::SliderInt("##value", &log2, s.min < 1 ? -1 : 0, most, "", ImGuiSliderFlags_NoInput))
      change_setting(s.name, std::to_string(log2 < 0 ? 0 : std::int64_t{1} << log2));
    ImGui::SameLine(0, gap);
    ImGui::TextUnformatted(std::to_string(now).c_str());
    ImGui::SameLine(
        0, number + gap - ImGui::CalcTextSize(std::to_string(now).c_str()).x);  // the same room, whatever the number
    ImGui::Dummy({});
    return;
  }
  if (s.kind == SettingKind::integer) {
    std::int64_t number = std::atoll(value.c_str());
    const auto least = static_cast<std::int64_t>(s.min), most = static_cast<std::int64_t>(s.max);
    const float speed = std::max(0.1f, static_cast<float>(number) / 200);
    if (ImGui::DragScalar("##value", ImGuiDataType_S64, &number, speed, &least, &most, "%lld",
                          ImGuiSliderFlags_AlwaysClamp))
      change_setting(s.name, std::to_string(number));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("drag sideways, or click and type");
    return;
  }
  std::string& typed = typed_.try_emplace(s.name, value).first->second;
  if (ImGui::InputTextWithHint("##value", "(none)", &typed, ImGuiInputTextFlags_EnterReturnsTrue))
    change_setting(s.name, typed);
  if (ImGui::IsItemHovered() && !s.help.empty()) ImGui::SetTooltip("%s\nEnter runs with it", s.help.c_str());
}

void App::draw_error() {
  ImGui::PushStyleColor(ImGuiCol_Text, workspace_.colour(Role::fault));
  ImGui::TextUnformatted(error_->what());
  ImGui::PopStyleColor();
  if (!error_->fix.empty()) ImGui::Text("fix: %s", error_->fix.c_str());
  ImGui::SameLine();
  ImGui::TextDisabled(workspace_.debugger ? "(below: the last run that went well)" : "");
  if (!failing_) return;
  ImGui::SameLine();
  if (ImGui::SmallButton("show the failing run")) show_failing();
}

void App::draw_panes(Box box) {
  if (is_compact() || is_maximized_) return draw_only_pane(box);
  Layout& current = layout();
  current.place(box, 6 * workspace_.scale);
  for (Pane& pane : current.panes()) draw_pane(pane);
  const ImVec2 mouse = ImGui::GetMousePos();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) dragged_ = nullptr;
  for (Splitter& s : current.splitters()) {
    const bool is_over = s.box.contains(mouse.x, mouse.y) && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId);
    if (is_over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) dragged_ = &s;
    if (is_over || dragged_ == &s) {
      ImGui::SetMouseCursor(s.is_upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
      ImGui::GetForegroundDrawList()->AddRectFilled({s.box.x, s.box.y}, {s.box.x + s.box.width, s.box.y + s.box.height},
                                                    workspace_.colour(Colour{Role::accent, 0, 0, 0.5f}));
    }
    if (dragged_ == &s) current.drag(s, mouse.x, mouse.y);
  }
}

// The active one, unless this kernel has no such picture and the reader did not ask for it: then the first that has
// something to show.
int App::shown_tab(const Pane& pane) {
  const auto has_picture = [&](const std::string& tab) {
    View* const view = panel(tab);
    return view && view->missing(workspace_).empty();
  };
  if (pane.is_chosen || has_picture(pane.tabs[pane.active])) return pane.active;
  const auto found = std::ranges::find_if(pane.tabs, has_picture);
  return found == pane.tabs.end() ? pane.active : static_cast<int>(found - pane.tabs.begin());
}

void App::begin_pane(const Box& box, const std::string& name, bool is_in_front) {
  ImGui::SetNextWindowPos({box.x, box.y});
  ImGui::SetNextWindowSize({box.width, box.height});
  const std::string id = "##pane " + preferences_.preset + name;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);  // the frame is cleared to it
  if (is_in_front) ImGui::PushStyleColor(ImGuiCol_Border, workspace_.colour(Role::accent));
  ImGui::Begin(id.c_str(), nullptr, pane_flags | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor(is_in_front ? 2 : 1);
  ImGui::PopStyleVar();
}

void App::draw_pane(Pane& pane) {
  begin_pane(pane.box, pane.tabs.front(), pane.tabs[shown_tab(pane)] == layout().front());
  const int shown = shown_tab(pane);
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    layout().set_front(pane.tabs[shown]);
  bool is_first = true;
  for (std::size_t i = 0; i < pane.tabs.size(); ++i) {
    View* const view = panel(pane.tabs[i]);
    const bool is_shown = static_cast<int>(i) == shown;
    const bool has_run = workspace_.debugger || !view || !view->needs_recording();
    if (!is_shown && view && (!has_run || !view->missing(workspace_).empty())) continue;  // the commands still find it
    const std::string& label = pane.tabs[i];
    if (!std::exchange(is_first, false)) flow(small_button_width(label.c_str()));
    ImGui::PushStyleColor(ImGuiCol_Button, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.f);
    if (is_shown) ImGui::PushFont(workspace_.fonts.bold);
    if (ImGui::SmallButton(label.c_str())) layout().show(pane.tabs[i]);
    if (is_shown) {
      ImGui::PopFont();
      const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
      ImGui::GetWindowDrawList()->AddRectFilled({from.x + 4, to.y}, {to.x - 4, to.y + 2 * workspace_.scale},
                                                workspace_.colour(Role::accent));
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      layout().show(pane.tabs[i]);
      is_maximized_ = true;
    }
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
  draw_panel(panel(pane.tabs[shown]));
  ImGui::End();
}

// Keys go to the panel in front: the next pane's, round and round.
void App::focus_pane(int by) {
  const auto& panes = layout().panes();
  const auto count = static_cast<int>(panes.size());
  int at = 0;
  for (int i = 0; i < count; ++i)
    if (panes[i].tabs[shown_tab(panes[i])] == layout().front()) at = i;
  const Pane& next = panes[(at + by + count) % count];
  layout().set_front(next.tabs[shown_tab(next)]);
}

// Where a preset's panes would be too small to read, one of its panels takes all the room.
void App::draw_only_pane(Box box) {
  begin_pane(box, "only");
  Layout& current = layout();
  ImGui::SetNextItemWidth(150 * workspace_.scale);
  if (ImGui::BeginCombo("##panel", current.front().c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const Pane& pane : current.panes())
      for (const std::string& tab : pane.tabs)
        if (ImGui::Selectable(tab.c_str(), tab == current.front())) current.show(tab);
    ImGui::EndCombo();
  }
  if (is_maximized_ && !is_compact() && button("back to all panels", "Ctrl+M")) is_maximized_ = false;
  draw_panel(panel(current.front()));
  ImGui::End();
}

void App::draw_panel(View* active) {
  if (active && (workspace_.debugger || !active->needs_recording())) active->draw(workspace_);
  else if (!workspace_.debugger) ImGui::TextDisabled("%s", runner_.is_busy() ? "recording ..." : empty_text_.c_str());
}

void App::draw_status() {
  char busy[160] = "";
  if (runner_.is_busy())
    std::snprintf(busy, sizeof busy, "%s %s ... %.1f s", runner_.is_stopping() ? "stopping" : "recording",
                  request_ ? request_->kernel.c_str() : "", runner_.busy_seconds());
  if (!workspace_.debugger) return ImGui::TextUnformatted(busy);
  debug::Session& session = workspace_.debugger->session();
  ImGui::Text("program %s, step %u of %u", trace::text_of(session.program().id).c_str(), session.now().step,
              session.view().steps());
  ImGui::SameLine(0, 16 * workspace_.scale);
  int at = static_cast<int>(workspace_.findings->number_of(session.now()));
  ImGui::SetNextItemWidth(std::min(300 * workspace_.scale, 0.3f * static_cast<float>(window_.width())));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(4, 0));
  if (ImGui::SliderInt("##moment", &at, 0, static_cast<int>(workspace_.findings->moments() - 1), "",
                       ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput))
    scrub(at);
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("every recorded step of every program, in the order they ran: drag to go there");
  ImGui::SameLine(0, 6 * workspace_.scale);
  ImGui::TextDisabled("moment %d of %lld of the run", at, static_cast<long long>(workspace_.findings->moments() - 1));
  ImGui::SameLine(0, 16 * workspace_.scale);
  const std::string said = *busy ? busy : status_;
  ImGui::TextDisabled("%s", shortened(said, ImGui::GetContentRegionAvail().x).c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", said.c_str());
}

}  // namespace tl::viz
