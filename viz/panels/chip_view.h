// The chip: the launch as a film, with a clock; the mouse or the keys zoom into SMs, slots and blocks. Beside it, on
// the same clock, the launch that is kept to compare with.
#pragma once

#include "viz/model/film/look.h"
#include "viz/model/film/tour.h"
#include "viz/panels/renderer.h"
#include "viz/panels/view.h"

namespace tl::viz {

class ChipView : public View {
 public:
  const char* name() const override { return "Chip"; }
  void draw(Workspace& workspace) override;
  std::string text(Workspace& workspace) override;
  std::string missing(Workspace& workspace) override { return workspace.film ? "" : workspace.no_film; }
  bool needs_recording() const override { return false; }
  // Space plays; Right and Left, with Shift a wave's length, Home and End move the clock; Down and Up choose what Enter
  // zooms into; Backspace and Esc zoom out. T begins the tour, in which Right and Left go from caption to caption, and
  // ends it.
  bool take_key(Workspace& workspace, const KeyPress& press) override;
  // For tests and screenshots.
  void seek(double us) { us_ = us; }
  void enter(film::Path path) {
    path_ = std::move(path);
    is_placed_ = false;
  }
  bool is_on_tour() const { return caption_ >= 0; }
  int caption() const { return caption_; }
  double us() const { return us_; }
  bool is_playing() const { return is_playing_; }
  const film::Path& path() const { return path_; }
  ImVec2 place_of(int portal) const;  // the middle of one of the node that is looked at, on the screen

 private:
  struct Screen {
    std::shared_ptr<const film::Film> film;
    std::unique_ptr<film::Projector> projector;
    Renderer view;
  };
  void take(Workspace& workspace);
  void show_clock(Workspace& workspace);
  void show_launches(Workspace& workspace);
  void show_caption(Workspace& workspace);
  void show_totals(Workspace& workspace);
  void show_told(Workspace& workspace, float height);
  void begin_tour();
  void end_tour() {
    if (is_on_tour()) is_playing_ = false;
    caption_ = -1;
  }
  void go_to_caption(int number);
  void follow_tour();
  // Draws a screen; returns whether the pointer is over it.
  bool show(Screen& screen, Workspace& workspace, ImVec2 size);
  void follow_mouse(const Canvas& canvas, Point at);
  void move_camera(const Canvas& canvas);
  void go_to(film::Path path);
  void zoom_out() {
    if (!path_.empty()) go_to({path_.begin(), path_.end() - 1});
  }
  void step(const std::vector<float>& times, bool forward);
  void toggle_play();
  void play_on();
  std::int64_t portals() const;  // of the node that is looked at

  std::shared_ptr<const film::Film> film_;
  Screen own_, beside_;
  std::vector<std::string> names_;  // of beside_ and own_
  viz::Table totals_;
  double end_us_ = 0;  // of the longer one
  film::Camera camera_, goal_;
  film::Path path_;
  int marked_ = -1;  // portal that Enter goes into
  bool is_placed_ = false, is_moving_ = false, is_playing_ = false;
  film::Box part_;  // of the node, that the camera goes to; empty: all of it
  std::vector<film::Caption> tour_;
  int caption_ = -1;   // -1: not on the tour
  double tour_s_ = 0;  // since it began
  double us_ = 0;
  float speed_ = 1;
  film::Pointed pointed_;
  std::map<std::string, std::int64_t> no_controls_;
  ImVec2 room_{0, 0}, origin_{0, 0};  // of the own picture, on the screen
  float pixels_ = 1;                  // a point of it takes so many
};

}  // namespace tl::viz
