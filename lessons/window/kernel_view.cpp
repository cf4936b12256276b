#include "lessons/window/kernel_view.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "interp/text/lexer.h"
#include "lessons/runner/files.h"
#include "lessons/window/rich_text.h"
#include "viz/panels/syntax.h"

namespace tl::lessons {

using viz::Role;
using viz::Workspace;

// ImGui's callback while text is typed: Tab is two spaces, a new line begins below the one above, Ctrl+Z takes back a
// word.
struct Typing {
  static void write(ImGuiInputTextCallbackData* data, const EditHistory::State& state) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, state.text.c_str());
    data->CursorPos = data->SelectionStart = data->SelectionEnd = state.cursor;
  }
  static void note(ImGuiInputTextCallbackData* data, EditHistory& history) {
    const auto is_pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_undo = io.KeyCtrl && !io.KeyShift && is_pressed(ImGuiKey_Z),
               is_redo = io.KeyCtrl && (is_pressed(ImGuiKey_Y) || (io.KeyShift && is_pressed(ImGuiKey_Z)));
    if (const auto state = is_undo ? history.undo() : is_redo ? history.redo() : std::nullopt) write(data, *state);
    else history.note({data->Buf, static_cast<std::size_t>(data->BufTextLen)}, data->CursorPos);
  }
  static int called(ImGuiInputTextCallbackData* data) {
    KernelView& self = *static_cast<KernelView*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) data->InsertChars(data->CursorPos, "  ");
    if (data->EventFlag == ImGuiInputTextFlags_CallbackEdit && data->BufTextLen == self.last_length_ + 1 &&
        data->CursorPos > 0 && data->Buf[data->CursorPos - 1] == '\n') {
      const std::string_view before(data->Buf, static_cast<std::size_t>(data->CursorPos) - 1);
      const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
      data->InsertChars(data->CursorPos, std::string(std::min(line.find_first_not_of(' '), line.size()), ' ').c_str());
    }
    if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) note(data, self.history_);
    self.last_length_ = data->BufTextLen;
    if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && data->CursorPos != self.last_cursor_) {
      self.last_cursor_ = data->CursorPos;
      self.cursor_line_ = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n')) + 1;
    }
    return 0;
  }
};

void KernelView::draw(Workspace& workspace) {
  draw_steps(workspace);
  draw_conflict(workspace);
  const float room = ImGui::GetContentRegionAvail().y, line = workspace.fonts.mono->FontSize;
  const float page =
      bench_.page().empty()
          ? (bench_.is_busy() ? 2.f * line : 0)
          : std::min(0.5f * room, line * (static_cast<float>(std::ranges::count(bench_.page(), '\n')) + 1.6f +
                                          (bench_.is_busy() ? 1.4f : 0) + (bench_.has_passed() ? 1.4f : 0)));
  draw_editor(workspace, room - page - (page > 0 ? ImGui::GetStyle().ItemSpacing.y + 2 : 0));
  if (page > 0) draw_page(workspace);
  ask_before_reset();
}

void KernelView::draw_steps(Workspace& workspace) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool is_first = true;
  const auto fits = [&](float width) {
    if (!is_first && ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= right) ImGui::SameLine();
    is_first = false;
  };
  const auto button = [&](const char* label, const char* tooltip) {
    fits(ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x);
    const bool is_clicked = ImGui::Button(label);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
    return is_clicked;
  };
  if (button("Check", "saves, compiles and runs it on sizes that catch mistakes (Ctrl+S)")) bench_.check();
  if (button("Hint", "one more, mildest first")) bench_.hint();
  if (button("Solution", "one, and why it is one")) bench_.solution();
  if (button("Step through it",
             "records your kernel and shows it in the panels: at the trial that failed, else the smallest"))
    bench_.show_own();
  if (button("Picture", bench_.lesson().is_puzzle() ? "the drawing of your kernel in the panels"
                                                    : "the lesson's own kernel and its drawing in the panels"))
    bench_.show_picture();
  if (button("Editor", "opens the file in your editor (VISUAL or EDITOR); what you save there is checked here"))
    bench_.edit_elsewhere();
  if (button("Reset", "puts the starter back; your text is kept")) wants_reset_ = true;
  fits(ImGui::CalcTextSize("watch").x + 2 * ImGui::GetFrameHeight());
  ImGui::Checkbox("watch", &bench_.watches);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("checks whenever the file is saved, here or in your editor");
  ImGui::TextDisabled("%s%s", short_path(bench_.file()).c_str(), bench_.is_modified() ? "  (not saved: Ctrl+S)" : "");
  (void)workspace;
}

void KernelView::draw_conflict(Workspace& workspace) {
  if (!bench_.has_conflict()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, workspace.colour(Role::fault));
  ImGui::TextWrapped("The file was changed elsewhere, and the text here as well.");
  ImGui::PopStyleColor();
  if (ImGui::SmallButton("take the file's")) bench_.take_file();
  ImGui::SameLine();
  if (ImGui::SmallButton("save what is here")) bench_.save();
}

