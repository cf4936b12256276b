// Which program ran on which SM when, as the model says: a row an SM, a colour a wave, the tail shaded.
#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/text.h"
#include "viz/model/field.h"
#include "viz/model/panel.h"
#include "viz/model/plot.h"

namespace tl::viz {

namespace {

// A row of the chart: an SM with the places that it uses, or neighbours without a program.
struct SmRow {
  std::int64_t first_sm = 0, last_sm = 0, places = 0;  // 0: idle
  float y = 0;
  bool is_idle() const { return places == 0; }
  std::int64_t sms() const { return last_sm - first_sm + 1; }
  std::string label() const {
    return sms() == 1 ? fmt::format("SM {}", first_sm) : fmt::format("SM {}..{}", first_sm, last_sm);
  }
};

// The schedule in figures.
struct Span {
  double end = 0, tail = 0;  // us; tail: from here on an SM has a free place and no program left
  std::int64_t sms = 0, slots = 1, places = 0, idle_sms = 0, idle_rows = 0;
  int waves = 0;
  std::vector<SmRow> rows;
};

std::vector<SmRow> rows_of(const machine::Schedule& schedule, std::int64_t sms) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(sms), 0);
  for (const machine::ProgramRun& r : schedule.programs)
    places[r.sm] = std::max<std::int64_t>(places[r.sm], r.slot + 1);
  std::vector<SmRow> rows;
  for (std::int64_t sm = 0; sm < sms; ++sm) {
    const std::int64_t used = places[sm];
    if (used == 0 && !rows.empty() && rows.back().is_idle()) rows.back().last_sm = sm;
    else rows.push_back({sm, sm, used, 0});
  }
  return rows;
}

Span measure(const machine::Schedule& schedule) {
  Span s{.sms = schedule.sms, .slots = std::max<std::int64_t>(1, schedule.resident_programs_per_sm), .rows = {}};
  for (const machine::ProgramRun& r : schedule.programs) {
    s.end = std::max(s.end, r.end_us);
    s.sms = std::max<std::int64_t>(s.sms, r.sm + 1);
    s.waves = std::max(s.waves, r.wave + 1);
  }
  std::vector<double> last(static_cast<std::size_t>(s.sms * s.slots), 0);
  for (const machine::ProgramRun& r : schedule.programs) {
    double& l = last[r.sm * s.slots + std::clamp<std::int64_t>(r.slot, 0, s.slots - 1)];
    l = std::max(l, r.end_us);
  }
  s.tail = *std::ranges::min_element(last);
  s.rows = rows_of(schedule, s.sms);
  for (const SmRow& r : s.rows) {
    s.places += r.places;
    if (r.is_idle()) {
      s.idle_sms += r.sms();
      ++s.idle_rows;
    }
  }
  return s;
}

struct TimelinePicture {
  Scene& scene;
  const machine::Schedule& schedule = *scene.schedule();
  const std::int64_t programs = std::ssize(schedule.programs);
  Span span = measure(schedule);
  Sheet sheet;
  // Layout.
  float idle_height = span.idle_rows <= 3 ? 15 : 5;  // many: the room goes to busy SMs
  float left = sheet.left() + 74, width = sheet.right() - left, top = sheet.y + 6, height = 0;
  float lane = std::clamp(
      (sheet.room() - 74 - length(span.idle_rows) * idle_height) / length(std::max<std::int64_t>(1, span.places)), 0.f,
      22.f);
  std::vector<float> sm_y = std::vector<float>(static_cast<std::size_t>(span.sms), 0);
  bool is_texture = programs > 4000 || lane < 3;
  std::int64_t here = -1;  // the current program

  TimelinePicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("timeline",
              fmt::format("{} on {}: when and where {} run{} (model)", short_name(schedule.kernel), schedule.gpu,
                          plural(programs, "program"), programs == 1 ? "s" : ""),
              fmt::format("A bar is a program, from start to end; to its left the SM it runs on, which holds up to {} "
                          "at a time. Microseconds as the machine model estimates them: not a measurement.",
                          span.slots),
              canvas) {
    for (SmRow& r : span.rows) {
      r.y = top + height;
      for (std::int64_t sm = r.first_sm; sm <= r.last_sm; ++sm) sm_y[sm] = r.y;
      height += height_of(r);
    }
    const debug::Session& session = scene.session;
    if (session.launch().grid[0] == schedule.grid[0]) here = linear_id(session.launch(), session.program().id);
  }

