// One HTML page of many frames: each SVG fragment is kept once, a frame is a list of their numbers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "viz/export/export.h"
#include "viz/export/page_data.h"
#include "viz/export/page_text.h"

namespace tl::viz {

namespace {

std::string table_html(const Table& table) {
  std::string out = "<table><caption>" + escaped(table.caption) + "</caption>";
  if (!table.header.empty()) {
    out += "<thead><tr>";
    for (const std::string& h : table.header) out += "<th scope=\"col\">" + escaped(h) + "</th>";
    out += "</tr></thead>";
  }
  out += "<tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + escaped(cell) + "</td>";
    out += "</tr>";
  }
  return out + "</tbody></table>";
}

std::string words(const Drawing& drawing) {
  std::string out = "<h2>" + escaped(drawing.title) + "</h2>";
  if (!drawing.subtitle.empty()) out += "<p>" + escaped(drawing.subtitle) + "</p>";
  if (!drawing.facts.empty()) {
    out += "<ul>";
    for (const std::string& f : drawing.facts) out += "<li>" + escaped(f) + "</li>";
    out += "</ul>";
  }
  for (const Table& t : drawing.tables) out += table_html(t);
  return out;
}

// Texts kept once, by number.
class Pool {
 public:
  int add(std::string text) {
    const auto [it, is_new] = number_.try_emplace(std::move(text), static_cast<int>(texts_.size()));
    if (is_new) texts_.push_back(it->first);
    return it->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, int> number_;
  std::vector<std::string> texts_;
};

// What a shape stands for, as the script compares it: is_same_thing of viz/model/selection.h.
std::string linked(const About& a, const std::string& element) {
  if (a.is_nothing()) return element;
  return fmt::format("<g data-a=\"{},{},{},{},{},{},{}\">", a.program, a.step, a.line, a.tensor, a.lane, a.first,
                     a.last) +
         element + "</g>";
}

nlohmann::ordered_json json_of(const Walk& walk, const Theme& theme, Pool& fragments, Pool& texts) {
  nlohmann::ordered_json data;
  data["name"] = walk.name;
  data["start"] = walk.start;
  data["source"] = walk.source;
  data["frames"] = nlohmann::ordered_json::array();
  for (const Frame& f : walk.frames) {
    nlohmann::ordered_json frame;
    frame["label"] = f.label;
    frame["line"] = f.line;
    frame["width"] = static_cast<int>(f.drawing.width);
    frame["height"] = static_cast<int>(f.drawing.height);
    auto shapes = nlohmann::ordered_json::array();
    for (const Shape& s : f.drawing.shapes)
      shapes.push_back(fragments.add(linked(s.about, svg_element(f.drawing, s, theme))));
    frame["shapes"] = std::move(shapes);
    frame["text"] = texts.add(words(f.drawing));
    data["frames"].push_back(std::move(frame));
  }
  return data;
}

}  // namespace

std::string html_data(const std::vector<Walk>& walks, const Theme& theme) {
  Pool fragments, texts;
  nlohmann::ordered_json data;
  data["open"] = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"@W\" "
      "height=\"@H\" viewBox=\"0 0 @W @H\" role=\"img\" "
      "aria-labelledby=\"label\">{}",
      svg_definitions(theme));
  data["walks"] = nlohmann::ordered_json::array();
  for (const Walk& w : walks) data["walks"].push_back(json_of(w, theme, fragments, texts));
  data["fragments"] = fragments.texts();
  data["texts"] = texts.texts();
  return data.dump();
}

std::string html(const std::string& title, const std::vector<Walk>& walks, const Theme& theme) {
  const Walk& walk = walks.front();
  const Frame& first = walk.frames.at(walk.start);
  std::string choices;
  for (const Walk& w : walks) choices += "<option>" + escaped(w.name) + "</option>";
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width\"/>\n<title>" +
      escaped(title) + "</title>\n<style>";
  out += fmt::format(":root{{--paper:{};--ink:{};--soft:{};--faint:{};--accent:{};--current:{}}}\n",
                     hex(theme({Role::paper})), hex(theme({Role::ink})), hex(theme({Role::soft})),
                     hex(theme({Role::faint})), hex(theme({Role::accent})), hex(theme({Role::current})));
  out += page_text("walk.css");
  out += std::string("</style>\n</head>\n<body") + (walk.frames.size() > 1 ? "" : " class=\"still\"") + ">\n<h1>" +
         escaped(title) + "</h1>\n";
  out += fmt::format(
      "<nav aria-label=\"steps\"><button id=\"play\" type=\"button\">play</button><button id=\"back\" "
      "type=\"button\">back</button><input id=\"step\" type=\"range\" "
      "min=\"0\" max=\"{}\" value=\"{}\" aria-label=\"step\"/>"
      "<button id=\"on\" type=\"button\">on</button><select id=\"speed\" aria-label=\"steps a second\">"
      "<option value=\"1\">1 a second</option><option value=\"3\" selected=\"selected\">3 a second</option>"
      "<option value=\"10\">10 a second</option></select>{}</nav>\n",
      walk.frames.size() - 1, walk.start,
      walks.size() > 1 ? "<select id=\"walk\" aria-label=\"settings\">" + choices + "</select>" : "");
  out += "<div id=\"label\" aria-live=\"polite\">" + escaped(first.label) + "</div>\n";
  out += "<main><pre id=\"source\"></pre><div><div id=\"picture\">" + svg(first.drawing, theme) +  // without a script
         "</div>\n<details><summary>The picture as text</summary><div id=\"words\">" + words(first.drawing) +
         "</div></details></div></main>\n";
  out +=
      "<p class=\"keys\">Space plays. Left and right arrow (or p and n): a step back or on. Page up and down: ten. "
      "Home "
      "and End: the first and the last. Point at a shape or a line: what belongs to it lights up.</p>\n";
  out += data_element(html_data(walks, theme)) + "\n<script type=\"module\">" + std::string(page_text("page_data.js")) +
         std::string(page_text("walk.js")) + "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace tl::viz
