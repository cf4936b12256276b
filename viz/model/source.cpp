// The kernel's text with what each line has moved so far: bytes, sectors, masked lanes, as bars beside it.
#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/file_name.h"
#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

constexpr float line_height = 18, numbers_width = 34, traffic_width = 230, bar_width = 52;

struct SourcePicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const debug::SourceModel* const model = session.view().model_of_frame(session.frame());
  const int file = session.view().frames()[session.frame()].file;
  Sheet sheet;
  const char* const comment = model && is_python(model->file()) ? "#" : "//";
  // The lines shown, and the one that is next.
  int current = -1, first = 1, last = 0;
  std::map<int, Findings::Traffic> traffic;
  std::map<int, std::int64_t> sectors;
  double most_bytes = 0;
  // Layout.
  const float text_left = sheet.left() + numbers_width + 8, traffic_left = sheet.right() - traffic_width,
              top = sheet.y + 16;
  float text_size = 12;
  Table table{"lines that touch memory", {"line", "text", "bytes", "sectors of this program", "masked lanes"}, {}};

  SourcePicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("source",
              fmt::format("{} before step {} of {}", title(), session.now().step,
                          program_text(session.launch(), session.program().id)),
              fmt::format("Beside each line: bytes moved by all programs so far (bar), sectors of 32 B asked for by "
                          "this program{}, lanes masked off so far.",
                          s.model && !s.model->plans.empty() ? "" : " with one lane an element"),
              canvas) {}

  std::string title() const {
    std::string name = model ? model->file() : "";
    if (const auto at = name.find("kernels/"); at != std::string::npos) name.erase(0, at);
    return name.empty() ? "The kernel's text" : name;
  }

  void measure() {
    traffic = scene.found().traffic_before(file, session.now());
    sectors = scene.found().sectors_before(file, session.now(), scene.model);
    std::size_t longest = 1;  // of the lines with bars beside them
    for (const auto& [line, t] : traffic) {
      most_bytes = std::max(most_bytes, t.bytes);
      longest = std::max(longest, model->line(line).size());
    }
    text_size = std::clamp((traffic_left - text_left - 10) / (0.603f * length(longest)), least_text, 12.f);
    const debug::OpLocation location = session.location();
    if (location.token >= 0) current = model->token(location.token).line;
    else if (session.now().step < session.view().steps()) current = session.view().step(session.now().step).site.line;
    last = model->lines();
    const int fit = std::max(8, static_cast<int>(sheet.room() / line_height) - 1);
    if (last <= fit) return;
    first = std::clamp((current > 0 ? current : 1) - fit / 2, 1, last - fit + 1);
    last = first + fit - 1;
  }

  void draw_header() {
    sheet.note(traffic_left + bar_width + 6, sheet.y + 9, "bytes", least_text);
    sheet.note(traffic_left + 174, sheet.y + 9, "sectors", least_text, Align::right);
    sheet.note(sheet.right(), sheet.y + 9, "masked", least_text, Align::right);
  }

  void draw_line(int line) {
    const float y = top + length(line - first) * line_height;
    Shape& ground = sheet.rect(sheet.left(), y, sheet.inner(), line_height,
                               {line == current ? Role::current : Role::paper}, fmt::format("line/{}", line));
    ground.layer = Layer::ground;
    ground.about.line = line;
    sheet.note(sheet.left() + numbers_width, y + 13, fmt::format("{}", line), 11, Align::right).is_mono = true;
    const std::string text(model->line(line));
    const std::size_t indent = std::min(text.size(), text.find_first_not_of(' '));
    const auto moved = traffic.find(line);
    const bool has_traffic = moved != traffic.end();
    if (!text.empty()) {
      const float room = (has_traffic ? traffic_left : sheet.right()) - text_left - 8;
      Shape& s = sheet.text(text_left, y + 13, fitted(text, room, text_size, true), text_size);
      s.is_mono = true;
      s.is_bold = line == current;
      if (text.substr(indent).starts_with(comment)) s.ink = {Role::soft};
    }
    if (line == current)
      sheet.mark(Kind::arrow, sheet.left() + 1, y + 9, 9, 0, {Role::accent}, "next").stroke_width = 2;
    if (has_traffic) draw_traffic(line, y, moved->second, text.substr(indent));
  }

  void draw_traffic(int line, float y, const Findings::Traffic& t, const std::string& text) {
    Shape& bar = sheet.rect(traffic_left, y + 4,
                            std::max(2.f, bar_width * static_cast<float>(most_bytes > 0 ? t.bytes / most_bytes : 0)),
                            line_height - 8, {t.writes ? Role::store : Role::load}, fmt::format("bytes/{}", line));
    bar.about.line = line;
    bar.tooltip = fmt::format("line {} {} {} in {} lanes, {} of them masked off", line, t.writes ? "stored" : "loaded",
                              bytes_text(t.bytes), count_text(t.lanes), count_text(t.masked));
    const std::string asked = count_text(sectors.contains(line) ? sectors.at(line) : 0);
    const auto number = [&](float x, const std::string& words, Align align) {
      sheet.text(x, y + 13, words, 11, align).is_mono = true;
    };
    number(traffic_left + bar_width + 6, bytes_text(t.bytes), Align::left);
    number(traffic_left + 174, asked, Align::right);
    number(sheet.right() - 2,
           t.lanes ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(t.masked) / static_cast<double>(t.lanes)) : "",
           Align::right);
    table.rows.push_back({fmt::format("{}", line), text, bytes_text(t.bytes), asked,
                          fmt::format("{} of {}", count_text(t.masked), count_text(t.lanes))});
  }

  void add_legend() {
    sheet.legend({"loaded bytes", {Role::load}});
    sheet.legend({"stored bytes", {Role::store}});
    if (current > 0) {
      table.caption += fmt::format("; line {} is next", current);
      sheet.legend({"the next line", {Role::current}});
    } else sheet.fact(program_text(session.launch(), session.program().id) + " is done");
  }
};

}  // namespace

Drawing draw_source(Scene& scene, const Canvas& canvas) {
  SourcePicture picture(scene, canvas);
  Sheet& sheet = picture.sheet;
  if (!picture.model) {
    sheet.note(sheet.left(), sheet.y + 16, "the recording holds no text of this kernel", 13);
    sheet.y += 24;
    return sheet.finish();
  }
  picture.measure();
  picture.draw_header();
  for (int line = picture.first; line <= picture.last; ++line) picture.draw_line(line);
  sheet.y = picture.top + length(picture.last - picture.first + 1) * line_height + 4;
  picture.add_legend();
  sheet.table(std::move(picture.table));
  return sheet.finish();
}

}  // namespace tl::viz
