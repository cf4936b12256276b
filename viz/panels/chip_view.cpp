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
  const bool was_on_tour = is_on_tour(), was_playing = is_playing_;
  film_ = own_.film;
  names_.clear();
  totals_ = {};
  tour_.clear();
  end_tour();
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
  if (was_on_tour && !tour_.empty()) {  // the kernel was compiled meanwhile: the same second of what is told now
    follow_tour();
    is_playing_ = was_playing;
  }
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
  path_ = tour_[static_cast<std::size_t>(now)].path;
  part_ = tour_[static_cast<std::size_t>(now)].part;
  marked_ = -1;
  is_moving_ = true;
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
  camera_.x += (goal_.x - camera_.x) * part;
  camera_.y += (goal_.y - camera_.y) * part;
  camera_.scale = scale;
  if (std::abs(std::log(goal_.scale / camera_.scale)) < 2e-3 && std::abs(goal_.x - camera_.x) * camera_.scale < 0.5) {
    camera_ = goal_;
    is_moving_ = false;
  }
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
  if (us_ >= end_us_) {
    us_ = end_us_;
    is_playing_ = film_->is_beginning;
  }  // then it goes on once there is more
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
  if (is_own) {
    move_camera(view.canvas);
    origin_ = origin;
    pixels_ = workspace.scale;
  }
  view.camera = is_own ? camera_ : film::camera_like(*film_, *screen.film, path_, camera_, view.canvas);
  view.end_us = end_us_;
  if (beside_.film) view.window_us = std::max(film_->longest_run_us, beside_.film->longest_run_us);
  view.program = workspace.selection.shown().program;
  view.lit_group = pointed_.group;
  view.lit_element = pointed_.element;
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
  if (room.x != room_.x || room.y != room_.y) {
    is_placed_ = false;
    room_ = room;
  }
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImVec2 size(beside_.film ? (room.x - gap) / 2 : room.x, room.y);
  if (!is_on_tour()) {  // as high as it is at this width, and words in what it leaves
    const film::Node& node = film_->nodes[film::placement_of(*film_, path_).node];
    const float keys = (beside_.film ? 5.f : 3.f) * ImGui::GetTextLineHeightWithSpacing();
    size.y = std::clamp(size.x * node.height / node.width + keys, std::min(least, room.y), room.y);
  }
  const bool was_over_beside = beside_.film && show(beside_, workspace, size);
  if (beside_.film) ImGui::SameLine();
  const bool is_over = show(own_, workspace, size) || was_over_beside;
  if (foot > 0) show_totals(workspace);
  if (size.y < room.y) show_told(workspace, room.y - size.y - ImGui::GetStyle().ItemSpacing.y);
  workspace.is_playing = is_playing_ || is_moving_;
  if (!is_over) pointed_ = {};
  if (!pointed_.about.is_nothing()) workspace.point_at(pointed_.about, false);
  if (!pointed_.tooltip.empty()) ImGui::SetTooltip("%s", pointed_.tooltip.c_str());
  if (!is_over) return;
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 16) {
    // What is not entered yet is entered before a bar in it sets the time: else most of a program is no door to it.
    if (pointed_.path.size() > path_.size() && pointed_.path[path_.size()] < portals())
      go_to({pointed_.path.begin(), pointed_.path.begin() + static_cast<std::ptrdiff_t>(path_.size()) + 1});
    else if (pointed_.us >= 0) {
      end_tour();
      us_ = pointed_.us;
    }
  }
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) zoom_out();
}

// The wheel zooms at the pointer, a drag moves the picture.
void ChipView::follow_mouse(const Canvas& canvas, Point at) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0) {
    const double x = camera_.x + double(at.x) / camera_.scale, y = camera_.y + double(at.y) / camera_.scale;
    camera_.scale = std::clamp(camera_.scale * std::exp(0.2 * double(io.MouseWheel)), 0.05, 1e6);
    camera_.x = x - double(at.x) / camera_.scale;
    camera_.y = y - double(at.y) / camera_.scale;
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
