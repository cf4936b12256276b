// What stands around the chip's picture: keys, clock, launches, the tour's caption, totals.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "viz/panels/chip_view.h"

namespace tl::viz {

namespace {

// In lines of a width, broken between words: ImGui would break 4.47 in two.
std::string in_lines(const std::string& text, float width) {
  std::string out, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && ImGui::CalcTextSize(longer.c_str()).x > width) {
      out += line + "\n";
      line = word;
    } else {
      line = longer;
    }
  }
  return out + line;
}

}  // namespace

bool ChipView::take_key(Workspace& workspace, const KeyPress& press) {
  if (!workspace.film || workspace.film != film_ || (press.modifiers & ~shift) != 0) return false;
  const bool with_shift = press.modifiers == shift;
  if (is_on_tour() && (press.key == key_right || press.key == key_left)) {
    go_to_caption(caption_ + (press.key == key_right ? 1 : -1));
    return true;
  }
  switch (press.key) {
    case 'T': is_on_tour() ? end_tour() : begin_tour(); return true;
    case key_space: toggle_play(); return true;
    case key_right: step(with_shift ? film_->waves_us : film_->tiles_us, true); return true;
    case key_left: step(with_shift ? film_->waves_us : film_->tiles_us, false); return true;
    case key_home: {
      end_tour();
      us_ = 0;
    }
      return true;
    case key_end: {
      end_tour();
      us_ = end_us_;
    }
      return true;
    case key_down:
    case key_up:
      if (const std::int64_t count = portals(); count > 0)
        marked_ = static_cast<int>((marked_ + (press.key == key_down ? 1 : count - (marked_ < 0 ? 0 : 1))) % count);
      return true;
    case key_enter:
      if (portals() == 0) return true;
      path_.push_back(marked_ >= 0 ? marked_ : film::busy_portal(*film_, path_, us_));
      go_to(path_);
      return true;
    case key_escape:
      if (is_on_tour()) return end_tour(), true;
      if (path_.empty()) return false;
      [[fallthrough]];
    case key_backspace: zoom_out(); return true;
    default: return false;
  }
}

void ChipView::show_clock(Workspace& workspace) {
  if (ImGui::Button(is_playing_ ? "pause" : "play", ImVec2(60 * workspace.scale, 0))) toggle_play();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Space, while this panel has the keys (a click or Tab gives them)");
  ImGui::SameLine();
  if (!tour_.empty()) {
    if (ImGui::Button("tour", ImVec2(50 * workspace.scale, 0))) is_on_tour() ? end_tour() : begin_tour();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("T: a minute that tells what happens, clock and camera with it; Space stops it anywhere");
    ImGui::SameLine();
  }
  const auto stepper = [&](const char* label, const char* keys, const std::vector<float>& times, bool forward) {
    if (ImGui::Button(label)) step(times, forward);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", keys);
    ImGui::SameLine();
  };
  stepper("tile back", "Left", film_->tiles_us, false);
  stepper("next tile", "Right", film_->tiles_us, true);
  stepper("next wave", "Shift+Right", film_->waves_us, true);
  ImGui::SetNextItemWidth(70 * workspace.scale);
  const float speeds[] = {0.1f, 0.25f, 1, 4};
  const char* const names[] = {"x 1/10", "x 1/4", "x 1", "x 4"};
  const auto chosen = std::find(std::begin(speeds), std::end(speeds), speed_) - std::begin(speeds);
  if (ImGui::BeginCombo("##speed", names[chosen])) {
    for (int i = 0; i < 4; ++i)
      if (ImGui::Selectable(names[i], i == chosen)) speed_ = speeds[i];
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  bool compares = beside_.film != nullptr;
  if (ImGui::Checkbox("compare", &compares)) workspace.keep_beside(compares);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "keeps this launch on the left; change a setting, or the kernel, and both play on one clock (Ctrl+B)");
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize("zoom out").x + 2 * ImGui::GetStyle().FramePadding.x)
    ImGui::NewLine();
  if (ImGui::Button("zoom out")) zoom_out();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Backspace; Enter zooms in, Down and Up choose where");
  if (film_->launches.size() > 1) show_launches(workspace);
  auto us = static_cast<float>(us_);
  const std::string longest = fmt::format("{:.2f} us", end_us_);  // the slider keeps its length as numbers grow
  const float number = ImGui::CalcTextSize(longest.c_str()).x + ImGui::GetStyle().ItemInnerSpacing.x;
  ImGui::SameLine();
  if (const float least = 160 * workspace.scale + number; ImGui::GetContentRegionAvail().x < least) ImGui::NewLine();
  ImGui::SetNextItemWidth(std::max(80.f, ImGui::GetContentRegionAvail().x - number));
  ImGui::PushAllowKeyboardFocus(false);  // Tab gives the keys to the next pane
  if (ImGui::SliderFloat("##time", &us, 0, static_cast<float>(end_us_), "", ImGuiSliderFlags_AlwaysClamp)) {
    end_tour();
    us_ = double(us);
  }
  ImGui::PopAllowKeyboardFocus();
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::Text("%.2f us", us_);
}

