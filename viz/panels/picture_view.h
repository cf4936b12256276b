// A panel that shows one drawing and redraws it when the moment, the size, the recording or a control changes.
#pragma once

#include <optional>

#include "interp/trace/memory.h"
#include "viz/panels/renderer.h"
#include "viz/panels/view.h"

namespace tl::viz {

class PictureView : public View {
 public:
  PictureView(std::string name, const Panel& panel) : name_(std::move(name)), panel_(panel) {}
  const char* name() const override { return name_.c_str(); }
  void draw(Workspace& workspace) override;
  std::string text(Workspace& workspace) override;
  std::string missing(Workspace& workspace) override;
  // As it stands; for tests and screenshots.
  const std::optional<Drawing>& drawing() const { return drawing_; }
  ImVec2 place_of(const Shape& shape) const { return view_.place_of(shape, scale_); }
  ImVec4 place_of_control(const std::string& name) const { return view_.place_of_control(name); }
  std::map<std::string, std::int64_t>& controls() { return controls_; }  // what the reader turned

 private:
  struct Key {
    std::uint64_t generation = 0;
    trace::Moment moment;
    int frame = -1;
    std::int64_t lane = -1;
    int width = 0, height = 0;
    const void* model = nullptr;
    std::size_t outcomes = 0;
    About chosen = {};
    const void *code = nullptr, *code_beside = nullptr, *tuning = nullptr;
    std::uint64_t answers = 0;
    bool operator==(const Key&) const = default;
  };
  void zoom_by_wheel();
  void make(Workspace& workspace, const Canvas& canvas);

  std::string name_;
  const Panel& panel_;
  Renderer view_;
  std::map<std::string, std::int64_t> controls_;
  std::optional<Key> key_;
  std::optional<Drawing> drawing_;
  std::string why_not_;
  struct MissingKey {  // `missing` of which program of which recording
    std::uint64_t generation = 0;
    std::size_t program = 0;
    const void* model = nullptr;
    bool operator==(const MissingKey&) const = default;
  };
  std::optional<MissingKey> missing_key_;
  std::string missing_;
  float scale_ = 1;  // of the window, as drawn last
  float zoom_ = 1;   // the drawing is made for so many times the room
};

}  // namespace tl::viz