void KernelView::draw_editor(Workspace& workspace, float height) {
  ImGui::BeginChild("editor", {0, height}, true, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(workspace.fonts.mono);
  const float line_height = ImGui::GetTextLineHeight(), advance = ImGui::CalcTextSize("0").x, gutter = 5 * advance;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  int lines = 1;
  std::size_t longest = 40;
  std::istringstream in(bench_.text);
  for (std::string line; std::getline(in, line); ++lines) longest = std::max(longest, line.size() + 2);
  // The field takes the keys and shows nothing of its own: ImGui writes in one colour. What it holds is written beneath
  // it.
  ImGui::SetCursorScreenPos({at.x + gutter, at.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, 0);
  ImGui::PushID(bench_.text_generation());  // ImGui keeps its own copy of a text that is being edited
  const ImVec2 size(std::max(ImGui::GetContentRegionAvail().x, static_cast<float>(longest) * advance),
                    static_cast<float>(lines + 1) * line_height);
  if (std::exchange(text_seen_, bench_.text_generation()) != bench_.text_generation()) history_.forget(bench_.text);
  const int cursor_before = cursor_line_;
  ImGui::InputTextMultiline("##kernel", &bench_.text, size,
                            ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion |
                                ImGuiInputTextFlags_CallbackEdit | ImGuiInputTextFlags_NoUndoRedo,
                            Typing::called, this);
  const bool has_cursor = ImGui::IsItemActive();
  ImGui::PopID();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  draw_text(workspace, at, gutter);
  if (has_cursor) draw_cursor(workspace, {at.x + gutter, at.y});
  // The cursor's line stays in sight, and so does the one that a check has marked.
  const int marked = bench_.marked_line();
  const int wanted = cursor_line_ != cursor_before                           ? cursor_line_
                     : shown_page_ != bench_.page_generation() && marked > 0 ? marked
                                                                             : 0;
  shown_page_ = bench_.page_generation();
  if (wanted > 0) {
    const float y = static_cast<float>(wanted - 1) * line_height, top = ImGui::GetScrollY(),
                shown = ImGui::GetWindowHeight() - 3 * line_height;
    if (y < top) ImGui::SetScrollY(y);
    else if (y > top + shown) ImGui::SetScrollY(y - shown);
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

// Line numbers, the line that a check has marked, and the text in the source panel's colours.
void KernelView::draw_text(Workspace& workspace, ImVec2 at, float gutter) {
  const float line_height = ImGui::GetTextLineHeight(), advance = ImGui::CalcTextSize("0").x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int marked = bench_.marked_line();
  const std::vector<text::Token> tokens = text::lex(bench_.text);
  auto token = tokens.begin();
  std::istringstream in(bench_.text);
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    const ImVec2 begin(at.x, at.y + static_cast<float>(number - 1) * line_height);
    if (number == marked) {
      list.AddRectFilled(begin, {begin.x + 4000, begin.y + line_height},
                         workspace.colour(viz::Colour{Role::fault, 0, 0, 0.22f}));
      list.AddTriangleFilled({begin.x, begin.y + 2}, {begin.x, begin.y + line_height - 2},
                             {begin.x + 0.6f * advance, begin.y + line_height / 2}, workspace.colour(Role::fault));
      if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
          ImGui::IsMouseHoveringRect(begin, {begin.x + 4000, begin.y + line_height}))
        ImGui::SetTooltip("%s", bench_.report()->finding->headline.c_str());
    }
    list.AddText({begin.x + advance, begin.y}, workspace.colour(Role::soft), fmt::format("{:3}", number).c_str());
    std::size_t written = 0;
    const auto write_to = [&](std::size_t end, const viz::Colour& colour) {
      end = std::clamp(end, written, line.size());
      const char* const text = line.data();
      list.AddText({begin.x + gutter + ImGui::CalcTextSize(text, text + written).x, begin.y}, workspace.colour(colour),
                   text + written, text + end);
      written = end;
    };
    for (; token != tokens.end() && token->line <= number; ++token) {
      const auto column = static_cast<std::size_t>(token->column) - 1;
      write_to(column, {Role::soft});  // a comment, or nothing
      write_to(column + token->text.size(), viz::colour_of(*token));
    }
    write_to(line.size(), {Role::soft});
  }
}

void KernelView::draw_cursor(Workspace& workspace, ImVec2 at) {
  const std::string_view before(bench_.text.data(),
                                std::min(bench_.text.size(), static_cast<std::size_t>(std::max(0, last_cursor_))));
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const float x = at.x + ImGui::CalcTextSize(line.data(), line.data() + line.size()).x,
              y = at.y + static_cast<float>(std::ranges::count(before, '\n')) * ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddLine({x, y}, {x, y + ImGui::GetTextLineHeight() - 1}, workspace.colour(Role::ink),
                                      std::max(1.f, workspace.scale));
}

void KernelView::draw_page(Workspace& workspace) {
  ImGui::Separator();
  if (bench_.is_busy()) {
    ImGui::TextUnformatted(bench_.busy_text().c_str());
    ImGui::SameLine();
    if (ImGui::SmallButton("Stop")) bench_.stop();
  }
  if (const Lesson* next = lesson_after(bench_.lesson()); next && bench_.has_passed())
    if (ImGui::SmallButton(fmt::format("Next {}: {}", next->is_puzzle() ? "puzzle" : "lesson", next->name()).c_str()))
      return bench_.open(*next);
  ImGui::BeginChild("page", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  draw_coloured(workspace, bench_.page());
  ImGui::EndChild();
}

void KernelView::ask_before_reset() {
  if (std::exchange(wants_reset_, false)) ImGui::OpenPopup("reset");
  if (!ImGui::BeginPopup("reset")) return;
  ImGui::Text("Put the starter of lesson %d back? Your text is kept beside it.", bench_.lesson().number());
  if (ImGui::Button("Put it back")) {
    bench_.reset();
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Leave it")) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

std::string KernelView::text(Workspace&) {
  return bench_.text + (bench_.page().empty() ? "" : "\n" + without_colours(bench_.page()));
}

}  // namespace tl::lessons
