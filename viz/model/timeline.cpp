// Which program ran on which SM when, as the model says: a row an SM, a colour a wave, the tail shaded.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

// A row of the chart: an SM with the places that it uses, or neighbours without a program.
struct SmRow {
  std::int64_t first_sm = 0, last_sm = 0, places = 0;  // 0: idle
  float y = 0;
  std::string label() const {
    return first_sm == last_sm ? fmt::format("SM {}", first_sm) : fmt::format("SM {}..{}", first_sm, last_sm);
  }
};

std::vector<SmRow> rows_of(const machine::Schedule& schedule, std::int64_t sms) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(sms), 0);
  for (const machine::ProgramRun& r : schedule.programs)
    places[static_cast<std::size_t>(r.sm)] = std::max<std::int64_t>(places[static_cast<std::size_t>(r.sm)], r.slot + 1);
  std::vector<SmRow> rows;
  for (std::int64_t sm = 0; sm < sms; ++sm) {
    const std::int64_t used = places[static_cast<std::size_t>(sm)];
    if (used == 0 && !rows.empty() && rows.back().places == 0) rows.back().last_sm = sm;
    else rows.push_back({sm, sm, used, 0});
  }
  return rows;
}

}  // namespace

std::string missing_timeline(Scene& scene) {
  return scene.schedule() && !scene.schedule()->programs.empty() ? "" : "the machine model has no schedule of this run";
}

