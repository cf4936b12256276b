#include "viz/panels/source.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "interp/debug/show.h"
#include "interp/lang/text.h"
#include "kernels/triton/originals.h"
#include "viz/model/sheet.h"
#include "viz/panels/crisp_text.h"
#include "viz/panels/syntax.h"

namespace tl::viz {

namespace {

constexpr float traffic_size = 0.92f, traffic_columns = 23,
                bytes_columns = 10;  // of the text's size; in characters, all or the bytes alone
constexpr float narrow = 76;         // characters of a pane that has room for the bytes alone

// A line of text: its tokens in their colours, what stands between them, comments, pale. visit(token, its place, its
// width).
template <class Visit>
void draw_code(Workspace& workspace, const debug::SourceModel& model, int line, std::size_t& next_token,
               const Visit& visit) {
  const std::string_view text = model.line(line);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float advance = ImGui::CalcTextSize("0").x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::size_t drawn = 0;  // of the text's characters
  const auto draw = [&](std::size_t from, std::string_view piece, ImU32 colour) {
    if (piece.find_first_not_of(' ') != std::string_view::npos)
      list.AddText({at.x + static_cast<float>(from) * advance, at.y}, colour, piece.data(),
                   piece.data() + piece.size());
  };
  const auto& tokens = model.tokens();
  while (next_token < tokens.size() && tokens[next_token].line < line) ++next_token;
  for (; next_token < tokens.size() && tokens[next_token].line == line; ++next_token) {
    const debug::Token& token = tokens[next_token];
    const auto from = static_cast<std::size_t>(token.column - 1);
    if (from > drawn) draw(drawn, text.substr(drawn, from - drawn), workspace.colour(Role::soft));
    draw(from, token.text, workspace.colour(colour_of(token)));
    drawn = std::max(drawn, from + token.text.size());
    visit(token, ImVec2(at.x + static_cast<float>(from) * advance, at.y),
          static_cast<float>(token.text.size()) * advance);
  }
  if (drawn < text.size()) draw(drawn, text.substr(drawn), workspace.colour(Role::soft));
  ImGui::Dummy({static_cast<float>(text.size()) * advance, ImGui::GetTextLineHeight()});
}

const debug::Breakpoint* breakpoint_at(debug::Session& session, int file, int line) {
  for (const debug::Breakpoint& b : session.breakpoints())
    if (b.kind == debug::BreakKind::line && b.file == file && b.line == line) return &b;
  return nullptr;
}

}  // namespace

void SourceView::draw(Workspace& workspace) {
  if (!workspace.debugger) return;
  debug::Session& session = workspace.debugger->session();
  const int file = session.view().frames()[session.frame()].file;
  const debug::SourceModel* model = session.sources().model(file);
  if (!model) {
    if (session.trace().steps() == 0)
      return ImGui::TextWrapped("No program executed an op, so no line of the kernel's text is known.");
    ImGui::TextWrapped(
        "This recording holds no text of its kernel. Record it again where the sources are, or give --sources.");
    return;
  }
  const debug::OpLocation location = session.location();
  const int next = location.token >= 0 ? model->token(location.token).line : 0;
  int shown = next;  // at its end a program is where its last op stands
  if (const std::uint32_t at = session.now().step; next == 0 && at > 0)
    if (const auto& last = session.view().step(at - 1).site; last.file == file) shown = last.line;
  if (generation_ != workspace.generation || shown_file_ != file) shown_line_ = -1;
  generation_ = workspace.generation;
  shown_file_ = file;
  const std::string_view original = kernels::triton_original(project_path(model->file()));
  draw_header(workspace, *model, !original.empty());
  find_traffic(workspace, file);
  const float room = ImGui::GetContentRegionAvail().x, beside = !original.empty() && shows_original_ ? 0.48f * room : 0;
  if (has_traffic()) draw_traffic_header(workspace, room - beside);
  const ImVec2 top = ImGui::GetCursorPos();
  ImGui::BeginChild("text", ImVec2(room - beside, 0), false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(workspace.fonts.mono);
  draw_lines(workspace, *model, file, next, shown);
  ImGui::PopFont();
  draw_condition_editor(workspace);
  ImGui::EndChild();
  if (beside <= 0) return;
  ImGui::SetCursorPos({top.x + room - beside, top.y});
  draw_original(workspace, original);
}

// The file's name and what may be shown beside its text.
void SourceView::draw_header(Workspace& workspace, const debug::SourceModel& model, bool has_original) {
  const std::string_view path = project_path(model.file());
  const auto checkbox = [&](float gap, const char* label, bool& is_on, const char* tooltip) {
    ImGui::SameLine(0, gap * workspace.scale);
    if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize(label).x + 1.6f * ImGui::GetTextLineHeight())
      ImGui::NewLine();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(2, 0));
    ImGui::Checkbox(label, &is_on);
    ImGui::PopStyleVar();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
  };
  ImGui::TextDisabled("%.*s", static_cast<int>(path.size()), path.data());
  checkbox(24, "traffic", shows_traffic_,
           "beside each line: bytes moved by all programs so far, sectors of 32 B asked for by this program, lanes "
           "masked off");
  if (has_original)
    checkbox(16, "Triton", shows_original_, "the Triton kernel that this one was written after, beside it");
}

