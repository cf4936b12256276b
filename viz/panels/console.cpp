#include "viz/panels/console.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string_view>

namespace tl::viz {

// ImGui's callback for Tab and the arrow keys.
struct ConsoleInput {
  ConsoleView& panel;
  Workspace& workspace;

  static int called(ImGuiInputTextCallbackData* data) {
    auto& self = *static_cast<ConsoleInput*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) self.complete(*data);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) self.show_history(*data);
    return 0;
  }

  void complete(ImGuiInputTextCallbackData& data) {
    if (!workspace.debugger) return;
    const auto found =
        workspace.debugger->completions(std::string(data.Buf, static_cast<std::size_t>(data.BufTextLen)));
    if (found.size() == 1) {
      data.DeleteChars(0, data.BufTextLen);
      data.InsertChars(0, found.front().c_str());
    }
  }

  void show_history(ImGuiInputTextCallbackData& data) {
    std::vector<const std::string*> lines;
    for (const ConsoleEntry& e : workspace.console)
      if (!e.command.empty()) lines.push_back(&e.command);
    const int count = static_cast<int>(lines.size());
    int& at = panel.history_at_;
    if (data.EventKey == ImGuiKey_UpArrow) at = at < 0 ? count - 1 : std::max(0, at - 1);
    if (data.EventKey == ImGuiKey_DownArrow && at >= 0) at = at + 1 < count ? at + 1 : -1;
    data.DeleteChars(0, data.BufTextLen);
    if (at >= 0 && at < count) data.InsertChars(0, lines[at]->c_str());
  }
};

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A line of the kernel, the carets beneath one, a table's row: what stands in columns is not wrapped.
bool is_listing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" =>*");
  if (first == std::string_view::npos) return true;
  const std::size_t number_end = line.find_first_not_of("0123456789", first);
  return line[first] == '^' || (number_end != std::string_view::npos && line.substr(number_end).starts_with(" |")) ||
         line.find("  ", first) != std::string_view::npos;
}

}  // namespace

void ConsoleView::draw(Workspace& workspace) {
  const float input_height = ImGui::GetFrameHeightWithSpacing();
  ImGui::BeginChild("log", ImVec2(0, -input_height), false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(workspace.fonts.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  const float width =
      ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;  // of the visible part, not of the longest line
  for (const ConsoleEntry& entry : workspace.console) {
    if (!entry.command.empty()) ImGui::TextDisabled("> %s", entry.command.c_str());
    for (const std::string_view line : lines_of(entry.output)) {
      const bool is_prose = !is_listing(line);
      if (is_prose) ImGui::PushTextWrapPos(width);
      ImGui::TextUnformatted(line.data(), line.data() + line.size());
      if (is_prose) ImGui::PopTextWrapPos();
    }
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (shown_ != workspace.console.size()) ImGui::SetScrollHereY(1);
  shown_ = workspace.console.size();
  ImGui::EndChild();
  ConsoleInput input{*this, workspace};
  const char* const hints[] = {"a command: n  rn  b 12  watch z[1]  p offs  help", "a command"};
  const bool has_room =
      ImGui::CalcTextSize(hints[0]).x + 2 * ImGui::GetStyle().FramePadding.x < ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(-1);
  constexpr auto flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
                         ImGuiInputTextFlags_CallbackHistory;
  if (ImGui::InputTextWithHint("##command", hints[has_room ? 0 : 1], &line_, flags, ConsoleInput::called, &input)) {
    workspace.command(line_);
    line_.clear();
    history_at_ = -1;
    ImGui::SetKeyboardFocusHere(-1);
  }
}

std::string ConsoleView::text(Workspace& workspace) {
  std::string all;
  for (const ConsoleEntry& e : workspace.console) {
    if (!e.command.empty()) all.append("> ").append(e.command).append("\n");
    all += e.output;
  }
  return all;
}

}  // namespace tl::viz
