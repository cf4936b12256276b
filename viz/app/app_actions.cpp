// The window's actions: their names in the palette, their keys, what they do.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "interp/machine/device.h"
#include "viz/app/app.h"

namespace tl::viz {

void App::add(std::string title, std::vector<KeyPress> keys, std::function<void()> run, bool is_letter) {
  actions_.push_back({std::move(title), std::move(keys), std::move(run), is_letter});
}

void App::add_command(std::string title, std::vector<KeyPress> keys, const std::string& line, bool is_letter) {
  add(std::move(title), std::move(keys), [this, line] { command(line); }, is_letter);
}

void App::make_actions() {
  add_command("Step over", {{key_f10, 0}}, "n");
  add_command("Step back over", {{key_f10, shift}}, "rn");
  add_command("Step into", {{key_f11, 0}}, "s");
  add_command("Step out", {{key_f11, shift}}, "fin");
  add_command("Step back into", {{key_f11, control}}, "rs");
  add_command("Continue", {{key_f5, 0}}, "c");
  add_command("Reverse-continue", {{key_f5, shift}}, "rc");
  add("Toggle a breakpoint at the next line", {{key_f9, 0}}, [this] { toggle_breakpoint(); });
  add("Run to the line under the pointer", {{key_f10, control}}, [this] { run_to_cursor(); });
  add_command("Next program", {{key_right_bracket, 0}}, "program +1", true);
  add_command("Previous program", {{key_left_bracket, 0}}, "program -1", true);
  add_command("Step forwards one op", {{key_right, 0}}, "s", true);
  add_command("Step backwards one op", {{key_left, 0}}, "rs", true);
  add_command("Next line", {{key_down, 0}}, "n", true);
  add_command("Line before", {{key_up, 0}}, "rn", true);
  add_command("To the start", {{key_home, 0}}, "start", true);
  add_command("To the end", {{key_end, 0}}, "end", true);
  // The letters of the terminal, while no text field has the focus.
  add_command("n: next line", {{'N', 0}}, "n", true);
  add_command("s: next op", {{'S', 0}}, "s", true);
  add_command("c: continue", {{'C', 0}}, "c", true);
  add_command("Shift+n: rn, the line before", {{'N', shift}}, "rn", true);
  add_command("Shift+s: rs, the op before", {{'S', shift}}, "rs", true);
  add_command("Shift+c: rc, reverse-continue", {{'C', shift}}, "rc", true);
  add("Command palette", {{'P', control}, {key_f1, 0}}, [this] { wants_palette_ = true; });
  add("All the room for the panel in front, or back", {{'M', control}}, [this] { is_maximized_ = !is_maximized_; });
  add("Keys to the next pane", {{key_tab, 0}}, [this] { focus_pane(1); }, true);
  add("Keys to the pane before", {{key_tab, shift}}, [this] { focus_pane(-1); }, true);
  add("Chip, code: keep this launch beside the next, or no more", {{'B', control}},
      [this] { workspace_.keep_beside(!workspace_.baseline); });
  add("Clear the selection", {{key_escape, 0}}, [this] { workspace_.selection = {}; });
  int preset_key = '1';
  for (const std::string& name : presets())
    add("Preset: " + name, {{preset_key++, control}}, [this, name] { use_preset(name); });
  for (const auto& p : panels_)
    add(std::string("Panel: ") + p->name(), {}, [this, name = std::string(p->name())] { show(name); });
  for (const auto& p : panels_)
    add(std::string("Copy as text: ") + p->name(), {}, [this, panel = p.get()] {
      ImGui::SetClipboardText(panel->text(workspace_).c_str());
      status_ = std::string(panel->name()) + " was copied as text";
    });
  for (const ThemeName theme : {ThemeName::light, ThemeName::dark, ThemeName::contrast})
    add(std::string("Theme: ") + name_of(theme), {}, [this, theme] { use_theme(theme); });
  add("Larger", {{key_plus, control}, {key_plus, control | shift}, {keypad_plus, control}},
      [this] { use_scale(usual_percent() + 25); });
  add("Smaller", {{key_minus, control}, {keypad_minus, control}}, [this] { use_scale(usual_percent() - 25); });
  add("Scale by the monitor", {{key_0, control}, {keypad_0, control}}, [this] { use_scale(0); });
  add("Presenter's mode, or back: one panel, large type", {{'L', control}},
      [this] { is_presenting_ = is_maximized_ = !is_presenting_; });
  add("Open a file", {{'O', control}}, [this] { wants_file_ = true; });
  add("Run again", {{'R', control}}, [this] { run_again(); });
  add("Run every program", {{'R', control | shift}}, [this] { run_whole(); });
  add("Stop the run", {}, [this] { runner_.stop(); });
  add("Quit", {{'Q', control}}, [this] { window_.close(); });
}

void App::run_again() {
  if (request_) return open(*request_);
  if (!repeat_) return;
  try {
    repeat_();
  } catch (const Error& e) {
    error_ = e;
  }
}

void App::run_whole() {
  if (!request_) return run_again();
  RecordRequest all = *request_;
  all.wants_all = true;
  open(all);
}

void App::handle_keys() {
  const bool is_typing = ImGui::GetIO().WantTextInput ||
                         ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  for (const KeyPress& press : window_.take_key_presses()) {
    if (View* const front = panel(layout().front()); !is_typing && front && front->take_key(workspace_, press))
      continue;
    for (const Action& action : actions_)
      if (std::ranges::count(action.keys, press) && !(is_typing && (action.is_letter || press.key == key_escape))) {
        action.run();
        break;
      }
  }
}

void App::use_preset(const std::string& preset) {
  preferences_.preset = preset;
  before_story_.clear();
}

void App::leave_story() {
  if (!before_story_.empty()) use_preset(std::string(before_story_));
}

void App::use_theme(ThemeName theme) {
  preferences_.theme = name_of(theme);
  workspace_.theme = Theme(theme);
  ++workspace_.generation;  // textures carry the old colours
}

void App::use_scale(int percent) { preferences_.scale_percent = percent == 0 ? 0 : std::clamp(percent, 50, 300); }

int App::usual_percent() const {
  if (preferences_.scale_percent != 0) return preferences_.scale_percent;
  return std::clamp(static_cast<int>(100 * window_.monitor_scale()), 50, 300);
}
int App::scale_percent() const { return is_presenting_ ? std::min(300, usual_percent() * 3 / 2) : usual_percent(); }

void App::change_setting(const std::string& name, const std::string& value) {
  if (request_ && values_[name] != value) take_settings({{name, value}});
}

void App::take_settings(const std::vector<std::pair<std::string, std::string>>& settings) {
  if (!request_) return;
  RecordRequest request = *request_;
  for (const auto& [name, value] : settings) {
    const std::string prefix = name + "=";
    std::erase_if(request.settings, [&](const std::string& s) { return s.starts_with(prefix); });
    if (!value.empty()) request.settings.push_back(prefix + value);
  }
  request.wants_all = false;
  try {
    if (!ImGui::IsAnyItemActive()) return open(request);
    // While a slider is held the model alone follows it; the kernel runs once, where it is let go.
    values_ = problems::parse(*problem_, request.settings).values;
    mark_open_config();
    request_ = resting_ = request;
    error_.reset();
    offer_settings();
    runner_.ask_model(request);
  } catch (const Error& e) {  // out of range: the last good picture stays
    error_ = e;
  }
}

void App::turn(const Control& control, std::int64_t value) {
  if (control.name == "moment") return scrub(value);
  if (control.name == "gpu") return use_gpu(control.choices[value]);
  change_setting(control.name, std::to_string(value));
}

void App::scrub(std::int64_t moment) {
  if (!workspace_.debugger) return;
  workspace_.debugger->session().go(workspace_.findings->moment_of(moment));
  frames_to_draw_ = 3;
}

void App::use_gpu(std::string gpu) {
  machine::find_device(gpu);
  runner_.set_gpu(std::move(gpu));
  if (schedules_recording_) schedule_recording();
  if (!request_) return;
  offer_settings();
  workspace_.has_asked_code = workspace_.has_asked_tuning = false;  // they were the other GPU's
  runner_.ask_model(*request_);
}

// At least twice the present size, so that a slider can go both ways; the settings' own bounds reach to a million
// million. A slider that is held keeps its bounds: new ones would move its value, and that the bounds again.
void App::offer_settings() {
  const std::vector<Control> before = std::exchange(workspace_.kernel_controls, {});
  for (const problems::Setting& s : problem_->settings) {
    if (s.kind != problems::Setting::Kind::integer || is_unsaid(s)) continue;
    const std::int64_t now = std::max<std::int64_t>(1, std::atoll(values_[s.name].c_str())),
                       usual = s.power_of_two           ? 256
                               : s.name == "group_size" ? 16
                                                        : 2048;
    auto most = std::min(static_cast<std::int64_t>(s.max), std::max(usual, 2 * now));
    if (const auto held = std::ranges::find(before, s.name, &Control::name);
        ImGui::IsAnyItemActive() && held != before.end())
      most = std::max(now, held->max);
    workspace_.kernel_controls.push_back({s.name,
                                          s.name,
                                          s.power_of_two ? Control::Kind::power : Control::Kind::slider,
                                          static_cast<std::int64_t>(s.min),
                                          most,
                                          now,
                                          {},
                                          true});
  }
  Control gpu{"gpu", "GPU of the model", Control::Kind::choice, 0, 0, 0, machine::device_names(), true};
  if (!std::ranges::count(gpu.choices, runner_.gpu())) gpu.choices.push_back(runner_.gpu());
  gpu.value = std::ranges::find(gpu.choices, runner_.gpu()) - gpu.choices.begin();
  workspace_.kernel_controls.push_back(std::move(gpu));
}

void App::toggle_breakpoint() {
  if (!workspace_.debugger) return;
  debug::Session& session = workspace_.debugger->session();
  const debug::SourceModel* model = session.view().model_of_frame(session.frame());
  const debug::OpLocation location = session.location();
  if (!model || location.token < 0) return;
  const int line = model->token(location.token).line;
  for (const debug::Breakpoint& b : session.breakpoints())
    if (b.kind == debug::BreakKind::line && b.line == line) return command("delete " + std::to_string(b.number));
  command("b " + std::to_string(line));
}

void App::run_to_cursor() {
  const int line = workspace_.selection.shown().line;
  if (line > 0) command("until " + std::to_string(line));
  else status_ = "point at a line of the source first";
}

void App::draw_palette() {
  if (wants_palette_) {
    ImGui::OpenPopup("palette");
    wants_palette_ = false;
    palette_query_.clear();
    palette_at_ = 0;
  }
  const float width = 480 * workspace_.scale;
  ImGui::SetNextWindowPos({(static_cast<float>(window_.width()) - width) / 2, 60 * workspace_.scale});
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup("palette")) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##query", "what to do, or a setting: name=value", &palette_query_)) palette_at_ = 0;
  const auto found = matching(actions_, palette_query_);
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) ++palette_at_;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow))) --palette_at_;
  palette_at_ = std::clamp(palette_at_, 0, std::max(0, static_cast<int>(found.size()) - 1));
  const Action* chosen = nullptr;
  const bool is_entered = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter));
  ImGui::BeginChild("found", {0, 300 * workspace_.scale});
  const auto equals = std::min(palette_query_.find('='), palette_query_.size());
  const std::string setting = palette_query_.substr(0, equals);
  const bool sets = request_ && equals < palette_query_.size() && values_.contains(setting) &&
                    (ImGui::Selectable(("set " + palette_query_).c_str(), true) || is_entered);
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    const Action& action = *found[i];
    if (ImGui::Selectable(action.title.c_str(), i == palette_at_)) chosen = &action;
    if (i == palette_at_) ImGui::SetScrollHereY();
    if (action.keys.empty()) continue;
    const std::string keys = key_text(action.keys.front());
    ImGui::SameLine(ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(keys.c_str()).x);
    ImGui::TextDisabled("%s", keys.c_str());
  }
  ImGui::EndChild();
  if (is_entered && !sets && !found.empty()) chosen = found[palette_at_];
  if (chosen || sets || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (chosen) chosen->run();
  if (sets) take_settings({{setting, palette_query_.substr(equals + 1)}});
}

}  // namespace tl::viz