  float height_of(const SmRow& r) const { return r.is_idle() ? idle_height : lane * length(r.places); }
  float x_of(double us) const { return left + static_cast<float>(span.end > 0 ? us / span.end : 0) * width; }
  float width_of(const machine::ProgramRun& r) const { return x_of(r.end_us) - x_of(r.start_us); }
  float y_of(const machine::ProgramRun& r) const { return sm_y[r.sm] + length(r.slot) * lane; }
  std::string text_of(std::int64_t program, const machine::ProgramRun& r) const {
    return fmt::format("program {} on SM {}, wave {}: {:.2f} to {:.2f} us", program, r.sm, r.wave + 1, r.start_us,
                       r.end_us);
  }

  void draw_tail() {
    if (span.tail <= 0) return;
    Shape& shade = sheet.rect(x_of(span.tail), top, x_of(span.end) - x_of(span.tail), height, {Role::surface}, "tail");
    shade.layer = Layer::ground;
    shade.hatch = Hatch::dots;
    shade.tooltip =
        fmt::format("the tail: from {:.2f} us on at least one SM has a free place and no program left", span.tail);
  }

  void draw_rows() {
    for (const SmRow& r : span.rows) {
      if (!r.is_idle()) {
        if (height_of(r) >= 6) sheet.line(left, r.y, left + width, r.y, {Role::faint}, 0.5f).layer = Layer::ground;
        continue;
      }
      Shape& s = sheet.rect(left, r.y + 1, width, idle_height - 2, {Role::surface}, fmt::format("idle/{}", r.first_sm));
      s.stroke = {Role::faint};
      s.tooltip = fmt::format("{}: idle, no program for {}", r.label(), r.sms() == 1 ? "it" : "them");
      if (idle_height >= 15)
        s.text = r.sms() == 1 ? "idle: no program for it" : fmt::format("{} SMs idle: no program for them", r.sms());
      s.size = 11;
      s.ink = {Role::soft};
      s.layer = Layer::marks;  // above a texture
    }
  }

  void draw_bars() {
    for (std::int64_t p = 0; p < programs; ++p) {
      const machine::ProgramRun& r = schedule.programs[p];
      Shape& s = sheet.rect(x_of(r.start_us), y_of(r), std::max(1.f, width_of(r)), lane, category(r.wave),
                            fmt::format("program/{}", p));
      s.about.program = p;
      if (lane >= 5) s.stroke = {Role::paper};
      const std::string text = fmt::format("{}", p);
      if (lane >= 12 && text_width(text, least_text) < s.w - 4) {
        s.text = text;
        s.size = least_text;
      }
      s.tooltip = fmt::format("{}; hit rate in L2 {:.0f} % (model)", text_of(p, r), 100 * r.reads.logical_hit_rate());
      if (p == here) s.stroke = {Role::accent}, s.stroke_width = 2.5f;
    }
  }

