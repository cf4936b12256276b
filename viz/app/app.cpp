#include "viz/app/app.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "interp/lang/text.h"
#include "viz/app/style.h"
#include "viz/model/related.h"
#include "viz/scene/story.h"

namespace tl::viz {

namespace {

bool same_word(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

App::App(GlfwWindow& window, Preferences preferences, std::vector<std::unique_ptr<View>> more)
    : window_(window),
      preferences_(std::move(preferences)),
      panels_(std::move(more)),
      runner_([] { GlfwWindow::wake(); }) {
  for (auto& view : make_views()) panels_.push_back(std::move(view));
  workspace_.theme = Theme(theme_named(preferences_.theme).value_or(ThemeName::dark));
  workspace_.command = [this](const std::string& line) { command(line); };
  workspace_.turn = [this](const Control& control, std::int64_t value) { turn(control, value); };
  workspace_.take = [this](const auto& settings) { take_settings(settings); };
  workspace_.show_launch = [this](int number) { runner_.ask_launch(number); };
  workspace_.go_to = [this](const About& there) { go_to(there); };
  workspace_.make_texture = [this](std::int64_t w, std::int64_t h, const std::vector<std::uint32_t>& rgba) {
    return window_.make_texture(w, h, rgba);
  };
  workspace_.drop_texture = [this](ImTextureID t) { window_.drop_texture(t); };
  if (!std::ranges::count(presets(), preferences_.preset)) preferences_.preset = "Debug";
  for (const std::string& name : Layout::preset_names()) {
    Layout& made = layouts_.emplace(name, Layout(name)).first->second;
    const auto& ratios = preferences_.ratios[name];
    if (ratios.size() == made.splitters().size())
      for (std::size_t i = 0; i < ratios.size(); ++i) made.splitters()[i].ratio = std::clamp(ratios[i], 0.1f, 0.9f);
  }
  make_actions();
}

void App::keep_layout() {
  leave_story();
  for (auto& [name, made] : layouts_) {
    preferences_.ratios[name].clear();
    for (const Splitter& s : made.splitters()) preferences_.ratios[name].push_back(s.ratio);
  }
}

Layout& App::layout() { return layouts_.at(preferences_.preset); }

std::vector<std::string> App::panel_names() const {
  std::vector<std::string> names;
  for (const auto& p : panels_) names.push_back(p->name());
  return names;
}

View* App::panel(const std::string& name) {
  for (const auto& p : panels_)
    if (same_word(p->name(), name)) return p.get();
  return nullptr;
}

void App::show(const std::string& name) {
  View* wanted = panel(name);
  if (!wanted) {
    const std::string near = nearest(name, panel_names());
    std::string all;
    for (const std::string& n : panel_names()) all += (all.empty() ? "" : ", ") + n;
    throw Error("there is no panel \"" + name + "\"",
                near.empty() ? "the panels: " + all : "did you mean " + near + "?");
  }
  if (layout().show(wanted->name())) return;
  if (layouts_.contains(wanted->name()) && layouts_.at(wanted->name()).show(wanted->name()))
    return use_preset(wanted->name());
  for (const std::string& preset : presets())
    if (layouts_.at(preset).show(wanted->name())) return use_preset(preset);
}

void App::open_kernel(const run::KernelOptions& kernel) {
  const run::KernelOptions opened = case_to_open(kernel, runner_.gpu());
  open(RecordRequest{opened.kernel, opened.settings, opened.seed});
}

void App::open(RecordRequest request) {
  const problems::Problem& problem = problems::find(request.kernel);
  const problems::Settings settings = problems::parse(problem, request.settings);
  if (problem_ != &problem) {  // another kernel: the reader's choices were for the one before
    for (auto& [name, layout] : layouts_)
      for (Pane& pane : layout.panes()) pane.is_chosen = false;
    leave_story();
    workspace_.code = nullptr;
    workspace_.no_code.clear();
    workspace_.tuning = nullptr;
    workspace_.no_tuning.clear();
  }
  problem_ = &problem;
  values_ = settings.values;
  mark_open_config();
  request_ = request;
  error_.reset();
  has_answer_ = true;
  resting_.reset();
  wanted_.programs.clear();
  heading_for_.reset();
  offer_settings();
  runner_.ask(std::move(request));
}

void App::play_beside(const std::string& change) {
  if (!request_) return;
  const run::KernelOptions other = changed_by({request_->kernel, request_->settings, request_->seed}, change);
  problems::parse(problems::find(other.kernel), other.settings);
  runner_.ask_beside({other.kernel, other.settings, other.seed});
}

void App::rest() {
  if (resting_ && !ImGui::IsAnyItemActive()) open(*std::exchange(resting_, std::nullopt));
}

void App::open(trace::RecordedTrace trace, const std::string& title) {
  forget_run();
  workspace_.no_film = "the chip plays kernels that run here, and this is a recording: open its kernel";
  workspace_.no_tuning = "configs are of kernels that run here, and this is a recording: open its kernel";
  workspace_.no_code = "code is of kernels that are compiled here, and this is a recording: open its kernel";
  title_ = title;
  shows(std::move(trace), title);
  greet();
}

void App::close() {
  forget_run();
  workspace_.debugger = nullptr;
  workspace_.findings = nullptr;
  workspace_.outcomes.clear();
  workspace_.selection = {};
  ++workspace_.generation;
  title_.clear();
  status_.clear();
}

// The kernel that was run, its answers and its settings.
void App::forget_run() {
  runner_.forget();
  has_answer_ = false;
  workspace_.model = nullptr;
  workspace_.film = nullptr;
  workspace_.no_film.clear();
  workspace_.code = workspace_.code_baseline = nullptr;
  workspace_.no_code.clear();
  workspace_.tuning = nullptr;
  workspace_.no_tuning.clear();
  workspace_.kernel_controls.clear();
  workspace_.fault_line = 0;
  workspace_.kernel.clear();
  failing_.reset();
  request_.reset();
  resting_.reset();
  shown_.reset();
  schedules_recording_ = false;
  problem_ = nullptr;
  error_.reset();
  frames_to_draw_ = 3;
}

void App::schedule_recording() {
  if (!workspace_.debugger || request_) return;
  schedules_recording_ = true;
  runner_.ask_model(workspace_.debugger);
}

void App::replace(trace::RecordedTrace trace, const std::string& title) {
  if (!workspace_.debugger) return open(std::move(trace), title);
  debug::Session& before = workspace_.debugger->session();
  const ProgramId program = before.program().id;
  const std::uint32_t step =
      before.now().step == before.view().steps() ? UINT32_MAX : before.now().step;  // the end stays the end
  const std::int64_t lane = before.lane();
  const Selection selection = workspace_.selection;
  open(std::move(trace), title);
  debug::Session& session = workspace_.debugger->session();
  const auto same = session.find_program(program);
  if (!same) return;
  session.go({*same, std::min(step, static_cast<std::uint32_t>(session.trace().programs[*same].steps.size()))});
  session.set_lane(lane);
  workspace_.selection = selection;
}

std::vector<std::string> App::presets() const {
  std::vector<std::string> names;
  for (const std::string& preset : Layout::preset_names()) {
    const Layout made(preset);
    const auto is_there = [&](const std::string& tab) {
      return std::ranges::any_of(panels_, [&](const auto& p) { return tab == p->name(); });
    };
    if (std::ranges::all_of(made.panes(), [&](const Pane& pane) { return std::ranges::all_of(pane.tabs, is_there); }))
      names.push_back(preset);
  }
  return names;
}

// To compare with the reference alone shows the noise of rounding twice.
bool App::is_offered(const std::string& preset) const {
  if (preset != "Compare" || preset == preferences_.preset) return true;
  return has_gpu_.wait_for(std::chrono::seconds(0)) == std::future_status::ready && has_gpu_.get();
}

void App::command(const std::string& line) {
  if (!workspace_.debugger) return;
  workspace_.console.push_back({line, workspace_.debugger->execute(line)});
  frames_to_draw_ = 3;
  if (workspace_.debugger->is_done()) window_.close();
}

void App::go_to_step(std::int64_t step) {
  if (step >= 0 && workspace_.debugger) command("goto " + std::to_string(step));
}

void App::go_to(const About& there) {
  if (!workspace_.debugger || there.program < 0) return;
  const trace::RecordedLaunch& launch = workspace_.debugger->session().launch();
  const std::int64_t x = there.program % launch.grid[0], y = there.program / launch.grid[0] % launch.grid[1],
                     z = there.program / (launch.grid[0] * launch.grid[1]);
  command("program " + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z));
  if (there.step < 0) return;
  if (workspace_.debugger->session().program().id == ProgramId{x, y, z}) command("goto " + std::to_string(there.step));
  else heading_step_ = there.step;  // once it is recorded
}

bool App::needs_frame() const { return frames_to_draw_ > 0 || workspace_.is_playing || window_.had_input(); }

// What belongs to the thing that is pointed at, once it or the moment changes.
void App::find_related() {
  Selection& selection = workspace_.selection;
  if (!workspace_.debugger || selection.is_nothing()) {
    selection.related.clear();
    related_to_ = {};
    return;
  }
  const trace::Moment now = workspace_.debugger->session().now();
  if (related_to_ == selection.shown() && related_at_ == now && related_in_ == workspace_.generation) return;
  related_to_ = selection.shown();
  related_at_ = now;
  related_in_ = workspace_.generation;
  const std::map<std::string, std::int64_t> no_controls;
  Scene scene = workspace_.scene(no_controls);
  selection.related = related_to(scene, related_to_);
}

void App::frame() {
  if (window_.had_input()) frames_to_draw_ = 3;  // ImGui needs a frame to lay out and one to settle
  else --frames_to_draw_;
  take_answer();
  workspace_.scale = static_cast<float>(scale_percent()) / 100;
  workspace_.fonts = window_.fonts(std::round(14 * workspace_.scale));
  apply_style(workspace_.theme, workspace_.scale);
  workspace_.pointed_at = {};
  const About pinned = workspace_.selection.pinned;
  window_.begin_frame();
  handle_keys();
  if (window_.is_too_small()) {
    ImGui::GetForegroundDrawList()->AddText({4, 4}, workspace_.colour(Role::ink), "the window is too small to draw in");
  } else {
    const float line = ImGui::GetFrameHeightWithSpacing();
    Box rest{0, 0, static_cast<float>(window_.width()), static_cast<float>(window_.height())};
    const auto strip = [&](const char* name, float y, float height, auto draw) {  // returns the height of its contents
      ImGui::SetNextWindowPos({0, y});
      ImGui::SetNextWindowSize({rest.width, height});
      ImGui::Begin(name, nullptr,
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
      draw();
      const float held = ImGui::GetCursorPosY() + ImGui::GetStyle().WindowPadding.y;
      ImGui::End();
      return held;
    };
    const float pad = 2 * ImGui::GetStyle().WindowPadding.y;
    // Text that wraps gets the height it took in the last frame; where that changes, another frame follows.
    float top = 0;
    const auto wrapping_strip = [&](const char* name, float& height, auto draw) {
      const float before = std::max(height, line + pad);
      height = strip(name, top, before, draw);
      if (height > before || (height < before && before > line + pad)) frames_to_draw_ = std::max(frames_to_draw_, 2);
      top += before;
    };
    if (!is_presenting_) wrapping_strip("toolbar", toolbar_height_, [&] { draw_toolbar(); });
    // In a lesson they are a menu: a row that comes with the picture would move the text that is being read.
    if (problem_ && !problem_->settings.empty() && !is_compact() && !is_presenting_ && !is_lesson())
      wrapping_strip("settings", settings_height_, [&] { draw_settings(true); });
    if (error_) {
      strip("error", top, 2.2f * line + pad, [&] { draw_error(); });
      top += 2.2f * line + pad;
    }
    strip("status", rest.height - line, line, [&] { draw_status(); });
    if (const float left = rest.height - top - line; left > 4 * line) draw_panes({0, top, rest.width, left});
    else
      ImGui::GetForegroundDrawList()->AddText({8, top}, workspace_.colour(Role::ink),
                                              "too small for a panel: Ctrl+- shrinks all");
    draw_palette();
    draw_file_dialog();
  }
  for (const std::string& file : window_.take_dropped_files()) open_file(file);
  rest();
  if (workspace_.wants_code && !std::exchange(workspace_.has_asked_code, true) && request_) runner_.ask_code(*request_);
  if (workspace_.wants_tuning && !std::exchange(workspace_.has_asked_tuning, true) && request_)
    runner_.ask_tuning(*request_);
  if (workspace_.wants_outcomes && !workspace_.has_asked_outcomes && shown_ && !runner_.is_busy()) {
    workspace_.has_asked_outcomes = true;
    runner_.ask_outcomes(*shown_);
  }
  if (!(workspace_.pointed_at == workspace_.selection.hovered) || !(pinned == workspace_.selection.pinned))
    frames_to_draw_ = std::max(frames_to_draw_, 2);
  workspace_.selection.hovered = workspace_.pointed_at;
  find_related();
  window_.render();
}

}  // namespace tl::viz