// For several launches one is played: this one, and the others to choose from.
void ChipView::show_launches(Workspace& workspace) {
  const auto text_of = [&](int i) {
    return fmt::format("launch {} of {}: {}", i + 1, film_->launches.size(), film_->launches[i]);
  };
  const auto count = static_cast<int>(film_->launches.size());
  float widest = 0;
  for (int i = 0; i < count; ++i) widest = std::max(widest, ImGui::CalcTextSize(text_of(i).c_str()).x);
  const float width = widest + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo("##launch", text_of(film_->launch).c_str())) return;
  for (int i = 0; i < count; ++i)
    if (ImGui::Selectable(text_of(i).c_str(), i == film_->launch) && i != film_->launch) workspace.show_launch(i);
  ImGui::EndCombo();
}

// In as much room as the longest needs, so that the picture stays where it is.
void ChipView::show_caption(Workspace& workspace) {
  const auto i = static_cast<std::size_t>(caption_);
  const float width = ImGui::GetContentRegionAvail().x;
  float height = 0;
  ImGui::PushFont(workspace.fonts.bold);
  for (const film::Caption& c : tour_)
    height = std::max(height, ImGui::CalcTextSize(in_lines(c.text, width).c_str()).y);
  ImGui::PopFont();
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::SmallButton("back")) go_to_caption(caption_ - 1);
  ImGui::SameLine();
  if (ImGui::SmallButton("next")) go_to_caption(caption_ + 1);
  ImGui::SameLine();
  ImGui::TextDisabled("%zu of %zu", i + 1, tour_.size());
  ImGui::SameLine();
  ImGui::ProgressBar(static_cast<float>(tour_s_ / film::tour_seconds), ImVec2(-1, ImGui::GetTextLineHeight()), "");
  ImGui::PushFont(workspace.fonts.bold);
  ImGui::TextUnformatted(in_lines(tour_[i].text, width).c_str());
  ImGui::PopFont();
  ImGui::SetCursorPos(
      ImVec2(at.x, at.y + ImGui::GetTextLineHeightWithSpacing() + height + ImGui::GetStyle().ItemSpacing.y));
}

void ChipView::show_totals(Workspace& workspace) {
  for (std::size_t c = 0; c < totals_.header.size(); ++c) {
    ImGui::BeginGroup();
    ImGui::PushFont(c == 0 ? workspace.fonts.sans : workspace.fonts.bold);
    ImGui::TextUnformatted(c == 0 ? "" : totals_.header[c].c_str());
    ImGui::PopFont();
    for (const auto& row : totals_.rows)
      c == 0 ? ImGui::TextDisabled("%s", row[c].c_str()) : ImGui::TextUnformatted(row[c].c_str());
    ImGui::EndGroup();
    if (c + 1 < totals_.header.size()) ImGui::SameLine(0, 30 * workspace.scale);
  }
}

// What the tour has said by now, the latest first; of two launches how they end. As much as the height holds.
void ChipView::show_told(Workspace& workspace, float height) {
  const float left = ImGui::GetCursorPosX(), bottom = ImGui::GetCursorPosY() + height;
  bool is_first = true;
  for (auto c = tour_.rbegin(); c != tour_.rend(); ++c) {
    if (!beside_.film && c->us > us_) continue;
    const std::string at = beside_.film ? "" : fmt::format("{:.2f} us: ", c->us);
    const std::string said = in_lines(at + c->text, ImGui::GetContentRegionAvail().x);
    if (ImGui::GetCursorPosY() + ImGui::CalcTextSize(said.c_str()).y > bottom) return;
    ImGui::SetCursorPosX(left);
    ImGui::PushStyleColor(ImGuiCol_Text,
                          workspace.colour(std::exchange(is_first, false) || beside_.film ? Role::ink : Role::soft));
    ImGui::TextUnformatted(said.c_str());
    ImGui::PopStyleColor();
  }
}

}  // namespace tl::viz