  // For more programs than bars can show.
  void draw_texture() {
    Field f;
    f.rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(height, 1000.f)));
    f.columns = static_cast<std::int64_t>(width);
    f.states.push_back({{Role::surface}, "idle"});
    for (int w = 0; w < 7; ++w)
      f.states.push_back({category(w), fmt::format("busy: wave {}, {} and so on", w + 1, w + 8)});
    f.x = left;
    f.y = top;
    f.width = width;
    f.height = height;
    f.fills_box = true;
    FieldPainter painter(f);
    for (const machine::ProgramRun& r : schedule.programs) {
      const auto from = static_cast<std::int64_t>(x_of(r.start_us) - left),
                 to = static_cast<std::int64_t>(x_of(r.end_us) - left);
      painter.set(static_cast<std::int64_t>((y_of(r) - top) / height * length(f.rows)), from,
                  std::max<std::int64_t>(1, to - from), static_cast<unsigned char>(1 + r.wave % 7));
    }
    painter.draw(sheet, "busy");
  }

  // The present moment, in the program's own time.
  void draw_now() {
    if (here < 0 || here >= programs) return;
    const machine::ProgramRun& r = schedule.programs[here];
    const std::uint32_t step = scene.session.now().step;
    const auto steps = static_cast<double>(std::max<std::uint32_t>(1, scene.session.view().steps()));
    const double us = r.start_us + (r.end_us - r.start_us) * std::min(1.0, static_cast<double>(step) / steps);
    if (is_texture) {
      Shape& own = sheet.rect(x_of(r.start_us), y_of(r) - 1, std::max(2.f, width_of(r)), lane + 2, {}, "here");
      own.stroke = {Role::accent}, own.stroke_width = 2;
      own.about.program = here;
      own.tooltip = text_of(here, r) + " (model)";
    }
    Shape& cursor = sheet.line(x_of(us), top - 4, x_of(us), top + height + 4, {Role::accent}, 2);
    cursor.id = "now";
    cursor.tooltip = fmt::format("now: step {} of program {}, about {:.2f} us into the launch (model)", step, here, us);
  }

  void draw_axes() {
    float label_y = -100;
    for (const SmRow& r : span.rows) {
      const float y = r.y + height_of(r) / 2 + 3.5f;
      if (y - label_y < 14) continue;
      sheet.note(left - 6, y, r.label(), least_text, Align::right);
      label_y = y;
    }
    for (const double us : linear_ticks(0, span.end, 6)) {
      if (us > span.end) break;
      sheet.line(x_of(us), top + height, x_of(us), top + height + 5, {Role::ink});
      const std::string words = fmt::format("{:g} us", us);
      const bool is_at_end = x_of(us) + text_width(words, 10.5f) / 2 > sheet.right();
      sheet.note(x_of(us), top + height + 18, words, 10.5f,
                 us == 0     ? Align::left
                 : is_at_end ? Align::right
                             : Align::centre);
    }
    sheet.y = top + height + 24;
  }

  void state_facts() {
    if (const double launching = schedule.model_ms * 1e3 - span.end; launching >= 0.005)
      sheet.fact(fmt::format(
          "model: {} in all: {:.2f} us until the last program ends, and {:.2f} us that a launch takes which "
          "does nothing",
          report::time_text(schedule.model_ms), span.end, launching));
    sheet.fact(span.idle_sms > 0 ? fmt::format("model: {} for {} that hold {} each: {} have nothing to do",
                                               plural(programs, "program"), plural(span.sms, "SM"), span.slots,
                                               plural(span.idle_sms, "SM"))
               : span.tail <= 0
                   ? fmt::format("model: {} do not fill the {} places of the GPU: {:.2f} waves",
                                 plural(programs, "program"), count_text(span.sms * span.slots), schedule.waves)
                   : fmt::format("model: {:.2f} waves; the tail, with idle places, is {:.0f} % of the time",
                                 schedule.waves, 100 * (span.end - span.tail) / span.end));
    sheet.fact(fmt::format("model: hit rate in L2 {:.1f} %, {} read from DRAM, {} written back",
                           100 * schedule.reads.logical_hit_rate(), bytes_text(schedule.dram_read_bytes),
                           bytes_text(schedule.dram_write_bytes)));
  }

  void add_legend() {
    for (int w = 0; w < std::min(7, span.waves); ++w) {
      std::string label = fmt::format("wave {}", w + 1);
      if (w == 0) label += ": started at once";
      if (w == 1) label += ": after one program in its place";
      if (span.waves > w + 7)
        label += fmt::format("{}{}{}", w < 2 ? "; also " : ", ", w + 8, span.waves > w + 14 ? " .." : "");
      sheet.legend({label, category(w)});
    }
    if (span.idle_rows > 0 && idle_height < 15) sheet.legend({"idle SMs: no program for them", {Role::surface}});
    if (span.tail > 0) sheet.legend({"tail: a place is free, no program left", {Role::surface}, Hatch::dots});
    if (here < 0) return;
    sheet.legend({"the current program", {}, Hatch::none, Kind::rect, {Role::accent}});
    sheet.legend({"now", {Role::accent}, Hatch::none, Kind::line});
  }

  void add_controls() {
    if (scene.is_live)
      sheet.control({"moment",
                     "step of the run",
                     Control::Kind::slider,
                     0,
                     scene.found().moments() - 1,
                     scene.found().number_of(scene.session.now()),
                     {},
                     true});
    for (const Control& c : scene.controls_named({"gpu"})) sheet.control(c);
  }

  Table table() const {
    Table table{"programs (model)", {"program", "SM", "wave", "start us", "end us"}, {}};
    for (std::size_t p = 0; p < std::min<std::size_t>(schedule.programs.size(), 200); ++p) {
      const machine::ProgramRun& r = schedule.programs[p];
      table.rows.push_back({fmt::format("{}", p), fmt::format("{}", r.sm), fmt::format("{}", r.wave + 1),
                            fmt::format("{:.2f}", r.start_us), fmt::format("{:.2f}", r.end_us)});
    }
    return table;
  }
};

}  // namespace

std::string missing_timeline(Scene& scene) {
  return scene.schedule() && !scene.schedule()->programs.empty() ? "" : "the machine model has no schedule of this run";
}

Drawing draw_timeline(Scene& scene, const Canvas& canvas) {
  TimelinePicture picture(scene, canvas);
  picture.draw_tail();
  picture.draw_rows();
  if (picture.is_texture) picture.draw_texture();
  else picture.draw_bars();
  picture.draw_now();
  picture.draw_axes();
  picture.state_facts();
  picture.add_legend();
  picture.add_controls();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
