#include "viz/panels/picture_view.h"

namespace tl::viz {

void PictureView::make(Workspace& workspace, const Canvas& canvas) {
  drawing_.reset();
  why_not_.clear();
  view_.drop_textures();
  try {
    Scene scene = workspace.scene(controls_);
    why_not_ = panel_.missing(scene);
    if (why_not_.empty()) drawing_ = panel_.draw(scene, canvas);
  } catch (const Error& e) {
    why_not_ = e.what();
    if (!e.fix.empty()) why_not_.append("\n\n").append(e.fix);
  }
}

void PictureView::draw(Workspace& workspace) {
  if (!workspace.debugger) return;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < 40 || room.y < 40) return;
  const debug::Session& session = workspace.debugger->session();
  const Key key{workspace.generation, panel_.follows_steps ? session.now() : trace::Moment{}, session.frame(), session.lane(), static_cast<int>(room.x / workspace.scale), static_cast<int>(room.y / workspace.scale), workspace.schedule.get(), workspace.outcomes.size()};
  if (key_ != key) {
    // The drawing's own controls take their room from it; how many there are, it says itself.
    const float taken = drawing_ ? Renderer::controls_height(*drawing_) / workspace.scale : 0;
    make(workspace, {static_cast<float>(key.width), static_cast<float>(key.height) - taken});
    if (const float takes = drawing_ ? Renderer::controls_height(*drawing_) / workspace.scale : 0; takes != taken)
      make(workspace, {static_cast<float>(key.width), static_cast<float>(key.height) - takes});
    key_ = key;
  }
  if (!drawing_) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(why_not_.c_str());
    ImGui::PopTextWrapPos();
    return;
  }
  if (view_.show(*drawing_, workspace, controls_)) key_.reset();
}

std::string PictureView::text(Workspace& workspace) {
  if (!drawing_ && why_not_.empty()) make(workspace, {});
  return drawing_ ? plain_text(*drawing_) : why_not_;
}

}  // namespace tl::viz
