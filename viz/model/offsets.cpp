// The lanes of a load or store above, the memory it touches below, a line a lane: where offsets are wrong, one sees it.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/offsets_layout.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

constexpr std::size_t most_drawn_runs = 64;  // of all blocks: with more a bar says how many lanes are on
constexpr std::size_t most_lines = 24;       // from such a bar to the memory
constexpr float lane_height = 26, memory_height = 34, row_gap = 18;

std::string cell_text(debug::Session& session, int tensor, std::int64_t element, bool output) {
  trace::Memory& memory = session.memory();
  if (!memory.is_known(tensor)) return "";
  if (output && !memory.is_written(tensor, element)) return "?";
  const auto& t = session.launch().tensors[tensor];
  return short_number(memory.element(tensor, element), is_integer(t.dtype));
}

Sheet titled_sheet(const AccessStep& here, const Canvas& canvas) {
  const std::string& tensor = here.tensor->name;
  return Sheet(
      "offsets",
      fmt::format("Line {} {} {}: which lane, which element", here.line, verb(here.access->kind),
                  here.access->kind == trace::AccessKind::store ? "to " + tensor : tensor),
      fmt::format("Above: the lanes of each program, by number. Below: {} in memory, one cell an element of {} "
                  "B. A line joins a lane with its element.",
                  tensor, size_in_bytes(here.tensor->dtype)),
      canvas);
}

struct OffsetsPicture {
  OffsetsPicture(Scene& scene, const Canvas& canvas)
      : session(scene.session),
        here(*access_here(session)),
        tensor(*here.tensor),
        is_output(scene.found().of_tensor(session.program().launch, here.access->tensor).is_output),
        is_store(here.access->kind == trace::AccessKind::store),
        shared(is_store ? Colour{Role::fault, 0, 0, 0.3f} : Colour{Role::surface}),
        programs(programs_around(session, here)),
        sheet(titled_sheet(here, canvas)),
        window(window_of(programs, here, sheet)),
        top(sheet.y + 20),
        memory_top(top + lane_height + std::clamp(sheet.room() - 130, 70.f, 190.f)),
        table{fmt::format("lanes of line {}", here.line), {"program", "lanes", "elements", "state"}, {}} {}

  Drawing draw() {
    draw_programs();
    draw_memory();
    state_facts();
    add_legend();
    if (table.rows.size() > 200) table.rows.resize(200);
    sheet.table(std::move(table));
    return sheet.finish();
  }

  debug::Session& session;
  const AccessStep here;
  const trace::RecordedTensor& tensor;
  const bool is_output, is_store;
  const Colour shared;  // of elements that several programs touch
  std::vector<ProgramLanes> programs;
  Sheet sheet;
  const MemoryWindow window;
  const float top, memory_top;
  Table table;
  bool has_masked = false, has_lanes_beyond = false, has_unwritten = false, has_untouched = false;
  std::int64_t overlapping = 0, written = 0;
  std::string crowded_fact;

  // One program while it is drawn: where its lanes stand, and in which colours.
  struct ProgramStrip {
    const ProgramLanes& program;
    std::string name;
    About about;
    Colour fill, line;
    float x = 0, width = 0, lane_width = 0;
    const char* state() const { return program.is_done ? "done" : "to come"; }
  };