Drawing draw_timeline(Scene& scene, const Canvas& canvas) {
  const machine::Schedule& schedule = *scene.schedule();
  double end = 0;
  std::int64_t sms = schedule.sms;
  for (const machine::ProgramRun& r : schedule.programs)
    end = std::max(end, r.end_us), sms = std::max<std::int64_t>(sms, r.sm + 1);
  const std::int64_t slots = std::max<std::int64_t>(1, schedule.resident_programs_per_sm),
                     programs = static_cast<std::int64_t>(schedule.programs.size());
  std::vector<SmRow> rows = rows_of(schedule, sms);
  std::int64_t lanes = 0, idle = 0, idle_rows = 0;
  for (const SmRow& r : rows)
    lanes += r.places, idle += r.places == 0 ? r.last_sm - r.first_sm + 1 : 0, idle_rows += r.places == 0 ? 1 : 0;
  Sheet sheet("timeline",
              fmt::format("{} on {}: when and where {} program{} run{} (model)", debug::short_name(schedule.kernel),
                          schedule.gpu, grouped(programs), programs == 1 ? "" : "s", programs == 1 ? "s" : ""),
              fmt::format("A bar is a program, from start to end; to its left the SM it runs on, which holds up to {} "
                          "at a time. Microseconds as the machine model estimates them: not a measurement.",
                          slots),
              canvas);
  const float idle_height = idle_rows <= 3 ? 15 : 5;  // many: their room is for those that work
  const float left = sheet.left() + 74, width = sheet.right() - left, top = sheet.y + 6;
  const float lane = std::clamp((sheet.room() - 74 - static_cast<float>(idle_rows) * idle_height) /
                                    static_cast<float>(std::max<std::int64_t>(1, lanes)),
                                0.f, 22.f);
  float height = 0;
  std::vector<float> sm_y(static_cast<std::size_t>(sms), 0);
  for (SmRow& r : rows) {
    r.y = top + height;
    for (std::int64_t sm = r.first_sm; sm <= r.last_sm; ++sm) sm_y[static_cast<std::size_t>(sm)] = r.y;
    height += r.places == 0 ? idle_height : lane * static_cast<float>(r.places);
  }
  const auto x_of = [&](double us) { return left + static_cast<float>(end > 0 ? us / end : 0) * width; };
  const bool few = programs <= 4000 && lane >= 3;
  std::int64_t here = -1;
  if (scene.session.launch().grid[0] == schedule.grid[0])
    here = linear_id(scene.session.launch(), scene.session.program().id);
  // The tail: from when the first SM has nothing left to do.
  std::vector<double> last(static_cast<std::size_t>(sms * slots), 0);
  for (const machine::ProgramRun& r : schedule.programs) {
    double& l = last[static_cast<std::size_t>(r.sm * slots + std::clamp<std::int64_t>(r.slot, 0, slots - 1))];
    l = std::max(l, r.end_us);
  }
  const double tail = *std::min_element(last.begin(), last.end());
  if (tail > 0) {
    Shape& shade = sheet.rect(x_of(tail), top, x_of(end) - x_of(tail), height, {Role::surface}, "tail");
    shade.layer = Layer::ground;
    shade.hatch = Hatch::dots;
    shade.tooltip =
        fmt::format("the tail: from {:.2f} us on at least one SM has a free place and no program left", tail);
  }
  for (const SmRow& r : rows) {
    if (r.places == 0) {
      Shape& s = sheet.rect(left, r.y + 1, width, idle_height - 2, {Role::surface}, fmt::format("idle/{}", r.first_sm));
      s.stroke = {Role::faint};
      s.tooltip = r.first_sm == r.last_sm ? fmt::format("{}: idle, no program for it", r.label())
                                          : fmt::format("{}: idle, no program for them", r.label());
      if (idle_height >= 15)
        s.text = r.first_sm == r.last_sm ? "idle: no program for it"
                                         : fmt::format("{} SMs idle: no program for them", r.last_sm - r.first_sm + 1);
      s.size = 10;
      s.ink = {Role::soft};
      s.layer = Layer::marks;  // above a texture
    } else if (lane * static_cast<float>(r.places) >= 6) {
      sheet.line(left, r.y, left + width, r.y, {Role::faint}, 0.5f).layer = Layer::ground;
    }
  }
  if (few) {
    for (std::size_t p = 0; p < schedule.programs.size(); ++p) {
      const machine::ProgramRun& r = schedule.programs[p];
      const float y = sm_y[static_cast<std::size_t>(r.sm)] + static_cast<float>(r.slot) * lane;
      Shape& s = sheet.rect(x_of(r.start_us), y, std::max(1.f, x_of(r.end_us) - x_of(r.start_us)), lane,
                            category(r.wave), fmt::format("program/{}", p));
      s.about.program = static_cast<std::int64_t>(p);
      if (lane >= 5) s.stroke = {Role::paper};
      const std::string text = fmt::format("{}", p);
      if (lane >= 12 && text_width(text, 10) < s.w - 4) s.text = text, s.size = 10;
      s.tooltip = fmt::format("program {} on SM {}, wave {}: {:.2f} to {:.2f} us; hit rate in L2 {:.0f} % (model)", p,
                              r.sm, r.wave, r.start_us, r.end_us, 100 * r.reads.logical_hit_rate());
      if (static_cast<std::int64_t>(p) == here) s.stroke = {Role::accent}, s.stroke_width = 2.5f;
    }
  } else {
    Field f;
    f.rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(height, 1000.f)));
    f.columns = static_cast<std::int64_t>(width);
    f.states.push_back({{Role::surface}, "idle"});
    for (int w = 0; w < 7; ++w) f.states.push_back({category(w), fmt::format("busy: wave {}, {} and so on", w, w + 7)});
    f.name = "row, pixel of time";
    f.x = left, f.y = top, f.width = width, f.height = height;
    f.fills_box = true;
    FieldPainter painter(f);
    for (const machine::ProgramRun& r : schedule.programs) {
      const auto from = static_cast<std::int64_t>(x_of(r.start_us) - left),
                 to = static_cast<std::int64_t>(x_of(r.end_us) - left);
      const float y = (sm_y[static_cast<std::size_t>(r.sm)] - top + static_cast<float>(r.slot) * lane) / height *
                      static_cast<float>(f.rows);
      painter.set(static_cast<std::int64_t>(y), from, std::max<std::int64_t>(1, to - from),
                  static_cast<unsigned char>(1 + r.wave % 7));
    }
    painter.draw(sheet, "busy");
  }
  // The present moment, in the program's own time.
  if (here >= 0 && here < static_cast<std::int64_t>(schedule.programs.size())) {
    const machine::ProgramRun& r = schedule.programs[static_cast<std::size_t>(here)];
    const auto steps = static_cast<double>(std::max<std::uint32_t>(1, scene.session.view().steps()));
    const double us =
        r.start_us + (r.end_us - r.start_us) * std::min(1.0, static_cast<double>(scene.session.now().step) / steps);
    const float y = sm_y[static_cast<std::size_t>(r.sm)] + static_cast<float>(r.slot) * lane;
    if (!few) {
      Shape& own =
          sheet.rect(x_of(r.start_us), y - 1, std::max(2.f, x_of(r.end_us) - x_of(r.start_us)), lane + 2, {}, "here");
      own.stroke = {Role::accent}, own.stroke_width = 2;
      own.about.program = here;
      own.tooltip = fmt::format("program {} on SM {}, wave {}: {:.2f} to {:.2f} us (model)", here, r.sm, r.wave,
                                r.start_us, r.end_us);
    }
    Shape& cursor = sheet.line(x_of(us), top - 4, x_of(us), top + height + 4, {Role::accent}, 2);
    cursor.id = "now";
    cursor.tooltip = fmt::format("now: step {} of program {}, about {:.2f} us into the launch (model)",
                                 scene.session.now().step, here, us);
  }
  float label_y = -100;
  for (const SmRow& r : rows) {
    const float y = r.y + (r.places == 0 ? idle_height : lane * static_cast<float>(r.places)) / 2 + 3.5f;
    if (y - label_y < 12) continue;
    sheet.text(left - 6, y, r.label(), 10, Align::right, {Role::soft});
    label_y = y;
  }
  for (int i = 0; i <= 4; ++i) {
    const double us = end * i / 4;
    sheet.line(x_of(us), top + height, x_of(us), top + height + 5, {Role::ink});
    sheet.text(x_of(us), top + height + 18, fmt::format("{:.2f} us", us), 10.5f,
               i == 0   ? Align::left
               : i == 4 ? Align::right
                        : Align::centre,
               {Role::soft});
  }
  sheet.y = top + height + 24;
  const auto count = [](std::int64_t n, const char* what) {
    return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
  };
  sheet.drawing.facts.push_back(
      idle > 0    ? fmt::format("model: {} for {} that hold {} each: {} have nothing to do", count(programs, "program"),
                                count(sms, "SM"), slots, count(idle, "SM"))
      : tail <= 0 ? fmt::format("model: {} do not fill the {} places of the GPU: {:.2f} waves",
                                count(programs, "program"), grouped(sms * slots), schedule.waves)
                  : fmt::format("model: {:.2f} waves; the tail, with idle places, is {:.0f} % of the time",
                                schedule.waves, 100 * (end - tail) / end));
  sheet.drawing.facts.push_back(fmt::format(
      "model: hit rate in L2 {:.1f} %, {} read from DRAM, {} written", 100 * schedule.reads.logical_hit_rate(),
      bytes_text(schedule.dram_read_bytes), bytes_text(schedule.dram_write_bytes)));
  int waves = 0;
  for (const machine::ProgramRun& r : schedule.programs) waves = std::max(waves, r.wave + 1);
  for (int w = 0; w < std::min(7, waves); ++w)
    sheet.legend({w == 0 ? "wave 0: started at once"
                  : w == 1
                      ? "wave 1: after one program in its place"
                      : fmt::format("wave {}", waves > 7 ? fmt::format("{}, {} ..", w, w + 7) : fmt::format("{}", w)),
                  category(w)});
  if (idle_rows > 0 && idle_height < 15) sheet.legend({"idle SMs: no program for them", {Role::surface}});
  if (tail > 0) sheet.legend({"tail: a place is free, no program left", {Role::surface}, Hatch::dots});
  if (here >= 0)
    sheet.legend({"the current program", {}, Hatch::none, Kind::rect, {Role::accent}}),
        sheet.legend({"now", {Role::accent}, Hatch::none, Kind::line});
  if (scene.is_live)
    sheet.drawing.controls.push_back({"moment",
                                      "step of the run",
                                      Control::Kind::slider,
                                      0,
                                      scene.found().moments() - 1,
                                      scene.found().number_of(scene.session.now()),
                                      {},
                                      true});
  for (const Control& c : scene.controls_named({"gpu"})) sheet.drawing.controls.push_back(c);
  Table table{"programs (model)", {"program", "SM", "wave", "start us", "end us"}, {}};
  for (std::size_t p = 0; p < std::min<std::size_t>(schedule.programs.size(), 200); ++p) {
    const machine::ProgramRun& r = schedule.programs[p];
    table.rows.push_back({fmt::format("{}", p), fmt::format("{}", r.sm), fmt::format("{}", r.wave),
                          fmt::format("{:.2f}", r.start_us), fmt::format("{:.2f}", r.end_us)});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
