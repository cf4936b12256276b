#include "viz/panels/chip_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/film/side_by_side.h"

namespace tl::viz {

void ChipView::take(Workspace& workspace) {
  const auto set = [](Screen& screen, const std::shared_ptr<const film::Film>& film) {
    if (screen.film == film) return false;
    screen.film = film;
    screen.projector = film ? std::make_unique<film::Projector>(*film) : nullptr;
    return true;
  };
  constexpr double at_first = 0.35;
  const bool is_first = !film_, was_beginning = film_ && film_->is_beginning;
  const bool is_untouched = is_first || us_ == at_first * end_us_;
  const double part = !is_untouched && end_us_ > 0 ? us_ / end_us_ : at_first;
  const bool is_new = set(own_, workspace.film), is_other = set(beside_, workspace.film ? workspace.baseline : nullptr);
  if (!is_new && !is_other) return;
  film_ = own_.film;
  names_.clear();
  totals_ = {};
  tour_.clear(), end_tour();
  is_placed_ = false;
  if (!film_) return;
  end_us_ = film_->end_us;
  tour_ = film_->tour;
  if (beside_.film) {
    end_us_ = std::max(end_us_, beside_.film->end_us);
    names_ = film::names_that_differ(*beside_.film, *film_);
    totals_ = film::totals_that_differ(std::vector{beside_.film, film_}, names_);
    tour_ = film::tour_of(std::vector{beside_.film, film_}, names_);
  }
  if (is_untouched || !was_beginning) us_ = part * end_us_;  // what a reader looks at in a beginning, the whole has too
  while (!is_first && !path_.empty() &&
         path_.back() >=
             std::ssize(film_->nodes[film::placement_of(*film_, {path_.begin(), path_.end() - 1}).node].portals))
    path_.pop_back();
}

void ChipView::go_to(film::Path path) {
  path_ = std::move(path);
  part_ = {};
  marked_ = -1;
  is_moving_ = true;
  if (is_on_tour()) is_playing_ = false;  // it goes on from here when it is played
}

void ChipView::begin_tour() {
  go_to_caption(0);
  is_playing_ = true;
}

void ChipView::go_to_caption(int number) {
  if (tour_.empty()) return;
  tour_s_ = tour_[static_cast<std::size_t>(std::clamp(number, 0, static_cast<int>(tour_.size()) - 1))].seconds;
  caption_ = -1;
  follow_tour();
}

void ChipView::follow_tour() {
  us_ = film::clock_at(tour_, tour_s_);
  const int now = film::caption_at(tour_, tour_s_);
  if (now == caption_) return;
  caption_ = now;
  path_ = tour_[static_cast<std::size_t>(now)].path, part_ = tour_[static_cast<std::size_t>(now)].part;
  marked_ = -1, is_moving_ = true;
}

std::int64_t ChipView::portals() const {
  return std::ssize(film_->nodes[film::placement_of(*film_, path_).node].portals);
}

ImVec2 ChipView::place_of(int portal) const {
  const film::Placement place = film::placement_of(*film_, path_);
  const film::Box& box = film_->nodes[place.node].portals[static_cast<std::size_t>(portal)].entry();
  const double x = place.x + place.scale * double(box.x + box.w / 2),
               y = place.y + place.scale * double(box.y + box.h / 2);
  return {origin_.x + static_cast<float>((x - camera_.x) * camera_.scale) * pixels_,
          origin_.y + static_cast<float>((y - camera_.y) * camera_.scale) * pixels_};
}

void ChipView::toggle_play() {
  if (is_on_tour() && tour_s_ >= film::tour_seconds) return begin_tour();
  if (!is_on_tour() && us_ >= end_us_) us_ = 0;
  is_playing_ = !is_playing_;
}

void ChipView::step(const std::vector<float>& times, bool forward) {
  is_playing_ = false;
  end_tour();
  if (forward) {
    const auto next = std::upper_bound(times.begin(), times.end(), us_ + 1e-3);
    us_ = next == times.end() ? end_us_ : double(*next) + 1e-4;
  } else {
    const auto at = std::lower_bound(times.begin(), times.end(), us_ - 2e-3);
    us_ = at == times.begin() ? 0 : double(*std::prev(at)) + 1e-4;
  }
}

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
    case key_home: end_tour(), us_ = 0; return true;
    case key_end: end_tour(), us_ = end_us_; return true;
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
  if (ImGui::SliderFloat("##time", &us, 0, static_cast<float>(end_us_), "", ImGuiSliderFlags_AlwaysClamp))
    end_tour(), us_ = double(us);
  ImGui::PopAllowKeyboardFocus();
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::Text("%.2f us", us_);
}

