#include "lessons/window/rich_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "interp/lang/text.h"
#include "lessons/runner/readme.h"

namespace tl::lessons {

using viz::Role;
using viz::Workspace;

namespace {

enum class Style : unsigned char { plain, bold, code, link };

struct TextSpan {
  std::string text;
  Style style = Style::plain;
  std::string target;  // of a link
};

bool is_word(const std::string& line, std::size_t at) {
  return at < line.size() && std::isalnum(static_cast<unsigned char>(line[at]));
}

// `code`, **bold**, *bold*, [text](target).
std::vector<TextSpan> spans_of(const std::string& line) {
  std::vector<TextSpan> spans(1);
  for (std::size_t i = 0; i < line.size();) {
    const std::string mark = line[i] == '`'                           ? "`"
                             : line.compare(i, 2, "**") == 0          ? "**"
                             : line[i] == '*' && is_word(line, i + 1) ? "*"
                                                                      : "";
    const std::size_t end = mark.empty() ? std::string::npos : line.find(mark, i + mark.size());
    if (end != std::string::npos) {
      spans.push_back(
          {line.substr(i + mark.size(), end - i - mark.size()), mark == "`" ? Style::code : Style::bold, ""});
      spans.emplace_back();
      i = end + mark.size();
      continue;
    }
    const std::size_t middle = line[i] == '[' ? line.find("](", i) : std::string::npos,
                      close = middle == std::string::npos ? middle : line.find(')', middle);
    if (close != std::string::npos && line.find(']', i) == middle) {
      spans.push_back({line.substr(i + 1, middle - i - 1), Style::link, line.substr(middle + 2, close - middle - 2)});
      spans.emplace_back();
      i = close + 1;
      continue;
    }
    spans.back().text += line[i++];
  }
  return spans;
}

// Chinese and Japanese, whose lines may break between any two characters: from U+3000 on, three bytes each.
bool is_wide(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead >= 0xE3 && lead < 0xF0;
}

// Marks of such texts that begin no line: , . : ; ) ? !
bool ends_clause(const std::string& text, std::size_t at) {
  for (const char* mark : {"\u3001", "\u3002", "\uFF0C", "\uFF1A", "\uFF1B", "\uFF09", "\uFF1F", "\uFF01"})
    if (text.compare(at, 3, mark) == 0) return true;
  return false;
}

// The end of an unbroken piece: the next space or wide character, or one of these with the marks behind it.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  std::size_t end = at;
  if (is_wide(text, at)) end += 3;
  else
    while (end < text.size() && text[end] != ' ' && !is_wide(text, end)) ++end;
  while (end < text.size() && ends_clause(text, end)) end += 3;
  return std::min(end, text.size());
}

// Words one after the other, wrapped at the room's width.
class Flow {
 public:
  Flow(Workspace& workspace, const TextActions& actions, float indent)
      : workspace_(workspace),
        actions_(actions),
        origin_(ImGui::GetCursorScreenPos()),
        indent_(indent),
        width_(std::max(60.f, ImGui::GetContentRegionAvail().x)),
        line_(ImGui::GetTextLineHeightWithSpacing()),
        x_(indent) {}
  ~Flow() {
    ImGui::SetCursorScreenPos(origin_);
    ImGui::Dummy({width_, y_ + line_});
  }
  Flow(const Flow&) = delete;

  void add(const TextSpan& span) {
    const bool can_run = span.style == Style::code && actions_.is_command && actions_.is_command(span.text);
    const bool can_follow = span.style == Style::link && actions_.is_link && actions_.is_link(span.target);
    bool is_hovered = false;
    last_end_ = {-1, -1};
    for (const auto& [word, spaces] : words_of(span.text)) {
      x_ += static_cast<float>(spaces) * (x_ > indent_ ? space_ : 0);
      is_hovered |= draw(word, span.style, can_run || can_follow);
    }
    if (!is_hovered) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (can_run) ImGui::SetTooltip("click runs it here");
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    if (can_run) actions_.run(span.text);
    else actions_.follow(span.target);
  }

