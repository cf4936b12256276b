// A drawing in ImGui: shapes, hatches, textures, tooltips, the shared selection, the drawing's own sliders.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "viz/model/drawing.h"
#include "viz/panels/workspace.h"

namespace tl::viz {

class Renderer {
 public:
  ~Renderer() { forget(); }
  // Draws into the rest of the current ImGui window, scrolling where the drawing is larger. Returns true when a control
  // moved; its new value is in `values`.
  bool show(const Drawing& drawing, Workspace& workspace, std::map<std::string, std::int64_t>& values);
  static float controls_height(const Drawing& drawing);  // what they take above the drawing
  void forget();                                         // the next drawing is another: its images, its lights
  bool is_hovered() const { return is_hovered_; }
  // In the window, as drawn last: a shape's middle, a control's widget.
  ImVec2 place_of(const Shape& shape, float scale) const {
    return {origin_.x + (shape.x + shape.w / 2) * scale, origin_.y + (shape.y + shape.h / 2) * scale};
  }
  ImVec4 place_of_control(const std::string& name) const { return controls_.at(name); }  // x, y, width, height
  void keep_under_pointer(float growth);  // the next drawing is so many times as large

 private:
  struct ControlPlace {
    int row = 0;
    float x = 0, grab = 0;  // where it begins; how wide it is without its words
  };
  static std::vector<ControlPlace> control_places(const Drawing& drawing);
  bool show_controls(const Drawing& drawing, Workspace& workspace, std::map<std::string, std::int64_t>& values);
  void show_shapes(const Drawing& drawing, ImVec2 origin, Workspace& workspace);
  void show_image(const Drawing& drawing, const Shape& shape, ImVec2 from, ImVec2 to, Workspace& workspace);

  bool lights(const Drawing& drawing, std::size_t shape, const Selection& selection);

  std::vector<ImTextureID> textures_;
  std::vector<unsigned char> lit_;  // of each shape, while the selection is `lit_by_`
  Selection lit_by_;
  bool is_hovered_ = false;
  ImVec2 origin_;
  std::map<std::string, ImVec4> controls_;
  ImVec2 pointer_;  // within the drawing
  std::optional<ImVec2> pending_scroll_;
  std::function<void(ImTextureID)> drop_;
};

}  // namespace tl::viz
