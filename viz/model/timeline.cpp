// Which program ran on which SM when, as the model says: a row an SM, a colour a wave, the tail shaded.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

std::string missing_timeline(Scene& scene) { return scene.schedule && !scene.schedule->programs.empty() ? "" : "no schedule of the machine model belongs to this run"; }

Drawing draw_timeline(Scene& scene, const Canvas& canvas) {
  const machine::Schedule& schedule = *scene.schedule;
  double end = 0;
  std::int64_t rows = 0;
  for (const machine::ProgramRun& r : schedule.programs) end = std::max(end, r.end_us), rows = std::max<std::int64_t>(rows, r.sm + 1);
  const std::int64_t slots = std::max<std::int64_t>(1, schedule.resident_programs_per_sm);
  // Without a program an SM has no row, unless some have: then its idleness is what one should see.
  rows = std::max(rows, schedule.sms);
  Sheet sheet("timeline", fmt::format("{} on {}: {} programs over {} SMs (model)", debug::short_name(schedule.kernel), schedule.gpu, grouped(static_cast<std::int64_t>(schedule.programs.size())), rows),
              fmt::format("A row an SM ({} program{} at a time), time to the right in microseconds, as the machine model estimates it: not a measurement.", slots, slots == 1 ? "" : "s"), canvas);
  const float left = sheet.left() + 46, width = sheet.right() - left, top = sheet.y + 6, height = std::min(sheet.room() - 34, static_cast<float>(rows * slots) * 22);
  const float lane = height / static_cast<float>(rows * slots);
  const auto x_of = [&](double us) { return left + static_cast<float>(end > 0 ? us / end : 0) * width; };
  const bool few = schedule.programs.size() <= 4000 && lane >= 3;
  std::int64_t here = -1;
  if (scene.session.launch().grid[0] == schedule.grid[0]) here = linear_id(scene.session.launch(), scene.session.program().id);
  // The tail: from when the first SM has nothing left to do.
  std::vector<double> last(static_cast<std::size_t>(rows * slots), 0);
  for (const machine::ProgramRun& r : schedule.programs) {
    double& l = last[static_cast<std::size_t>(r.sm * slots + std::clamp<std::int64_t>(r.slot, 0, slots - 1))];
    l = std::max(l, r.end_us);
  }
  const double tail = *std::min_element(last.begin(), last.end());
  Shape& shade = sheet.rect(x_of(tail), top, x_of(end) - x_of(tail), height, {Role::surface}, "tail");
  shade.layer = Layer::ground;
  shade.hatch = Hatch::dots;
  shade.tooltip = fmt::format("the tail: from {:.2f} us on at least one SM has a free place and no program left", tail);
  if (few) {
    for (std::size_t p = 0; p < schedule.programs.size(); ++p) {
      const machine::ProgramRun& r = schedule.programs[p];
      const float y = top + static_cast<float>(r.sm * slots + r.slot) * lane;
      Shape& s = sheet.rect(x_of(r.start_us), y, std::max(1.f, x_of(r.end_us) - x_of(r.start_us)), lane, category(r.wave), fmt::format("program/{}", p));
      s.about.program = static_cast<std::int64_t>(p);
      if (lane >= 5) s.stroke = {Role::paper};
      const std::string text = fmt::format("{}", p);
      if (lane >= 12 && text_width(text, 10) < s.w - 4) s.text = text, s.size = 10;
      s.tooltip = fmt::format("program {} on SM {}, wave {}: {:.2f} to {:.2f} us; hit rate in L2 {:.0f} % (model)", p, r.sm, r.wave, r.start_us, r.end_us, 100 * r.reads.logical_hit_rate());
      if (static_cast<std::int64_t>(p) == here) s.stroke = {Role::accent}, s.stroke_width = 2.5f;
    }
  } else {
    Field f;
    f.rows = rows * slots;
    f.columns = static_cast<std::int64_t>(width);
    f.states.push_back({{Role::surface}, "idle"});
    for (int w = 0; w < 7; ++w) f.states.push_back({category(w), fmt::format("busy: wave {}, {} and so on", w, w + 7)});
    f.name = "SM place, pixel of time";
    f.x = left, f.y = top, f.width = width, f.height = height;
    FieldPainter painter(f);
    for (const machine::ProgramRun& r : schedule.programs) {
      const auto from = static_cast<std::int64_t>(x_of(r.start_us) - left), to = static_cast<std::int64_t>(x_of(r.end_us) - left);
      painter.set(r.sm * slots + r.slot, from, std::max<std::int64_t>(1, to - from), static_cast<unsigned char>(1 + r.wave % 7));
    }
    painter.draw(sheet, "busy");
  }
  const std::int64_t every = std::max<std::int64_t>(1, static_cast<std::int64_t>(14 / (lane * static_cast<float>(slots)) + 0.99f));
  for (std::int64_t sm = 0; sm < rows; sm += every) sheet.text(left - 6, top + (static_cast<float>(sm) + 0.5f) * lane * static_cast<float>(slots) + 4, fmt::format("SM {}", sm), 10, Align::right, {Role::soft});
  for (int i = 0; i <= 4; ++i) {
    const double us = end * i / 4;
    sheet.line(x_of(us), top + height, x_of(us), top + height + 5, {Role::ink});
    sheet.text(x_of(us), top + height + 18, fmt::format("{:.2f} us", us), 10.5f, i == 0 ? Align::left : i == 4 ? Align::right : Align::centre, {Role::soft});
  }
  sheet.y = top + height + 24;
  sheet.drawing.facts.push_back(tail <= 0 ? fmt::format("model: {:.2f} waves: {} programs do not fill the {} places of the GPU", schedule.waves, grouped(static_cast<std::int64_t>(schedule.programs.size())), grouped(rows * slots))
                                              : fmt::format("model: {:.2f} waves; the tail, with idle places, is {:.0f} % of the time", schedule.waves, 100 * (end - tail) / end));
  sheet.drawing.facts.push_back(fmt::format("model: hit rate in L2 {:.1f} %, {} read from DRAM, {} written", 100 * schedule.reads.logical_hit_rate(), bytes_text(schedule.dram_read_bytes), bytes_text(schedule.dram_write_bytes)));
  for (int w = 0; w < std::min<std::int64_t>(7, static_cast<std::int64_t>(schedule.waves + 0.999)); ++w) sheet.legend({fmt::format("wave {}", w), category(w)});
  sheet.legend({"tail: an SM has nothing left", {Role::surface}, Hatch::dots});
  if (here >= 0 && few) sheet.legend({"the current program", {}, Hatch::none, Kind::rect, {Role::accent}});
  Table table{"programs (model)", {"program", "SM", "wave", "start us", "end us"}, {}};
  for (std::size_t p = 0; p < std::min<std::size_t>(schedule.programs.size(), 200); ++p) {
    const machine::ProgramRun& r = schedule.programs[p];
    table.rows.push_back({fmt::format("{}", p), fmt::format("{}", r.sm), fmt::format("{}", r.wave), fmt::format("{:.2f}", r.start_us), fmt::format("{:.2f}", r.end_us)});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
