#include "viz/panels/picture_view.h"

#include <algorithm>

namespace tl::viz {

void PictureView::make(Workspace& workspace, const Canvas& canvas) {
  drawing_.reset();
  why_not_.clear();
  view_.forget();
  try {
    Scene scene = workspace.scene(controls_);
    why_not_ = panel_.missing(scene);
    if (why_not_.empty()) drawing_ = draw_fitting(panel_, scene, canvas);
  } catch (const Error& e) {
    why_not_ = e.what();
    if (!e.fix.empty()) why_not_.append("\n\n").append(e.fix);
  }
}

void PictureView::draw(Workspace& workspace) {
  if (!workspace.debugger) return;
  workspace.wants_outcomes |= panel_.traits.needs_outcomes;
  workspace.wants_code |= panel_.traits.needs_code;
  workspace.wants_tuning |= panel_.traits.needs_tuning;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (room.x < 40 || room.y < 40) return;
  const debug::Session& session = workspace.debugger->session();
  const Key key{workspace.generation,
                panel_.traits.follows_steps ? session.now() : trace::Moment{},
                session.frame(),
                session.lane(),
                static_cast<int>(zoom_ * (room.x - ImGui::GetStyle().ScrollbarSize) / workspace.scale),
                static_cast<int>(zoom_ * room.y / workspace.scale),
                workspace.model.get(),
                workspace.outcomes.size(),
                panel_.traits.follows_choice ? workspace.selection.pinned : About{},
                workspace.code.get(),
                workspace.code_baseline.get(),
                workspace.tuning.get(),
                workspace.answers};
  if (key_ != key) {
    // The drawing's own controls take some of its room; the drawing says how many there are.
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
  scale_ = workspace.scale;
  if (view_.show(*drawing_, workspace, controls_)) key_.reset();
  zoom_by_wheel();
}

// Ctrl and the wheel: the drawing is made larger, so that cells grow and merged ones part, and what is under the
// pointer stays there.
void PictureView::zoom_by_wheel() {
  const ImGuiIO& io = ImGui::GetIO();
  if (!view_.is_hovered() || !io.KeyCtrl || io.MouseWheel == 0) return;
  const float before = zoom_;
  zoom_ = std::clamp(zoom_ * (io.MouseWheel > 0 ? 1.25f : 0.8f), 1.f, 16.f);
  if (zoom_ < 1.05f) zoom_ = 1;
  view_.keep_under_pointer(zoom_ / before);
}

// Called for every tab in every frame: computed anew only where the answer may have changed.
std::string PictureView::missing(Workspace& workspace) {
  if (!workspace.debugger || panel_.traits.comes_later) return "";
  const MissingKey key{workspace.generation, workspace.debugger->session().now().program, workspace.model.get()};
  if (missing_key_ != key) {
    Scene scene = workspace.scene(controls_);
    missing_ = panel_.missing(scene);
    missing_key_ = key;
  }
  return missing_;
}

std::string PictureView::text(Workspace& workspace) {
  if (!drawing_ && why_not_.empty()) make(workspace, {});
  return drawing_ ? plain_text(*drawing_) : why_not_;
}

}  // namespace tl::viz