void SourceView::draw_traffic_header(Workspace& workspace, float room) {
  ImGui::PushFont(workspace.fonts.mono);
  const float advance = ImGui::CalcTextSize("0").x;
  is_narrow_ = room < narrow * advance;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 1.4f * ImGui::GetTextLineHeight() + 4 * advance);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  add_text(*ImGui::GetWindowDrawList(), workspace.fonts.mono, traffic_size * ImGui::GetTextLineHeight(), at,
           workspace.colour(Role::soft), is_narrow_ ? "    bytes" : "    bytes sectors masked");
  ImGui::Dummy({1, traffic_size * ImGui::GetTextLineHeight()});
  ImGui::PopFont();
}

void SourceView::draw_lines(Workspace& workspace, const debug::SourceModel& model, int file, int next, int shown) {
  const float height = ImGui::GetTextLineHeight();
  next_token_ = 0;
  for (int line = 1; line <= model.lines(); ++line) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const auto fill = [&](Role role) {
      ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 4000, at.y + height},
                                                workspace.colour(Colour{role, 0, 0, 0.25f}));
    };
    if (line == next) fill(Role::current);
    else if (workspace.selection.lights({.line = line})) fill(Role::accent);
    if (line == workspace.fault_line) fill(Role::fault);
    draw_line(workspace, model, file, line);
    if (line == shown && shown_line_ != shown) {  // the first line that is seen is seen whole
      const float pitch = ImGui::GetTextLineHeightWithSpacing(), before = 0.4f * ImGui::GetWindowHeight() / pitch,
                  from = static_cast<float>(line - 1) * pitch - ImGui::GetScrollY();
      const bool is_in_sight = from >= 0 && from + 2 * pitch <= ImGui::GetWindowHeight();
      if (!is_in_sight) ImGui::SetScrollY(std::max(0.f, std::round(static_cast<float>(line) - before)) * pitch);
    }
  }
  shown_line_ = shown;
  // Down to the end whole lines are scrolled, too: the first one that is seen is not cut.
  const float pitch = ImGui::GetTextLineHeightWithSpacing(), gap = pitch - height,
              over = ImGui::GetScrollMaxY() - tail_;
  tail_ = over > 0 ? std::ceil((over + gap) / pitch) * pitch - over : 0;
  if (tail_ > 0) ImGui::Dummy({1, tail_ - gap});
}

