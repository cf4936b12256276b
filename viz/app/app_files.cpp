// Files that are dropped onto the window, or named in its dialog: kernels and recordings.
#include <imgui.h>
#include <imgui_stdlib.h>

#include "interp/run/record.h"
#include "interp/trace/file.h"
#include "viz/app/app.h"

namespace tl::viz {

void App::open_file(const std::string& file) {
  try {
    if (!run::is_recording(file)) return open(RecordRequest{file, {}, 0});
    open(trace::load(file), file);
    schedule_recording();
    repeat_by([this, file] { open_file(file); });
  } catch (const Error& e) {
    error_ = e;
    frames_to_draw_ = 3;
  }
}

void App::draw_file_dialog() {
  if (std::exchange(wants_file_, false)) ImGui::OpenPopup("file");
  const float width = 560 * workspace_.scale;
  ImGui::SetNextWindowPos({(static_cast<float>(window_.width()) - width) / 2, 60 * workspace_.scale});
  ImGui::SetNextWindowSize({width, 0});
  if (!ImGui::BeginPopup("file")) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool is_chosen = ImGui::InputTextWithHint("##file", "NAME.h or NAME.tltrace, then Enter; or drop one here",
                                                  &file_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (is_chosen || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (is_chosen && !file_.empty()) open_file(file_);
}

}  // namespace tl::viz