// Of several launches one is played: this one, and the others to choose from.
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
    height = std::max(height, ImGui::CalcTextSize(c.text.c_str(), nullptr, false, width).y);
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
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(tour_[i].text.c_str());
  ImGui::PopTextWrapPos();
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

// Towards the goal by a part of the way each frame.
void ChipView::move_camera(const Canvas& canvas) {
  goal_ = film::camera_on(*film_, path_, canvas, part_);
  if (!is_placed_) {
    camera_ = goal_;
    is_placed_ = true;
    is_moving_ = false;
  }
  if (!is_moving_) return;
  const double k = 1 - std::exp(-double(ImGui::GetIO().DeltaTime) / (is_on_tour() ? 0.3 : 0.09)),
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
  const double seconds = std::min(0.1, double(ImGui::GetIO().DeltaTime));
  if (is_on_tour()) {
    tour_s_ = std::min(film::tour_seconds, tour_s_ + seconds * double(speed_));
    if (tour_s_ >= film::tour_seconds) is_playing_ = false;
    return follow_tour();
  }
  us_ += seconds / 14 * end_us_ * double(speed_);
  if (us_ >= end_us_) us_ = end_us_, is_playing_ = film_->is_beginning;  // then it goes on once there is more
}

bool ChipView::show(Screen& screen, Workspace& workspace, ImVec2 size) {
  const bool is_own = &screen == &own_;
  ImGui::BeginChild(is_own ? "own" : "beside", size, false, ImGuiWindowFlags_NoScrollWithMouse);
  if (beside_.film) {
    const std::string& name = names_[is_own ? 1 : 0];
    ImGui::TextUnformatted(us_ < screen.film->end_us
                               ? name.c_str()
                               : fmt::format("{}: {} {:.1f} us", name,
                                             screen.film->is_beginning ? "the model has come to" : "done after",
                                             screen.film->end_us)
                                     .c_str());
  }
  const ImVec2 room = ImGui::GetContentRegionAvail(), origin = ImGui::GetCursorScreenPos(),
               mouse = ImGui::GetMousePos();
  film::View view{us_, camera_, {room.x / workspace.scale, room.y / workspace.scale}};
  if (is_own) move_camera(view.canvas), origin_ = origin, pixels_ = workspace.scale;
  view.camera = is_own ? camera_ : film::camera_like(*film_, *screen.film, path_, camera_, view.canvas);
  view.end_us = end_us_;
  if (beside_.film) view.window_us = std::max(film_->longest_run_us, beside_.film->longest_run_us);
  view.program = workspace.selection.shown().program;
  view.lit_group = pointed_.group, view.lit_element = pointed_.element;
  const Point at{(mouse.x - origin.x) / workspace.scale, (mouse.y - origin.y) / workspace.scale};
  film::Pointed pointed;
  // A button that is held makes the picture's child active, and as it is let go that must not hide what is there.
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    view.pointer = at;
  Drawing drawing = screen.projector->look(view, &pointed);
  if (const auto& portals = film_->nodes[film::placement_of(*film_, path_).node].portals;
      is_own && marked_ >= 0 && marked_ < std::ssize(portals)) {
    const film::Placement place = film::placement_of(*film_, path_);
    const film::Box& box = portals[marked_].entry();
    Shape& s = drawing.shapes.emplace_back();
    const auto on_canvas = [&](double v, double from) { return static_cast<float>((v - from) * camera_.scale); };
    s.x = on_canvas(place.x + place.scale * double(box.x), camera_.x) - 2;
    s.y = on_canvas(place.y + place.scale * double(box.y), camera_.y) - 2;
    s.w = static_cast<float>(place.scale * double(box.w) * camera_.scale) + 4;
    s.h = static_cast<float>(place.scale * double(box.h) * camera_.scale) + 4;
    s.stroke = {Role::accent};
    s.stroke_width = 3;
    s.layer = Layer::lines;
  }
  screen.view.forget();
  screen.view.show(drawing, workspace, no_controls_);
  const bool is_over = screen.view.is_hovered();
  if (is_over) {
    pointed_ = pointed;
    if (is_own) follow_mouse(view.canvas, at);
  }
  ImGui::EndChild();
  return is_over;
}