// Its own words in the same colours: a name, a number, a keyword mean the same on both sides.
void SourceView::draw_original(Workspace& workspace, std::string_view text) {
  ImGui::BeginChild("original", ImVec2(0, 0), true, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::PushFont(workspace.fonts.mono);
  if (original_.first != text.data())
    original_ = {text.data(), std::make_shared<debug::SourceModel>("original.py", std::string(text))};
  const debug::SourceModel& model = *original_.second;
  std::size_t next = 0;
  for (int line = 1; line <= model.lines(); ++line) draw_code(workspace, model, line, next, [](const auto&...) {});
  ImGui::PopFont();
  ImGui::EndChild();
}

void SourceView::draw_gutter(Workspace& workspace, int file, int line) {
  debug::Session& session = workspace.debugger->session();
  const float height = ImGui::GetTextLineHeight(), radius = 0.32f * height;
  const ImVec2 at = ImGui::GetCursorScreenPos(), centre(at.x + radius + 2, at.y + height / 2);
  const debug::Breakpoint* b = breakpoint_at(session, file, line);
  const float number = 4 * ImGui::CalcTextSize("0").x;  // a click on the line's number counts, too
  const bool is_clicked = ImGui::InvisibleButton("gutter", {1.4f * height + number, height});
  const bool is_hovered = ImGui::IsItemHovered();
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) {
    edited_line_ = line;
    wants_editor_ = true;
    edited_condition_ = b ? b->condition : "";
  }
  if (b) {
    ImGui::GetWindowDrawList()->AddCircleFilled(centre, radius,
                                                workspace.colour(b->is_enabled ? Role::fault : Role::soft));
    if (is_hovered)
      ImGui::SetTooltip("breakpoint %d at %s%s%s\nclick removes it, right-click sets a condition", b->number,
                        b->what.c_str(), b->condition.empty() ? "" : " if ", b->condition.c_str());
  } else if (is_hovered) {
    ImGui::GetWindowDrawList()->AddCircle(centre, radius, workspace.colour(Role::fault));
    ImGui::SetTooltip("click sets a breakpoint, right-click one with a condition");
  }
  if (is_clicked) workspace.command(b ? "delete " + std::to_string(b->number) : "b " + std::to_string(line));
}

void SourceView::find_traffic(Workspace& workspace, int file) {
  debug::Session& session = workspace.debugger->session();
  const trace::Moment now = session.now();
  const ModelRun* const model = workspace.model.get();
  if (traffic_at_ == now && traffic_file_ == file && traffic_in_ == workspace.generation && traffic_by_ == model)
    return;
  traffic_at_ = now;
  traffic_file_ = file;
  traffic_in_ = workspace.generation;
  traffic_by_ = model;
  traffic_ = workspace.findings->traffic_before(file, now);
  sectors_ = workspace.findings->sectors_before(file, now, model);
  most_bytes_ = 0;
  for (const auto& [line, t] : traffic_) most_bytes_ = std::max(most_bytes_, t.bytes);
}

// 64 B    2  25%, on a bar as long as its share of the busiest line's bytes.
void SourceView::draw_traffic(Workspace& workspace, int line) {
  const float height = ImGui::GetTextLineHeight(), size = traffic_size * height,
              advance = traffic_size * ImGui::CalcTextSize("0").x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({(is_narrow_ ? bytes_columns : traffic_columns) * advance, height});
  if (const auto it = traffic_.find(line); it != traffic_.end()) {
    const Findings::Traffic& t = it->second;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float share = most_bytes_ > 0 ? static_cast<float>(t.bytes / most_bytes_) : 0;
    list.AddRectFilled(at, {at.x + std::max(2.f, share * 9 * advance), at.y + height - 1},
                       workspace.colour(Colour{t.writes ? Role::store : Role::load, 0, 0, 0.35f}));
    const std::int64_t sectors = sectors_.contains(line) ? sectors_.at(line) : 0;
    const std::string bytes = bytes_text(t.bytes), count = count_text(sectors),
                      masked = std::to_string(t.lanes ? (100 * t.masked + t.lanes / 2) / t.lanes : 0) + "%";
    const auto put = [&](const std::string& text, float right_column, Role role) {
      add_text(list, workspace.fonts.mono, size,
               {at.x + right_column * advance - static_cast<float>(text.size()) * advance, at.y + (height - size) / 2},
               workspace.colour(role), text.c_str());
    };
    put(bytes, 9, Role::ink);
    if (!is_narrow_) put(count, 16, Role::soft);
    if (!is_narrow_ && t.masked > 0) put(masked, 21, Role::soft);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "line %d %s %s so far, in %s lanes, %s of them masked off;\nthis program asked for %s sectors of 32 B here%s",
          line, t.writes ? "stored" : "loaded", bytes.c_str(), count_text(t.lanes).c_str(),
          count_text(t.masked).c_str(), count.c_str(),
          traffic_by_ && !traffic_by_->plans.empty() ? "" : ", one lane an element");
  }
  ImGui::SameLine(0, 0);
}

