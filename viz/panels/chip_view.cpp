#include "viz/panels/chip_view.h"

#include <algorithm>
#include <cmath>

namespace tl::viz {

void ChipView::take(Workspace& workspace) {
  if (film_ == workspace.film) return;
  const bool is_first = !film_;
  const double part = film_ && film_->end_us > 0 ? us_ / film_->end_us : 0.35;
  film_ = workspace.film;
  projector_.reset();
  if (!film_) return;
  projector_.emplace(*film_);
  us_ = part * film_->end_us;
  if (!is_first) path_.clear();
  is_placed_ = false;
}

void ChipView::go_to(film::Path path) {
  path_ = std::move(path);
  is_moving_ = true;
}

void ChipView::step(const std::vector<float>& times, bool forward) {
  is_playing_ = false;
  if (forward) {
    const auto next = std::upper_bound(times.begin(), times.end(), us_ + 1e-3);
    us_ = next == times.end() ? film_->end_us : double(*next) + 1e-4;
  } else {
    const auto at = std::lower_bound(times.begin(), times.end(), us_ - 2e-3);
    us_ = at == times.begin() ? 0 : double(*std::prev(at)) + 1e-4;
  }
}

void ChipView::show_clock(Workspace& workspace) {
  if (ImGui::Button(is_playing_ ? "pause" : "play", ImVec2(60 * workspace.scale, 0))) {
    if (us_ >= film_->end_us) us_ = 0;
    is_playing_ = !is_playing_;
  }
  ImGui::SameLine();
  if (ImGui::Button("tile back")) step(film_->tiles_us, false);
  ImGui::SameLine();
  if (ImGui::Button("next tile")) step(film_->tiles_us, true);
  ImGui::SameLine();
  if (ImGui::Button("next wave")) step(film_->waves_us, true);
  ImGui::SameLine();
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
  auto us = static_cast<float>(us_);
  ImGui::SetNextItemWidth(std::max(80.f, ImGui::GetContentRegionAvail().x - 90 * workspace.scale));
  if (ImGui::SliderFloat("##time", &us, 0, static_cast<float>(film_->end_us), "%.2f us", ImGuiSliderFlags_AlwaysClamp))
    us_ = double(us);
  ImGui::SameLine();
  if (ImGui::Button("zoom out") && !path_.empty()) go_to({path_.begin(), path_.end() - 1});
}

// Towards the goal by a part of the way each frame.
void ChipView::move_camera(const Canvas& canvas) {
  goal_ = film::camera_on(*film_, path_, canvas);
  if (!is_placed_) camera_ = goal_, is_placed_ = true, is_moving_ = false;
  if (!is_moving_) return;
  const double k = 1 - std::exp(-double(ImGui::GetIO().DeltaTime) / 0.09),
               scale = camera_.scale * std::pow(goal_.scale / camera_.scale, k);
  const double before = 1 / camera_.scale, whole = before - 1 / goal_.scale,
               part = std::abs(whole) < 1e-12 ? k : (before - 1 / scale) / whole;
  camera_.x += (goal_.x - camera_.x) * part, camera_.y += (goal_.y - camera_.y) * part;
  camera_.scale = scale;
  if (std::abs(std::log(goal_.scale / camera_.scale)) < 2e-3 && std::abs(goal_.x - camera_.x) * camera_.scale < 0.5)
    camera_ = goal_, is_moving_ = false;
}

void ChipView::play_on() {
  if (!is_playing_) return;
  us_ += std::min(0.1, double(ImGui::GetIO().DeltaTime)) / 14 * film_->end_us * double(speed_);
  if (us_ >= film_->end_us) us_ = film_->end_us, is_playing_ = false;
}

void ChipView::draw(Workspace& workspace) {
  take(workspace);
  if (!film_) {
    ImGui::TextDisabled("%s", workspace.no_film.empty() ? "the model is at work ..." : workspace.no_film.c_str());
    return;
  }
  show_clock(workspace);
  play_on();
  ImGui::TextUnformatted(film::title_of(*film_, path_).c_str());
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < 80 || room.y < 80) return;
  if (room.x != room_.x || room.y != room_.y) is_placed_ = false, room_ = room;
  film::View view{us_, camera_, {room.x / workspace.scale, room.y / workspace.scale}};
  move_camera(view.canvas);
  view.camera = camera_;
  view.program = workspace.selection.shown().program;
  view.lit_group = pointed_.group, view.lit_element = pointed_.element;
  const ImVec2 origin = ImGui::GetCursorScreenPos(), mouse = ImGui::GetMousePos();
  const Point at{(mouse.x - origin.x) / workspace.scale, (mouse.y - origin.y) / workspace.scale};
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) view.pointer = at;
  pointed_ = {};
  const Drawing drawing = projector_->look(view, &pointed_);
  view_.forget();
  view_.show(drawing, workspace, no_controls_);
  workspace.is_playing = is_playing_ || is_moving_;
  if (!view_.is_hovered()) return;
  if (!pointed_.about.is_nothing()) workspace.point_at(pointed_.about, false);
  if (!pointed_.tooltip.empty()) ImGui::SetTooltip("%s", pointed_.tooltip.c_str());
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0) {
    const double x = camera_.x + double(at.x) / camera_.scale, y = camera_.y + double(at.y) / camera_.scale;
    camera_.scale = std::clamp(camera_.scale * std::exp(0.2 * double(io.MouseWheel)), 0.05, 1e6);
    camera_.x = x - double(at.x) / camera_.scale, camera_.y = y - double(at.y) / camera_.scale;
    is_moving_ = false;
    path_ = film::path_at(*film_, camera_, view.canvas);
  }
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    camera_.x -= double(io.MouseDelta.x / workspace.scale) / camera_.scale;
    camera_.y -= double(io.MouseDelta.y / workspace.scale) / camera_.scale;
    is_moving_ = false;
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && io.MouseDragMaxDistanceSqr[0] < 16) {
    if (pointed_.us >= 0) us_ = pointed_.us;
    else if (pointed_.path.size() > path_.size())
      go_to({pointed_.path.begin(), pointed_.path.begin() + static_cast<std::ptrdiff_t>(path_.size()) + 1});
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right) && !path_.empty()) go_to({path_.begin(), path_.end() - 1});
}

std::string ChipView::text(Workspace& workspace) {
  take(workspace);
  if (!film_) return "";
  std::string out = film_->title + "\n" + film_->subtitle + "\n";
  for (const auto& t : film_->totals) out += t.name + ": " + t.text + "\n";
  return out;
}

}  // namespace tl::viz
