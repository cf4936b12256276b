// A drawing in ImGui: shapes, hatches, textures, tooltips, the shared selection, the drawing's own sliders.
#pragma once

#include <map>
#include <string>

#include "viz/model/drawing.h"
#include "viz/panels/workspace.h"

namespace tl::viz {

class Renderer {
 public:
  ~Renderer() { drop_textures(); }
  // Draws into the rest of the current ImGui window, scrolling where the drawing is larger. Returns true when a control moved; its new
  // value is in `values`.
  bool show(const Drawing& drawing, Workspace& workspace, std::map<std::string, std::int64_t>& values);
  static float controls_height(const Drawing& drawing);  // what they take above the drawing
  void drop_textures();  // the next drawing's images are others

 private:
  static constexpr std::size_t controls_a_row = 3;
  bool show_controls(const Drawing& drawing, std::map<std::string, std::int64_t>& values);
  void show_image(const Drawing& drawing, const Shape& shape, ImVec2 from, ImVec2 to, Workspace& workspace);

  std::vector<ImTextureID> textures_;
  std::function<void(ImTextureID)> drop_;
};

}  // namespace tl::viz
