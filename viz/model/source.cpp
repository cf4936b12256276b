// The kernel's text with what each line has moved so far: bytes, sectors, masked lanes, as bars beside it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {}  // namespace

Drawing draw_source(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const debug::ProgramView& view = session.view();
  const debug::SourceModel* model = view.model_of_frame(session.frame());
  std::string file = model ? model->file() : "";
  if (const auto at = file.find("kernels/"); at != std::string::npos) file.erase(0, at);
  const int file_number = view.frames()[static_cast<std::size_t>(session.frame())].file;
  Sheet sheet("source",
              fmt::format("{} before step {} of {}", file.empty() ? "The kernel's text" : file, session.now().step,
                          program_text(session.launch(), session.program().id)),
              "Beside each line: bytes moved by all programs so far (bar), sectors of 32 B asked for by this program, "
              "lanes masked off so far.",
              canvas);
  if (!model) {
    sheet.text(sheet.left(), sheet.y + 16, "the recording holds no text of this kernel", 13, Align::left, {Role::soft});
    sheet.y += 24;
    return sheet.finish();
  }
  const auto heat = scene.found().traffic_before(file_number, session.now());
  const auto sectors = scene.found().sectors_before(file_number, session.now());
  const auto sectors_at = [&](int line) { return sectors.contains(line) ? sectors.at(line) : 0; };
  double most = 0;
  for (const auto& [line, h] : heat) most = std::max(most, h.bytes);

  const debug::Place place = session.place();
  const int current = place.token >= 0                    ? model->tokens()[static_cast<std::size_t>(place.token)].line
                      : session.now().step < view.steps() ? view.step(session.now().step).site.line
                                                          : -1;
  const float height = 18, numbers = 34, side = 230;
  const int fit = std::max(8, static_cast<int>(sheet.room() / height) - 1);
  int first = 1, last = model->lines();
  if (last > fit) {
    first = std::clamp((current > 0 ? current : 1) - fit / 2, 1, last - fit + 1);
    last = first + fit - 1;
  }
  const float text_left = sheet.left() + numbers + 8, heat_left = sheet.right() - side, top = sheet.y + 16;
  const float bar_width = 52;
  sheet.text(heat_left + bar_width + 6, sheet.y + 9, "bytes", 10.5f, Align::left, {Role::soft});
  sheet.text(heat_left + 174, sheet.y + 9, "sectors", 10.5f, Align::right, {Role::soft});
  sheet.text(sheet.right(), sheet.y + 9, "masked", 10.5f, Align::right, {Role::soft});
  std::size_t longest = 1;  // of the lines with bars beside them
  for (const auto& [line, h] : heat) longest = std::max(longest, model->line(line).size());
  const float size = std::clamp((heat_left - text_left - 10) / (0.603f * static_cast<float>(longest)), 9.f, 12.f);
  Table table{"lines that touch memory", {"line", "text", "bytes", "sectors of this program", "masked lanes"}, {}};
  for (int line = first; line <= last; ++line) {
    const float y = top + static_cast<float>(line - first) * height;
    About about;
    about.line = line;
    Shape& ground = sheet.rect(sheet.left(), y, sheet.inner(), height, {line == current ? Role::current : Role::paper},
                               fmt::format("line/{}", line));
    ground.layer = Layer::ground;
    ground.about = about;
    sheet.text(sheet.left() + numbers, y + 13, fmt::format("{}", line), 11, Align::right, {Role::soft}).is_mono = true;
    const std::string text(model->line(line));
    const auto it = heat.find(line);
    if (!text.empty()) {
      Shape& s =
          sheet.text(text_left, y + 13,
                     fitted(text, (it == heat.end() ? sheet.right() : heat_left) - text_left - 8, size, true), size);
      s.is_mono = true;
      s.is_bold = line == current;
      if (text.find_first_not_of(' ') != std::string::npos && text.compare(text.find_first_not_of(' '), 2, "//") == 0)
        s.ink = {Role::soft};
    }
    if (line == current)
      sheet.mark(Kind::arrow, sheet.left() + 1, y + 9, 9, 0, {Role::accent}, "next").stroke_width = 2;
    if (it == heat.end()) continue;
    const Findings::Traffic& h = it->second;
    const std::string trimmed = text.substr(std::min(
        text.size(), text.find_first_not_of(' ') == std::string::npos ? text.size() : text.find_first_not_of(' ')));
    const std::string masked =
        h.lanes ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(h.masked) / static_cast<double>(h.lanes)) : "";
    Shape& bar =
        sheet.rect(heat_left, y + 4, std::max(2.f, bar_width * static_cast<float>(most > 0 ? h.bytes / most : 0)),
                   height - 8, {h.writes ? Role::store : Role::load}, fmt::format("bytes/{}", line));
    bar.about = about;
    bar.tooltip = fmt::format("line {} {} {} in {} lanes, {} of them masked off", line, h.writes ? "stored" : "loaded",
                              bytes_text(h.bytes), grouped(h.lanes), grouped(h.masked));
    sheet.text(heat_left + bar_width + 6, y + 13, bytes_text(h.bytes), 11).is_mono = true;
    sheet.text(heat_left + 174, y + 13, grouped(sectors_at(line)), 11, Align::right).is_mono = true;
    Shape& m = sheet.text(sheet.right() - 2, y + 13, masked, 11, Align::right);
    m.is_mono = true;
    table.rows.push_back({fmt::format("{}", line), trimmed, bytes_text(h.bytes), grouped(sectors_at(line)),
                          fmt::format("{} of {}", grouped(h.masked), grouped(h.lanes))});
  }
  sheet.y = top + static_cast<float>(last - first + 1) * height + 4;
  if (current > 0) table.caption += fmt::format("; line {} is next", current);
  sheet.legend({"loaded bytes", {Role::load}});
  sheet.legend({"stored bytes", {Role::store}});
  if (current > 0) sheet.legend({"the next line", {Role::current}});
  else sheet.drawing.facts.push_back(fmt::format("{} is done", program_text(session.launch(), session.program().id)));
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
