// The lanes of a load or store above, the memory it touches below, a line a lane: where offsets are wrong, one sees it.
#include <fmt/format.h>

#include <algorithm>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

constexpr std::size_t most_programs = 7;

struct Row {
  AccessStep access;
  bool is_done = false, is_here = false;
};

// Consecutive lanes that do the same: all active on consecutive elements, all masked.
struct Run {
  std::int64_t first_lane = 0, lanes = 0, element = 0;
  bool is_active = false;
};

std::vector<Run> runs_of(const trace::RecordedAccess& a, bool merge, std::size_t most) {
  std::vector<Run> runs;
  for (std::int64_t lane = 0; lane < a.lanes(); ++lane) {
    const bool active = a.is_active(lane);
    const std::int64_t element = a.offset(lane);
    if (merge && !runs.empty() && runs.back().is_active == active &&
        (!active || element == runs.back().element + runs.back().lanes)) {
      ++runs.back().lanes;
      continue;
    }
    if (runs.size() >= most) break;
    runs.push_back({lane, 1, element, active});
  }
  return runs;
}

// Elements in a row that the same programs touch.
struct Stretch {
  std::int64_t first = 0, end = 0;
  int programs = 0;
  std::size_t owner = 0;  // place in rows, where it is one program
};

std::vector<Stretch> stretches_of(const std::vector<Row>& rows) {
  struct Event {
    std::int64_t at;
    int change;
    std::size_t row;
    auto operator<=>(const Event&) const = default;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].is_done || rows[i].is_here)
      for_each_run(
          *rows[i].access.access, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
            if (stride == 1) events.push_back({first, 1, i}), events.push_back({first + count, -1, i});
            else
              for (std::int64_t k = 0; k < count; ++k)
                events.push_back({first + k * stride, 1, i}), events.push_back({first + k * stride + 1, -1, i});
          });
  std::ranges::sort(events);
  std::vector<Stretch> stretches;
  std::vector<int> open(rows.size(), 0);
  for (std::size_t e = 0; e < events.size();) {
    const std::int64_t at = events[e].at;
    for (; e < events.size() && events[e].at == at; ++e) open[events[e].row] += events[e].change;
    const auto programs = static_cast<int>(std::ranges::count_if(open, [](int n) { return n > 0; }));
    if (programs == 0 || e == events.size()) continue;
    const auto owner = static_cast<std::size_t>(std::ranges::find_if(open, [](int n) { return n > 0; }) - open.begin());
    if (!stretches.empty() && stretches.back().end == at && stretches.back().programs == programs &&
        (programs > 1 || stretches.back().owner == owner))
      stretches.back().end = events[e].at;
    else stretches.push_back({at, events[e].at, programs, owner});
  }
  return stretches;
}

std::string cell_text(debug::Session& session, int tensor, std::int64_t element, bool output) {
  trace::Memory& memory = session.memory();
  if (!memory.is_known(tensor)) return "";
  if (output && !memory.is_written(tensor, element)) return "?";
  const auto& t = session.launch().tensors[static_cast<std::size_t>(tensor)];
  return short_number(memory.element(tensor, element), is_integer(t.dtype));
}

}  // namespace

std::string missing_access(Scene& scene) {
  return access_here(scene.session) ? "" : "this program loads and stores nothing";
}