 private:
  static std::vector<std::pair<std::string, int>> words_of(const std::string& text) {
    std::vector<std::pair<std::string, int>> words;
    int spaces = 0;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == ' ') {
        ++spaces;
        ++i;
        continue;
      }
      const std::size_t end = end_of_word(text, i);
      words.push_back({text.substr(i, end - i), std::min(spaces, 1)});
      spaces = 0;
      i = end;
    }
    if (spaces > 0) words.push_back({"", 1});
    return words;
  }

  bool draw(const std::string& word, Style style, bool is_clickable) {
    ImFont* const font = style == Style::code   ? workspace_.fonts.mono
                         : style == Style::bold ? workspace_.fonts.bold
                                                : workspace_.fonts.sans;
    const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, word.c_str());
    if (x_ + size.x > width_ && x_ > indent_) {
      x_ = indent_;
      y_ += line_;
    }
    const ImVec2 at(origin_.x + x_, origin_.y + y_);
    const float begin = last_end_.y == at.y ? last_end_.x : at.x;  // the space before a word belongs to the span
    last_end_ = {at.x + size.x, at.y};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (style == Style::code)
      list.AddRectFilled({begin - 1, at.y}, {at.x + size.x + 1, at.y + size.y}, workspace_.colour(Role::surface), 3);
    const ImU32 colour = workspace_.colour(is_clickable ? Role::load : Role::ink);
    list.AddText(font, font->FontSize, at, colour, word.c_str());
    if (is_clickable) list.AddLine({begin, at.y + size.y}, {at.x + size.x, at.y + size.y}, colour);
    x_ += size.x;
    return is_clickable && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
           ImGui::IsMouseHoveringRect({begin, at.y}, {at.x + size.x, at.y + size.y});
  }

  Workspace& workspace_;
  const TextActions& actions_;
  ImVec2 origin_;
  float indent_, width_, line_, x_, y_ = 0;
  float space_ = ImGui::CalcTextSize(" ").x;
  ImVec2 last_end_;  // of the word before in the same span
};

void draw_inline(Workspace& workspace, const std::string& text, const TextActions& actions, float indent = 0) {
  Flow flow(workspace, actions, indent);
  for (const TextSpan& span : spans_of(text)) flow.add(span);
}

void draw_table(Workspace& workspace, const std::vector<std::string>& lines, const TextActions& actions) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i != 1) rows.push_back(table_cells(lines[i]));  // | --- | --- |
  const std::size_t columns = rows.front().size();
  constexpr auto flags = ImGuiTableFlags_Borders | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_NoHostExtendX;
  if (!ImGui::BeginTable("table", static_cast<int>(columns), flags, {ImGui::GetContentRegionAvail().x, 0})) return;
  for (std::size_t c = 0; c < columns; ++c) {
    std::size_t longest = 4;
    for (const auto& row : rows)
      if (c < row.size()) longest = std::max(longest, std::min<std::size_t>(row[c].size(), 18));
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, static_cast<float>(longest + 3));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == 0 && std::ranges::all_of(rows[r], &std::string::empty)) continue;  // a table without headings
    ImGui::TableNextRow();
    for (std::size_t c = 0; c < columns && c < rows[r].size(); ++c) {
      ImGui::TableNextColumn();
      draw_inline(workspace, r == 0 && !rows[r][c].empty() ? "**" + rows[r][c] + "**" : rows[r][c], actions);
    }
  }
  ImGui::EndTable();
}