void ChipView::draw(Workspace& workspace) {
  take(workspace);
  if (!film_) {
    ImGui::TextDisabled("%s", workspace.no_film.empty() ? "the model is at work ..." : workspace.no_film.c_str());
    return;
  }
  show_clock(workspace);
  play_on();
  if (is_on_tour()) show_caption(workspace);
  ImGui::TextUnformatted(film::title_of(*film_, path_).c_str());
  if (film_->is_beginning) {
    ImGui::SameLine();
    ImGui::TextDisabled("the launch's beginning: the model is at work on the rest");
  }
  if (marked_ >= 0 && marked_ < portals()) {
    ImGui::SameLine();
    ImGui::TextDisabled("Enter: %s",
                        film_->nodes[film::placement_of(*film_, path_).node].portals[marked_].name.c_str());
  }
  ImVec2 room = ImGui::GetContentRegionAvail();
  const float least = 300 * workspace.scale;  // of the pictures; else the totals, which the tour tells, have no room
  float foot = beside_.film ? ImGui::GetTextLineHeightWithSpacing() * float(totals_.rows.size() + 1) + 4 : 0;
  if (room.y - foot < least) foot = 0;
  room.y -= foot;
  if (room.x < 80 || room.y < 80) return;
  if (room.x != room_.x || room.y != room_.y) is_placed_ = false, room_ = room;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const ImVec2 size(beside_.film ? (room.x - gap) / 2 : room.x, room.y);
  const bool was_over_beside = beside_.film && show(beside_, workspace, size);
  if (beside_.film) ImGui::SameLine();
  const bool is_over = show(own_, workspace, size) || was_over_beside;
  if (foot > 0) show_totals(workspace);
  workspace.is_playing = is_playing_ || is_moving_;
  if (!is_over) pointed_ = {};
  if (!pointed_.about.is_nothing()) workspace.point_at(pointed_.about, false);
  if (!pointed_.tooltip.empty()) ImGui::SetTooltip("%s", pointed_.tooltip.c_str());
  if (!is_over) return;
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 16) {
    // What is not entered yet is entered before a bar in it sets the time: else most of a program is no door to it.
    if (pointed_.path.size() > path_.size() && pointed_.path[path_.size()] < portals())
      go_to({pointed_.path.begin(), pointed_.path.begin() + static_cast<std::ptrdiff_t>(path_.size()) + 1});
    else if (pointed_.us >= 0) end_tour(), us_ = pointed_.us;
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) zoom_out();
}

// The wheel zooms at the pointer, a drag moves the picture.
void ChipView::follow_mouse(const Canvas& canvas, Point at) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0) {
    const double x = camera_.x + double(at.x) / camera_.scale, y = camera_.y + double(at.y) / camera_.scale;
    camera_.scale = std::clamp(camera_.scale * std::exp(0.2 * double(io.MouseWheel)), 0.05, 1e6);
    camera_.x = x - double(at.x) / camera_.scale, camera_.y = y - double(at.y) / camera_.scale;
    is_moving_ = false;
    path_ = film::path_at(*film_, camera_, canvas);
    marked_ = -1;
  }
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    const double pixels = double(ImGui::GetFontSize()) / 14;  // a point of the drawing takes so many
    camera_.x -= double(io.MouseDelta.x) / pixels / camera_.scale;
    camera_.y -= double(io.MouseDelta.y) / pixels / camera_.scale;
    is_moving_ = false;
  }
}

std::string ChipView::text(Workspace& workspace) {
  take(workspace);
  if (!film_) return "";
  std::string out = film_->title + "\n" + film_->subtitle + "\n";
  out += plain_text(film::table_of(tour_));
  if (beside_.film) return out + plain_text(totals_);
  for (const auto& t : film_->totals) out += t.name + ": " + t.text + "\n";
  return out;
}

}  // namespace tl::viz