Drawing draw_offsets(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const AccessStep here = *access_here(session);
  const auto& trace = session.trace();
  const int launch = session.program().launch;
  const trace::RecordedTensor& tensor = *here.tensor;
  const bool output = scene.found().of_tensor(launch, here.access->tensor).is_output;

  // The programs around this one: as many as there are colours.
  std::size_t first = here.program, last = here.program;
  const auto in_launch = [&](std::size_t p) { return p < trace.programs.size() && trace.programs[p].launch == launch; };
  while (last - first + 1 < most_programs) {
    if (in_launch(first - 1)) --first;
    else if (!in_launch(last + 1)) break;
    if (last - first + 1 < most_programs && in_launch(last + 1)) ++last;
  }
  std::vector<Row> rows;
  std::int64_t lanes = 0;
  for (std::size_t p = first; p <= last; ++p) {
    const auto same = same_access(trace, here, p);
    if (!same) continue;
    rows.push_back({*same, is_done(session, *same), p == here.program});
    lanes += same->access->lanes();
  }

  const char* const what = verb(here.access->kind);
  Sheet sheet("offsets",
              fmt::format("Line {} {} {}: which lane, which element", here.line, what,
                          here.access->kind == trace::AccessKind::store ? "to " + tensor.name : tensor.name),
              fmt::format("Above: the lanes of each program, by number. Below: {} in memory, one cell an element of {} "
                          "B. A line joins a lane with its element.",
                          tensor.name, size_in_bytes(tensor.dtype)),
              canvas);

  // The stretch of memory to show: what is touched, with what surrounds it as far as it fits.
  std::int64_t low = 0, high = tensor.storage_elems - 1;
  std::int64_t touched_low = here.access->first, touched_high = here.access->last;
  for (const Row& r : rows)
    if (r.access.access->active > 0)
      touched_low = std::min(touched_low, r.access.access->first),
      touched_high = std::max(touched_high, r.access.access->last);
  const float inner = sheet.inner();
  const bool small = lanes <= 48 && (high - low + 1 <= 48 || touched_high - touched_low < 48);
  if (small && high - low + 1 > 48) low = std::max<std::int64_t>(0, touched_low - 2), high = std::min(high, low + 47);
  else if (!small && high - low + 1 > 4 * (touched_high - touched_low + 1)) {
    const std::int64_t pad = (touched_high - touched_low + 1) / 4;
    low = std::max<std::int64_t>(0, touched_low - pad), high = std::min(high, touched_high + pad);
  }
  // Lanes that fall off either end keep a place of their own beside the memory.
  std::int64_t before = 0, after = 0;
  for (const Row& r : rows)
    for (std::int64_t lane = 0; lane < std::min<std::int64_t>(r.access.access->lanes(), 4096); ++lane) {
      if (r.access.access->is_active(lane)) continue;
      const std::int64_t e = r.access.access->offset(lane);
      if (e < 0) before = std::max(before, -e);
      if (e >= tensor.storage_elems) after = std::max(after, e - tensor.storage_elems + 1);
    }
  if (high < tensor.storage_elems - 1) after = 0;
  if (low > 0) before = 0;
  after = std::min(after, small ? 16 : (high - low + 1) / 2),
  before = std::min(before, small ? 16 : (high - low + 1) / 2);

  const std::int64_t slots = high - low + 1 + before + after;
  const float cell = small ? std::min(60.f, inner / static_cast<float>(slots)) : inner / static_cast<float>(slots);
  const float memory_left = sheet.left() + static_cast<float>(before) * cell;
  const auto x_of = [&](std::int64_t element) { return memory_left + static_cast<float>(element - low) * cell; };
  const float gap = 18;
  const float lane_width = small ? std::min(44.f, (inner - gap * static_cast<float>(rows.size() - 1)) /
                                                      static_cast<float>(std::max<std::int64_t>(lanes, 1)))
                                 : (inner - gap * static_cast<float>(rows.size() - 1)) /
                                       static_cast<float>(std::max<std::int64_t>(lanes, 1));

  const float top = sheet.y + 20, lane_height = 26,
              memory_top = top + lane_height + std::clamp(sheet.room() - 130, 70.f, 190.f), memory_height = 34;
  // Of blocks with many runs of lanes a bar says how many are on, and only some lines are drawn, of the program in
  // focus.
  constexpr std::size_t most_joins = 64, most_lines = 24;
  std::vector<std::vector<Run>> runs(rows.size());
  std::size_t joins = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const trace::RecordedAccess& a = *rows[i].access.access;
    runs[i] = a.lanes() <= 4096 ? runs_of(a, !small, 4096) : std::vector<Run>{};
    if (a.lanes() > 4096)
      for_each_run(a, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t lane) {
        for (std::int64_t k = 0; k < (stride == 1 ? 1 : count); ++k)
          runs[i].push_back({lane + k, stride == 1 ? count : 1, first + k * stride, true});
      });
    joins += runs[i].size();
  }
  const bool is_crowded = !small && joins > most_joins;
  std::string crowded_text;
  Table table{fmt::format("lanes of line {}", here.line), {"program", "lanes", "elements", "state"}, {}};
  float x = sheet.left();
  bool has_drop = false, has_masked = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const trace::RecordedAccess& a = *row.access.access;
    const trace::RecordedProgram& p = trace.programs[row.access.program];
    const About about = about_of(session, row.access);
    const float width = lane_width * static_cast<float>(a.lanes());
    const Colour colour = category(static_cast<std::int64_t>(i)), line_colour = named(static_cast<std::int64_t>(i));
    const std::string name = program_text(session.launch(), p.id), state_text = row.is_done   ? ""
                                                                                : row.is_here ? ": next"
                                                                                              : ", later";
    // The whole name, or the number alone.
    const std::string number = name.substr(name.find(' ') + 1);
    const float room = i + 1 < rows.size() ? width + gap - 2 : sheet.right() - x;
    const bool has_room = text_width(name + state_text, 12, false, row.is_here) <= room - 2;
    Shape& label = sheet.text(x, top - 6, has_room ? name + state_text : fitted(number, room, 12), 12, Align::left,
                              {row.is_here ? Role::ink : Role::soft});
    label.is_bold = row.is_here;
    label.about = about;
    label.id = fmt::format("program/{}", about.program);
    if (is_crowded) {
      const float on = width * static_cast<float>(a.active) / static_cast<float>(std::max<std::int64_t>(1, a.lanes()));
      const auto part = [&](float from, float w, Colour fill, const std::string& text,
                            const std::string& id) -> Shape& {
        Shape& s = sheet.rect(from, top, w, lane_height, fill, fmt::format("{}/{}", id, about.program));
        s.stroke = {Role::ink, 0, 0, 0.6f};
        s.size = 11;
        s.text = text_width(text, 11) < w - 4 ? text : "";
        s.about = about;
        s.tooltip = fmt::format("{}: {}", name, text);
        return s;
      };
      if (on > 0)
        part(x, on, {colour.role, colour.index, 0, row.is_done ? 1.f : 0.35f}, fmt::format("{} on", grouped(a.active)),
             "on");
      if (on < width)
        part(x + on, width - on, {Role::surface}, fmt::format("{} off", grouped(a.lanes() - a.active)), "off").hatch =
            Hatch::single,
                                                                                                        has_masked =
                                                                                                            true;
      table.rows.push_back({name, fmt::format("{} of {}", grouped(a.active), grouped(a.lanes())),
                            a.active > 0 ? fmt::format("within {}..{}", a.first, a.last) : "none",
                            row.is_done ? "done" : "to come"});
      if (row.is_here) {
        std::vector<const Run*> active;
        for (const Run& run : runs[i])
          if (run.is_active) active.push_back(&run);
        const std::size_t every = (active.size() + most_lines - 1) / most_lines;
        for (std::size_t k = 0; k < active.size(); k += std::max<std::size_t>(1, every)) {
          const float from = x + on * (static_cast<float>(k) + 0.5f) / static_cast<float>(active.size()),
                      to = x_of(active[k]->element) + cell * static_cast<float>(active[k]->lanes) / 2;
          Shape& l = a.writes() ? sheet.arrow(from, top + lane_height, to, memory_top, line_colour, 1.2f)
                                : sheet.arrow(to, memory_top, from, top + lane_height, line_colour, 1.2f);
          l.is_dashed = !row.is_done;
          l.about = about;
        }
        crowded_text = fmt::format("the lanes of {} lie in {} runs of neighbours; {} has its line{}", name,
                                   grouped(static_cast<std::int64_t>(active.size())),
                                   every <= 1 ? "each" : fmt::format("one in {}", every),
                                   a.shape.rank == 2 ? ". The mask picture shows the block over its tensor" : "");
      }
      x += width + gap;
      continue;
    }
    for (const Run& run : runs[i]) {
      const float left = x + static_cast<float>(run.first_lane) * lane_width,
                  w = static_cast<float>(run.lanes) * lane_width;
      const std::int64_t last_lane = run.first_lane + run.lanes - 1;
      const std::string range =
          run.lanes == 1 ? fmt::format("{}", run.first_lane) : fmt::format("{}..{}", run.first_lane, last_lane);
      Colour fill = run.is_active ? colour : Colour{Role::surface};
      if (!row.is_done && run.is_active) fill.alpha = 0.35f;
      Shape& s = sheet.rect(left, top, w, lane_height, fill, fmt::format("lane/{}/{}", about.program, run.first_lane));
      s.stroke = {Role::ink, 0, 0, 0.6f};
      s.text = text_width(range, 11.5f) < w - 2 ? range : "";
      s.size = 11.5f;
      s.about = run.lanes == 1 ? about_lane(session, row.access, run.first_lane) : about;
      if (run.is_active && run.lanes > 1) s.about.first = run.element, s.about.last = run.element + run.lanes - 1;
      const std::string target = trace::cell_name(tensor, run.element) + (run.lanes > 1 ? " and on" : "");
      s.tooltip = run.is_active ? fmt::format("{}, lane {}: {} {}", name, range, what, target)
                                : fmt::format("{}, lane {}: masked off, touches nothing (it would be element {})", name,
                                              range, run.element);
      table.rows.push_back({name, range,
                            run.is_active
                                ? (run.lanes == 1 ? fmt::format("{}", run.element)
                                                  : fmt::format("{}..{}", run.element, run.element + run.lanes - 1))
                                : "none",
                            run.is_active ? (row.is_done ? "done" : "to come") : "masked off"});
      if (!run.is_active) {
        s.hatch = Hatch::single;
        has_masked = true;
        // A masked lane beyond the end would fall off: the mask is what saves it.
        if ((run.element + run.lanes > tensor.storage_elems && after > 0) || (run.element < 0 && before > 0)) {
          has_drop = true;
          const std::int64_t e = std::clamp(run.element + run.lanes / 2, low - before, high + after);
          const float tx = x_of(std::max(e, run.element < 0 ? e : tensor.storage_elems)) + cell / 2,
                      size = std::min(10.f, std::max(6.f, cell - 4));
          sheet.line(left + w / 2, top + lane_height, tx, memory_top + 4, {Role::masked}).is_dashed = true;
          sheet
              .mark(Kind::cross, tx - size / 2, memory_top + 6, size, size, {Role::fault},
                    fmt::format("drop/{}/{}", about.program, run.first_lane))
              .tooltip = s.tooltip;
        }
        continue;
      }
      const Colour stroke = row.is_done || row.is_here ? line_colour : Colour{Role::faint};
      const auto join = [&](float from, float to) {
        Shape& l = row.access.access->writes() ? sheet.arrow(from, top + lane_height, to, memory_top, stroke, 1.2f)
                                               : sheet.arrow(to, memory_top, from, top + lane_height, stroke, 1.2f);
        l.is_dashed = !row.is_done;
        l.about = run.lanes == 1 ? about_lane(session, row.access, run.first_lane) : about;
      };
      if (run.lanes == 1) join(left + w / 2, x_of(run.element) + cell / 2);
      else join(left + 1, x_of(run.element)), join(left + w - 1, x_of(run.element + run.lanes));
    }
    x += width + gap;
  }

  // Memory: a cell an element, or stretches of cells that the same programs touched.
  const std::vector<Stretch> stretches = stretches_of(rows);
  const bool races = here.access->kind == trace::AccessKind::store;
  const Colour shared = races ? Colour{Role::fault, 0, 0, 0.3f} : Colour{Role::surface};
  std::int64_t overlapping = 0, written = 0;
  std::size_t next = 0;
  bool has_unwritten = false, has_rest = false;
  for (std::int64_t e = low; e <= high;) {
    while (next < stretches.size() && stretches[next].end <= e) ++next;
    const bool is_inside = next < stretches.size() && stretches[next].first <= e;
    const int programs = is_inside ? stretches[next].programs : 0;
    const bool is_known = output && session.memory().is_known(here.access->tensor),
               is_written = is_known && session.memory().is_written(here.access->tensor, e);
    std::int64_t end = e + 1;
    if (!small) {
      end = std::min(high + 1, is_inside                 ? stretches[next].end
                               : next < stretches.size() ? stretches[next].first
                                                         : high + 1);
      if (is_known && high - low < 262'144)
        for (std::int64_t same = e + 1; same < end; ++same)
          if (session.memory().is_written(here.access->tensor, same) != is_written) end = same;
    }
    const std::string text = small ? cell_text(session, here.access->tensor, e, output) : "";
    const bool is_unknown = text == "?" || (output && !is_written);
    const Colour rest{is_unknown ? Role::unwritten : Role::surface};
    Colour fill = programs > 1    ? shared
                  : programs == 1 ? category(static_cast<std::int64_t>(stretches[next].owner))
                                  : rest;
    if (programs == 1 && is_unknown) fill.alpha = 0.35f;  // about to be written
    const float left = x_of(e), width = cell * static_cast<float>(end - e);
    if (small)
      sheet.text(left + cell / 2, memory_top + memory_height + 14, fmt::format("{}", e), 10, Align::centre,
                 {Role::soft});
    Shape& s =
        sheet.rect(left, memory_top, width, memory_height, fill, fmt::format("cell/{}/{}", here.access->tensor, e));
    if (small || width > 8) s.stroke = {Role::ink, 0, 0, 0.6f};
    s.about.launch = launch;
    s.about.tensor = here.access->tensor;
    s.about.first = e, s.about.last = end - 1;
    if (small) {
      s.is_mono = true;
      s.size = 12;
      s.text = text_width(text, 12, true) < cell - 2 ? text : fitted(text, cell - 2, 9, true);
      if (s.text != text || s.text.size() > 4) s.size = 9;
      if (fill.alpha < 1) s.ink = {Role::ink};
    }
    if (programs > 1) s.hatch = Hatch::crossed, overlapping += end - e;
    has_unwritten |= programs == 0 && is_unknown, has_rest |= programs == 0 && !is_unknown;
    written += is_written ? end - e : 0;
    s.tooltip = fmt::format(
        "{}{}: {}{}", trace::cell_name(tensor, e),
        end - e > 1 ? fmt::format(" .. {}", trace::cell_name(tensor, end - 1)) : "",
        programs == 0   ? "no program here touched it yet"
        : programs == 1 ? "touched by " + program_text(session.launch(),
                                                       trace.programs[rows[stretches[next].owner].access.program].id)
                        : fmt::format("touched by {} programs", programs),
        output && !is_written ? "; never written, its content is unknown"
        : text.empty()        ? ""
                              : "; holds " + text);
    e = end;
  }
  sheet.text(sheet.left(), memory_top + memory_height + (small ? 32.f : 16.f),
             fmt::format("{}[{}] of {} element{}, {}", tensor.name,
                         low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high),
                         grouped(tensor.storage_elems), tensor.storage_elems == 1 ? "" : "s", name_of(tensor.dtype)),
             11.5f, Align::left, {Role::soft});
  sheet.y = memory_top + memory_height + (small ? 36 : 20);

  const char* const done_to = races ? "written" : here.access->kind == trace::AccessKind::load ? "read" : "added to";
  if (overlapping > 0)
    sheet.drawing.facts.push_back(fmt::format(
        "{} element{} {} by more than one program{}", grouped(overlapping), overlapping == 1 ? " is" : "s are", done_to,
        races ? ": the last one wins, and which that is changes from run to run" : ""));
  if (output && high - low + 1 - written > 0)
    sheet.drawing.facts.push_back(fmt::format("{} of the {} elements shown were never written up to here",
                                              grouped(high - low + 1 - written), grouped(high - low + 1)));
  if (has_drop)
    sheet.drawing.facts.push_back(
        "lanes beyond the end are masked off; without the mask they would touch foreign memory");
  if (!crowded_text.empty()) sheet.drawing.facts.push_back(crowded_text);
  if (last - first + 1 < static_cast<std::size_t>(programs_of(session.launch())))
    sheet.drawing.facts.push_back(
        fmt::format("{} of {} programs are shown", rows.size(), grouped(programs_of(session.launch()))));
  sheet.legend({rows.size() > 1 ? "a colour a program: its lanes and, below, its elements"
                                : "the program's lanes and, below, its elements",
                category(0)});
  if (has_masked) sheet.legend({"masked off", {Role::surface}, Hatch::single});
  if (overlapping > 0) sheet.legend({fmt::format("{} by several programs", done_to), shared, Hatch::crossed});
  if (has_unwritten) sheet.legend({small ? "? never written" : "never written", {Role::unwritten}});
  if (has_rest) sheet.legend({"touched by none of these", {Role::surface}});
  if (has_drop)
    sheet.legend({"out of bounds, had it not been masked", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  if (table.rows.size() > 200) table.rows.resize(200);
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