// Lines of code; wider ones scroll sideways. A line that is a command can be clicked.
void draw_code(Workspace& workspace, const std::vector<std::string>& lines, const TextActions& actions) {
  ImGui::PushFont(workspace.fonts.mono);
  float widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, ImGui::CalcTextSize(line.c_str()).x);
  const float padding = 5 * workspace.scale,
              height = static_cast<float>(lines.size()) * ImGui::GetTextLineHeight() + 2 * padding;
  const bool is_wide = widest + 2 * padding > ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, workspace.colour(Role::surface));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
  ImGui::BeginChild("code", {0, height + (is_wide ? ImGui::GetStyle().ScrollbarSize : 0)}, true,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = lines[i].substr(std::min(lines[i].find_first_not_of(' '), lines[i].size()));
    std::string command = line.substr(0, line.find("      "));  // what follows many spaces is a remark
    if (command.ends_with("\\") && i + 1 < lines.size()) command += "\n" + lines[i + 1];
    const bool can_run = actions.is_command && actions.is_command(command);
    ImGui::PushStyleColor(ImGuiCol_Text, workspace.colour(can_run ? Role::load : Role::ink));
    ImGui::TextUnformatted(lines[i].c_str());
    ImGui::PopStyleColor();
    if (!can_run || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
      continue;  // the kernel's text may have the focus
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("click runs it here");
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) actions.run(command);
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace

void draw_markdown(Workspace& workspace, const std::string& markdown, const TextActions& actions) {
  const auto lines = lines_of(markdown);
  const auto taken_while = [&](std::size_t& i, auto belongs) {
    std::vector<std::string> taken;
    for (; i < lines.size() && belongs(lines[i]); ++i) taken.push_back(lines[i]);
    return taken;
  };
  for (std::size_t i = 0; i < lines.size();) {
    ImGui::PushID(static_cast<int>(i));
    const std::string& line = lines[i];
    if (line.empty() || line.starts_with("<!--") || line.starts_with("![")) {
      if (line.empty()) ImGui::Dummy({0, 3 * workspace.scale});
      ++i;
    } else if (line.starts_with("```")) {
      draw_code(workspace, taken_while(++i, [](const std::string& l) { return !l.starts_with("```"); }), actions);
      ++i;
    } else if (line.starts_with("    ")) {
      auto code = taken_while(i, [](const std::string& l) { return l.starts_with("    "); });
      for (std::string& l : code) l.erase(0, 4);
      draw_code(workspace, code, actions);
    } else if (line.starts_with("|")) {
      draw_table(workspace, taken_while(i, [](const std::string& l) { return l.starts_with("|"); }), actions);
    } else {
      const bool is_item = line.starts_with("- ");
      std::string paragraph = is_item ? line.substr(2) : line;
      ++i;
      for (const std::string& more : taken_while(i, [](const std::string& l) {
             return !l.empty() && !l.starts_with("- ") && !l.starts_with("|") && !l.starts_with("```") &&
                    !l.starts_with("    ") && !l.starts_with("<!--");
           }))
        paragraph += " " + more.substr(more.find_first_not_of(' '));
      if (is_item) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddCircleFilled({at.x + 5 * workspace.scale, at.y + ImGui::GetTextLineHeight() / 2},
                                                    2.2f * workspace.scale, workspace.colour(Role::soft));
      }
      draw_inline(workspace, paragraph, actions, is_item ? 14 * workspace.scale : 0);
    }
    ImGui::PopID();
  }
}

void draw_coloured(Workspace& workspace, const std::string& text) {
  ImGui::PushFont(workspace.fonts.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  Role role = Role::ink;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (const std::string& line : lines_of(text)) {
    const bool is_prose =
        !line.starts_with("  ") || line.find("\x1b[36m") != std::string::npos;  // a report's advice, too
    const std::string plain = without_colours(line);
    const bool wraps = is_prose || ImGui::CalcTextSize(plain.c_str()).x > ImGui::GetContentRegionAvail().x;
    bool is_first = true;
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] == '\x1b') {
        const std::size_t end = std::min(line.find('m', i), line.size() - 1);
        const std::string code = line.substr(i + 2, end - i - 2);
        role = code == "2"      ? Role::soft
               : code == "32"   ? Role::good
               : code == "1;31" ? Role::fault
               : code == "36"   ? Role::load
                                : Role::ink;
        i = end + 1;
        continue;
      }
      std::size_t end = std::min(line.find('\x1b', i), line.size());
      if (wraps) end = std::min(end, end_of_word(line, i + (line[i] == ' ')));  // with the space before it
      const float width = ImGui::CalcTextSize(line.data() + i, line.data() + end).x;
      if (!is_first && !(wraps && ImGui::GetItemRectMax().x + width > right)) {
        ImGui::SameLine(0, 0);
      } else if (!is_first) {
        if (line[i] == ' ') ++i;
        if (!is_prose)
          ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::CalcTextSize("        ").x);  // under its line
      }
      is_first = false;
      ImGui::PushStyleColor(ImGuiCol_Text, workspace.colour(role));
      ImGui::TextUnformatted(line.data() + i, line.data() + end);
      ImGui::PopStyleColor();
      i = end;
    }
    if (is_first) ImGui::TextUnformatted("");
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b') i = std::min(text.find('m', i), text.size() - 1);
    else plain += text[i];
  return plain;
}

}  // namespace tl::lessons