  void draw_programs() {
    std::int64_t lanes = 0;
    std::size_t runs = 0;
    for (ProgramLanes& p : programs) {
      lanes += p.access().lanes();
      p.runs = runs_of(p.access(), !window.has_numbers);
      runs += p.runs.size();
    }
    float lane_width =
        (sheet.inner() - row_gap * length(programs.size() - 1)) / length(std::max<std::int64_t>(lanes, 1));
    if (window.has_numbers) lane_width = std::min(44.f, lane_width);
    float x = sheet.left();
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const ProgramLanes& p = programs[i];
      const auto colour = static_cast<std::int64_t>(i);
      const ProgramStrip strip{.program = p,
                               .name = program_text(session.launch(), session.trace().programs[p.step.program].id),
                               .about = about_of(session, p.step),
                               .fill = category(colour),
                               .line = named(colour),
                               .x = x,
                               .width = lane_width * length(p.access().lanes()),
                               .lane_width = lane_width};
      draw_name(strip, i + 1 < programs.size() ? strip.width + row_gap - 2 : sheet.right() - x);
      if (!window.has_numbers && runs > most_drawn_runs) draw_count(strip);
      else
        for (const LaneRun& run : p.runs) draw_run(strip, run);
      x += strip.width + row_gap;
    }
  }

  // The whole name, or the number alone.
  void draw_name(const ProgramStrip& strip, float room) {
    const ProgramLanes& p = strip.program;
    const std::string whole = strip.name + (p.is_done   ? ""
                                            : p.is_here ? ": next"
                                                        : ", later"),
                      number = strip.name.substr(strip.name.find(' ') + 1);
    const bool has_room = text_width(whole, 12, false, p.is_here) <= room - 2;
    Shape& label = sheet.text(strip.x, top - 6, has_room ? whole : fitted(number, room, 12), 12, Align::left,
                              {p.is_here ? Role::ink : Role::soft});
    label.is_bold = p.is_here;
    label.about = strip.about;
    label.id = fmt::format("program/{}", strip.about.program);
  }

  // A bar instead of many runs of lanes: how many are on and off.
  void draw_count(const ProgramStrip& strip) {
    const trace::RecordedAccess& a = strip.program.access();
    const float on = strip.width * length(a.active) / length(std::max<std::int64_t>(1, a.lanes()));
    const auto part = [&](float x, float width, Colour fill, const std::string& text, const char* id) -> Shape& {
      Shape& s = sheet.rect(x, top, width, lane_height, fill, fmt::format("{}/{}", id, strip.about.program));
      s.stroke = {Role::ink, 0, 0, 0.6f};
      s.size = 11;
      s.text = text_width(text, 11) < width - 4 ? text : "";
      s.about = strip.about;
      s.tooltip = fmt::format("{}: {}", strip.name, text);
      return s;
    };
    if (on > 0)
      part(strip.x, on, {strip.fill.role, strip.fill.index, 0, strip.program.is_done ? 1.f : 0.35f},
           fmt::format("{} on", count_text(a.active)), "on");
    if (on < strip.width) {
      part(strip.x + on, strip.width - on, {Role::surface}, fmt::format("{} off", count_text(a.lanes() - a.active)),
           "off")
          .hatch = Hatch::single;
      has_masked = true;
    }
    table.rows.push_back({strip.name, fmt::format("{} of {}", count_text(a.active), count_text(a.lanes())),
                          a.active > 0 ? fmt::format("within {}..{}", a.first, a.last) : "none", strip.state()});
    if (strip.program.is_here) draw_some_lines(strip, on);
  }

  void draw_some_lines(const ProgramStrip& strip, float width_on) {
    std::vector<const LaneRun*> active;
    for (const LaneRun& run : strip.program.runs)
      if (run.is_active) active.push_back(&run);
    const std::size_t every = (active.size() + most_lines - 1) / most_lines;
    for (std::size_t k = 0; k < active.size(); k += std::max<std::size_t>(1, every))
      join(strip, strip.x + width_on * (length(k) + 0.5f) / length(active.size()),
           window.x_of(active[k]->element) + window.cell * length(active[k]->lanes) / 2, strip.line, strip.about);
    crowded_fact =
        fmt::format("the lanes of {} lie in {} runs of neighbours; {} has its line{}", strip.name,
                    count_text(std::ssize(active)), every <= 1 ? "each" : fmt::format("one in {}", every),
                    strip.program.access().shape.rank == 2 ? ". The mask picture shows the block over its tensor" : "");
  }

  void draw_run(const ProgramStrip& strip, const LaneRun& run) {
    const ProgramLanes& p = strip.program;
    const float left = strip.x + length(run.first_lane) * strip.lane_width,
                width = length(run.lanes) * strip.lane_width;
    const auto from_to = [&](std::int64_t first) {
      return run.lanes == 1 ? fmt::format("{}", first) : fmt::format("{}..{}", first, first + run.lanes - 1);
    };
    const std::string lanes = from_to(run.first_lane);
    Colour fill = run.is_active ? strip.fill : Colour{Role::surface};
    if (!p.is_done && run.is_active) fill.alpha = 0.35f;
    Shape& s =
        sheet.rect(left, top, width, lane_height, fill, fmt::format("lane/{}/{}", strip.about.program, run.first_lane));
    s.stroke = {Role::ink, 0, 0, 0.6f};
    s.text = text_width(lanes, 11.5f) < width - 2 ? lanes : "";
    s.size = 11.5f;
    const About about = s.about = run.lanes == 1 ? about_lane(session, p.step, run.first_lane) : strip.about;
    if (run.is_active && run.lanes > 1) {
      s.about.first = run.element;
      s.about.last = run.end() - 1;
    }
    s.tooltip = run.is_active ? fmt::format("{}, lane {}: {} {}{}", strip.name, lanes, verb(here.access->kind),
                                            trace::cell_name(tensor, run.element), run.lanes > 1 ? " and on" : "")
                              : fmt::format("{}, lane {}: masked off, touches nothing (it would be element {})",
                                            strip.name, lanes, run.element);
    table.rows.push_back({strip.name, lanes, run.is_active ? from_to(run.element) : "none",
                          run.is_active ? strip.state() : "masked off"});
    if (!run.is_active) {
      s.hatch = Hatch::single;
      has_masked = true;
      return draw_lane_beyond(strip, run, left + width / 2, s.tooltip);
    }
    const Colour stroke = p.is_done || p.is_here ? strip.line : Colour{Role::faint};
    if (run.lanes == 1) return join(strip, left + width / 2, window.x_of(run.element) + window.cell / 2, stroke, about);
    join(strip, left + 1, window.x_of(run.element), stroke, about);
    join(strip, left + width - 1, window.x_of(run.end()), stroke, about);
  }

  // Masked lanes beyond the memory's ends: without the mask they would touch foreign memory.
  void draw_lane_beyond(const ProgramStrip& strip, const LaneRun& run, float x, const std::string& tooltip) {
    const bool is_before = run.element < 0 && window.before > 0;
    if (!is_before && (run.end() <= tensor.storage_elems || window.after == 0)) return;
    has_lanes_beyond = true;
    const std::int64_t e =
        std::clamp(run.element + run.lanes / 2, window.low - window.before, window.high + window.after);
    const float to = window.x_of(run.element < 0 ? e : std::max(e, tensor.storage_elems)) + window.cell / 2,
                size = std::min(10.f, std::max(6.f, window.cell - 4));
    const std::string words = tooltip;  // of a shape that the next one may move
    sheet.line(x, top + lane_height, to, memory_top + 4, {Role::masked}).is_dashed = true;
    sheet
        .mark(Kind::cross, to - size / 2, memory_top + 6, size, size, {Role::fault},
              fmt::format("drop/{}/{}", strip.about.program, run.first_lane))
        .tooltip = words;
  }

  void join(const ProgramStrip& strip, float lane_x, float memory_x, const Colour& colour, const About& about) {
    const float bottom = top + lane_height;
    Shape& l = strip.program.access().writes() ? sheet.arrow(lane_x, bottom, memory_x, memory_top, colour, 1.2f)
                                               : sheet.arrow(memory_x, memory_top, lane_x, bottom, colour, 1.2f);
    l.is_dashed = !strip.program.is_done;
    l.about = about;
  }

  // A cell an element, or stretches of cells that the same programs touched and that are all written or all not.
  void draw_memory() {
    const std::vector<Stretch> stretches = stretches_of(programs);
    trace::Memory& memory = session.memory();
    const int number = here.access->tensor;
    const bool is_known = is_output && memory.is_known(number);
    auto next = stretches.begin();
    for (std::int64_t e = window.low; e <= window.high;) {
      while (next != stretches.end() && next->end <= e) ++next;
      const bool is_inside = next != stretches.end() && next->first <= e,
                 is_written = is_known && memory.is_written(number, e);
      std::int64_t end = e + 1;
      if (!window.has_numbers) {
        end = window.high + 1;
        if (next != stretches.end()) end = std::min(end, is_inside ? next->end : next->first);
        if (is_known && window.elements() <= 262'144)
          for (std::int64_t same = e + 1; same < end; ++same)
            if (memory.is_written(number, same) != is_written) end = same;
      }
      draw_cells(e, end, is_inside ? &*next : nullptr, is_written);
      e = end;
    }
    const float bottom = memory_top + memory_height;
    sheet.note(sheet.left(), bottom + (window.has_numbers ? 32.f : 16.f),
               fmt::format("{}[{}] of {}, {}", tensor.name,
                           window.low == window.high ? fmt::format("{}", window.low)
                                                     : fmt::format("{}..{}", window.low, window.high),
                           plural(tensor.storage_elems, "element"), name_of(tensor.dtype)),
               11.5f);
    sheet.y = bottom + (window.has_numbers ? 36 : 20);
  }

  void draw_cells(std::int64_t first, std::int64_t end, const Stretch* touched, bool is_written) {
    const int number = here.access->tensor, count = touched ? touched->programs : 0;
    const std::string text = window.has_numbers ? cell_text(session, number, first, is_output) : "";
    const bool is_unknown = text == "?" || (is_output && !is_written);
    Colour fill = count > 1    ? shared
                  : count == 1 ? category(static_cast<std::int64_t>(touched->owner))
                               : Colour{is_unknown ? Role::unwritten : Role::surface};
    if (count == 1 && is_unknown) fill.alpha = 0.35f;  // about to be written
    const float left = window.x_of(first), width = window.cell * length(end - first);
    if (window.has_numbers)
      sheet.note(left + width / 2, memory_top + memory_height + 14, fmt::format("{}", first), least_text,
                 Align::centre);
    Shape& s = sheet.rect(left, memory_top, width, memory_height, fill, fmt::format("cell/{}/{}", number, first));
    if (window.has_numbers || width > 8) s.stroke = {Role::ink, 0, 0, 0.6f};
    s.about.launch = session.program().launch;
    s.about.tensor = number;
    s.about.first = first;
    s.about.last = end - 1;
    if (window.has_numbers) {
      s.is_mono = true;
      s.size = text_width(text, 12, true) < width - 2 ? 12 : least_text;
      s.text = fitted(text, width - 2, s.size, true);
      if (fill.alpha < 1) s.ink = {Role::ink};
    }
    if (count > 1) {
      s.hatch = Hatch::crossed;
      overlapping += end - first;
    }
    has_unwritten |= count == 0 && is_unknown;
    has_untouched |= count == 0 && !is_unknown;
    written += is_written ? end - first : 0;
    const auto touched_by = [&] {
      if (count != 1) return fmt::format("touched by {} programs", count);
      const std::size_t program = programs[touched->owner].step.program;
      return "touched by " + program_text(session.launch(), session.trace().programs[program].id);
    };
    s.tooltip = fmt::format("{}{}: {}{}", trace::cell_name(tensor, first),
                            end - first > 1 ? " .. " + trace::cell_name(tensor, end - 1) : "",
                            count == 0 ? "no program here touched it yet" : touched_by(),
                            is_output && !is_written ? "; never written, its content is unknown"
                            : text.empty()           ? ""
                                                     : "; holds " + text);
  }

  void state_facts() {
    if (overlapping > 0)
      sheet.fact(fmt::format("{} {} {} by more than one program{}", plural(overlapping, "element"),
                             overlapping == 1 ? "is" : "are", done_to_elements(),
                             is_store ? ": the last one wins, and which that is changes from run to run" : ""));
    if (is_output && window.elements() > written)
      sheet.fact(fmt::format("{} of the {} elements shown were never written up to here",
                             count_text(window.elements() - written), count_text(window.elements())));
    if (has_lanes_beyond)
      sheet.fact("lanes beyond the end are masked off; without the mask they would touch foreign memory");
    if (!crowded_fact.empty()) sheet.fact(crowded_fact);
    if (const std::int64_t all = programs_of(session.launch()); std::ssize(programs) < all)
      sheet.fact(fmt::format("{} of {} programs are shown", programs.size(), count_text(all)));
  }

  void add_legend() {
    sheet.legend({programs.size() > 1 ? "a colour a program: its lanes and, below, its elements"
                                      : "the program's lanes and, below, its elements",
                  category(0)});
    if (has_masked) sheet.legend({"masked off", {Role::surface}, Hatch::single});
    if (overlapping > 0)
      sheet.legend({fmt::format("{} by several programs", done_to_elements()), shared, Hatch::crossed});
    if (has_unwritten) sheet.legend({window.has_numbers ? "? never written" : "never written", {Role::unwritten}});
    if (has_untouched) sheet.legend({"touched by none of these", {Role::surface}});
    if (has_lanes_beyond)
      sheet.legend({"out of bounds, had it not been masked", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  }

  const char* done_to_elements() const {
    return is_store ? "written" : here.access->kind == trace::AccessKind::load ? "read" : "added to";
  }
};

}  // namespace

std::string missing_access(Scene& scene) {
  return access_here(scene.session) ? "" : "this program loads and stores nothing";
}

Drawing draw_offsets(Scene& scene, const Canvas& canvas) {
  const AccessStep here = *access_here(scene.session);
  return goes_over_image(here) ? draw_offsets_over_image(scene, here, canvas) : OffsetsPicture(scene, canvas).draw();
}

}  // namespace tl::viz