void SourceView::draw_line(Workspace& workspace, const debug::SourceModel& model, int file, int line) {
  ImGui::PushID(line);
  draw_gutter(workspace, file, line);
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() - 4 * ImGui::CalcTextSize("0").x);
  if (line == workspace.fault_line) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(workspace.colour(Role::fault)), "%3dx", line);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", workspace.fault_text.c_str());
  } else {
    ImGui::TextDisabled("%3d ", line);
  }
  ImGui::SameLine(0, 0);
  if (has_traffic()) draw_traffic(workspace, line);
  draw_code(workspace, model, line, next_token_, [&](const debug::Token& token, ImVec2 from, float width) {
    if (token.kind == debug::TokenKind::name && ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect(from, {from.x + width, from.y + ImGui::GetTextLineHeight()}))
      show_value(workspace, std::string(token.text));
  });
  if (ImGui::IsItemHovered()) workspace.point_at({.line = line});
  ImGui::PopID();
}

void SourceView::show_value(Workspace& workspace, const std::string& name) {
  debug::Session& session = workspace.debugger->session();
  const debug::ProgramView& view = session.view();
  for (const debug::Variable* v : view.locals(session.now().step, session.frame())) {
    const std::int32_t value = v->name == name ? view.value_at(*v, session.now().step) : -1;
    if (value >= 0)
      return ImGui::SetTooltip("%s = %s", name.c_str(),
                               debug::value_text(session.program(), session.launch(), value).c_str());
  }
  for (const auto& [parameter, argument] : session.arguments())
    if (parameter == name) return ImGui::SetTooltip("%s = %s", name.c_str(), argument.c_str());
}

void SourceView::draw_condition_editor(Workspace& workspace) {
  if (wants_editor_) ImGui::OpenPopup("condition");
  wants_editor_ = false;
  if (!ImGui::BeginPopup("condition")) return;
  ImGui::Text("stop at line %d if", edited_line_);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool is_entered =
      ImGui::InputTextWithHint("##condition", "any(offs > 3)", &edited_condition_,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::TextDisabled("Enter sets it, Esc leaves it");
  if (is_entered) {
    const debug::Breakpoint* const b = breakpoint_at(workspace.debugger->session(), shown_file_, edited_line_);
    const std::string condition = edited_condition_.empty() ? "" : (b ? " " : " if ") + edited_condition_;
    workspace.command((b ? "condition " + std::to_string(b->number) : "b " + std::to_string(edited_line_)) + condition);
  }
  if (is_entered || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

std::string SourceView::text(Workspace& workspace) {
  if (!workspace.debugger) return "";
  debug::Session& session = workspace.debugger->session();
  const int file = session.view().frames()[session.frame()].file;
  const debug::SourceModel* model = session.sources().model(file);
  if (!model) return "";
  const debug::OpLocation location = session.location();
  return debug::listing(*model, 1, model->lines(), location.token >= 0 ? model->token(location.token).line : 0, {});
}

}  // namespace tl::viz
