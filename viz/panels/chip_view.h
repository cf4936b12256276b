// The chip: the launch as a film, with a clock; the mouse zooms into SMs, slots and blocks.
#pragma once

#include "viz/model/film/look.h"
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
  // For tests and screenshots.
  void seek(double us) { us_ = us; }
  void enter(film::Path path) { path_ = std::move(path), is_placed_ = false; }

 private:
  void take(Workspace& workspace);
  void show_clock(Workspace& workspace);
  void move_camera(const Canvas& canvas);
  void go_to(film::Path path);
  void step(const std::vector<float>& times, bool forward);
  void play_on();

  std::shared_ptr<const film::Film> film_;
  std::optional<film::Projector> projector_;
  Renderer view_;
  film::Camera camera_, goal_;
  film::Path path_;
  bool is_placed_ = false, is_moving_ = false, is_playing_ = false;
  double us_ = 0;
  float speed_ = 1;
  film::Pointed pointed_;
  std::map<std::string, std::int64_t> no_controls_;
  ImVec2 room_{0, 0};
};

}  // namespace tl::viz
