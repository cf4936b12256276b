// The lanes of a load or store above, the memory it touches below, a line a lane: where offsets are wrong, one sees it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

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
    if (merge && !runs.empty() && runs.back().is_active == active && (!active || element == runs.back().element + runs.back().lanes)) {
      ++runs.back().lanes;
      continue;
    }
    if (runs.size() >= most) break;
    runs.push_back({lane, 1, element, active});
  }
  return runs;
}

std::string cell_text(debug::Session& session, int tensor, std::int64_t element, bool output) {
  trace::Memory& memory = session.memory();
  if (!memory.is_known(tensor)) return "";
  if (output && !memory.is_written(tensor, element)) return "?";
  const auto& t = session.launch().tensors[static_cast<std::size_t>(tensor)];
  return short_number(memory.element(tensor, element), is_integer(t.dtype));
}

}  // namespace

std::string missing_access(Scene& scene) { return access_here(scene.session) ? "" : "this program loads and stores nothing"; }

Drawing draw_offsets(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const AccessStep here = *access_here(session);
  const auto& trace = session.trace();
  const int launch = session.program().launch;
  const trace::RecordedTensor& tensor = *here.tensor;
  const bool output = scene.found().of_tensor(launch, here.access->tensor).is_output;

  // The programs around this one: up to eight, as long as their lanes fit.
  std::size_t first = here.program, last = here.program;
  const auto in_launch = [&](std::size_t p) { return p < trace.programs.size() && trace.programs[p].launch == launch; };
  while (last - first + 1 < 8) {
    if (in_launch(first - 1)) --first;
    else if (!in_launch(last + 1)) break;
    if (last - first + 1 < 8 && in_launch(last + 1)) ++last;
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
  Sheet sheet("offsets", fmt::format("Line {} {} {}: which lane, which element", here.line, what, here.access->kind == trace::AccessKind::store ? "to " + tensor.name : tensor.name),
              fmt::format("Above: the lanes of each program, by number. Below: {} in memory, one cell an element of {} B. A line joins a lane with its element.", tensor.name, size_in_bytes(tensor.dtype)), canvas);

  // The stretch of memory to show: what is touched, with what surrounds it as far as it fits.
  std::int64_t low = 0, high = tensor.storage_elems - 1;
  std::int64_t touched_low = here.access->first, touched_high = here.access->last;
  for (const Row& r : rows)
    if (r.access.access->active > 0) touched_low = std::min(touched_low, r.access.access->first), touched_high = std::max(touched_high, r.access.access->last);
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
  after = std::min(after, small ? 16 : (high - low + 1) / 2), before = std::min(before, small ? 16 : (high - low + 1) / 2);

  const std::int64_t slots = high - low + 1 + before + after;
  const float cell = small ? std::min(60.f, inner / static_cast<float>(slots)) : inner / static_cast<float>(slots);
  const float memory_left = sheet.left() + static_cast<float>(before) * cell;
  const auto x_of = [&](std::int64_t element) { return memory_left + static_cast<float>(element - low) * cell; };
  const float gap = 18;
  const float lane_width = small ? std::min(44.f, (inner - gap * static_cast<float>(rows.size() - 1)) / static_cast<float>(std::max<std::int64_t>(lanes, 1))) : (inner - gap * static_cast<float>(rows.size() - 1)) / static_cast<float>(std::max<std::int64_t>(lanes, 1));

  const float top = sheet.y + 20, lane_height = 26, memory_top = top + lane_height + std::clamp(sheet.room() - 130, 70.f, 190.f), memory_height = 34;
  std::map<std::int64_t, int> touches;  // element -> programs that have touched it
  Table table{fmt::format("lanes of line {}", here.line), {"program", "lanes", "elements", "state"}, {}};
  float x = sheet.left();
  bool has_drop = false, has_masked = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const trace::RecordedAccess& a = *row.access.access;
    const trace::RecordedProgram& p = trace.programs[row.access.program];
    const About about = about_of(session, row.access);
    const float width = lane_width * static_cast<float>(a.lanes());
    const Colour colour = category(static_cast<std::int64_t>(i));
    const std::string name = program_text(session.launch(), p.id);
    Shape& label = sheet.text(x, top - 6, fitted(name + (row.is_done ? "" : row.is_here ? ": next" : ", later"), width + gap - 4, 12), 12, Align::left, {row.is_here ? Role::ink : Role::soft});
    label.is_bold = row.is_here;
    label.about = about;
    label.id = fmt::format("program/{}", about.program);
    for (const Run& run : runs_of(a, !small, 64)) {
      const float left = x + static_cast<float>(run.first_lane) * lane_width, w = static_cast<float>(run.lanes) * lane_width;
      const std::int64_t last_lane = run.first_lane + run.lanes - 1;
      const std::string range = run.lanes == 1 ? fmt::format("{}", run.first_lane) : fmt::format("{}..{}", run.first_lane, last_lane);
      Colour fill = run.is_active ? colour : Colour{Role::surface};
      if (!row.is_done && run.is_active) fill.alpha = 0.35f;
      Shape& s = sheet.rect(left, top, w, lane_height, fill, fmt::format("lane/{}/{}", about.program, run.first_lane));
      s.stroke = {Role::ink, 0, 0, 0.6f};
      s.text = text_width(range, 11.5f) < w - 2 ? range : "";
      s.size = 11.5f;
      s.about = run.lanes == 1 ? about_lane(session, row.access, run.first_lane) : about;
      if (run.is_active && run.lanes > 1) s.about.first = run.element, s.about.last = run.element + run.lanes - 1;
      const std::string target = trace::cell_name(tensor, run.element) + (run.lanes > 1 ? " and on" : "");
      s.tooltip = run.is_active ? fmt::format("{}, lane {}: {} {}", name, range, what, target) : fmt::format("{}, lane {}: masked off, touches nothing (it would be element {})", name, range, run.element);
      table.rows.push_back({name, range, run.is_active ? (run.lanes == 1 ? fmt::format("{}", run.element) : fmt::format("{}..{}", run.element, run.element + run.lanes - 1)) : "none", run.is_active ? (row.is_done ? "done" : "to come") : "masked off"});
      if (!run.is_active) {
        s.hatch = Hatch::single;
        has_masked = true;
        // A masked lane beyond the end would fall off: the mask is what saves it.
        if ((run.element + run.lanes > tensor.storage_elems && after > 0) || (run.element < 0 && before > 0)) {
          has_drop = true;
          const std::int64_t e = std::clamp(run.element + run.lanes / 2, low - before, high + after);
          const float tx = x_of(std::max(e, run.element < 0 ? e : tensor.storage_elems)) + cell / 2, size = std::min(10.f, std::max(6.f, cell - 4));
          sheet.line(left + w / 2, top + lane_height, tx, memory_top + 4, {Role::masked}).is_dashed = true;
          sheet.mark(Kind::cross, tx - size / 2, memory_top + 6, size, size, {Role::fault}, fmt::format("drop/{}/{}", about.program, run.first_lane)).tooltip = s.tooltip;
        }
        continue;
      }
      for (std::int64_t e = run.element; e < run.element + run.lanes; ++e) touches[e] += row.is_done || row.is_here ? 1 : 0;
      const Colour stroke = row.is_done || row.is_here ? Colour{Role::soft} : Colour{Role::faint};
      const auto join = [&](float from, float to) {
        Shape& l = row.access.access->writes() ? sheet.arrow(from, top + lane_height, to, memory_top, stroke, 1.2f) : sheet.arrow(to, memory_top, from, top + lane_height, stroke, 1.2f);
        l.is_dashed = !row.is_done;
        l.about = run.lanes == 1 ? about_lane(session, row.access, run.first_lane) : about;
      };
      if (run.lanes == 1) join(left + w / 2, x_of(run.element) + cell / 2);
      else join(left + 1, x_of(run.element)), join(left + w - 1, x_of(run.element + run.lanes));
    }
    x += width + gap;
  }

  // Memory: a cell an element, or stretches of cells that the same number of programs touched.
  std::int64_t overlapping = 0;
  std::int64_t written = 0;
  const auto state = [&](std::int64_t e) {
    const auto it = touches.find(e);
    return it == touches.end() ? 0 : it->second;
  };
  for (std::int64_t e = low; e <= high;) {
    const int programs = state(e);
    const bool is_written = output && session.memory().is_known(here.access->tensor) && session.memory().is_written(here.access->tensor, e);
    std::int64_t end = e + 1;
    if (!small)
      while (end <= high && state(end) == programs && (!output || session.memory().is_written(here.access->tensor, end) == is_written)) ++end;
    const std::string text = small ? cell_text(session, here.access->tensor, e, output) : "";
    Shape& s = sheet.rect(x_of(e), memory_top, cell * static_cast<float>(end - e), memory_height, {text == "?" || (output && !is_written) ? Role::unwritten : Role::surface}, fmt::format("cell/{}/{}", here.access->tensor, e));
    s.stroke = {small || end - e > 8 ? Role::ink : Role::faint, 0, 0, 0.6f};
    s.about.launch = launch;
    s.about.tensor = here.access->tensor;
    s.about.first = e, s.about.last = end - 1;
    if (small) {
      s.is_mono = true;
      s.size = 12;
      s.text = text_width(text, 12, true) < cell - 2 ? text : fitted(text, cell - 2, 9, true);
      if (s.text != text || s.text.size() > 4) s.size = 9;
      sheet.text(x_of(e) + cell / 2, memory_top + memory_height + 14, fmt::format("{}", e), 10, Align::centre, {Role::soft});
    }
    Shape& cell_shape = sheet.drawing.shapes[sheet.drawing.shapes.size() - (small ? 2 : 1)];
    if (programs > 1) cell_shape.hatch = Hatch::crossed, overlapping += end - e;
    if (programs > 0) cell_shape.fill = {Role::current};
    written += is_written ? end - e : 0;
    cell_shape.tooltip = fmt::format("{}{}: {}{}", trace::cell_name(tensor, e), end - e > 1 ? fmt::format(" .. {}", trace::cell_name(tensor, end - 1)) : "",
                                     programs == 0 ? "no program here touched it yet" : programs == 1 ? "touched by one program" : fmt::format("touched by {} programs", programs),
                                     output && !is_written ? "; never written, its content is unknown" : text.empty() ? "" : "; holds " + text);
    e = end;
  }
  sheet.text(sheet.left(), memory_top + memory_height + (small ? 32.f : 16.f), fmt::format("{}[{}..{}] of {} elements, {}", tensor.name, low, high, grouped(tensor.storage_elems), name_of(tensor.dtype)), 11.5f, Align::left, {Role::soft});
  sheet.y = memory_top + memory_height + (small ? 36 : 20);

  if (overlapping > 0) sheet.drawing.facts.push_back(fmt::format("{} element{} touched by more than one program{}", overlapping, overlapping == 1 ? " is" : "s are", here.access->writes() ? ": they write the same place" : ""));
  if (output && high - low + 1 - written > 0) sheet.drawing.facts.push_back(fmt::format("{} of the {} elements shown were never written up to here", high - low + 1 - written, high - low + 1));
  if (has_drop) sheet.drawing.facts.push_back("lanes beyond the end are masked off; without the mask they would touch foreign memory");
  if (last - first + 1 < static_cast<std::size_t>(programs_of(session.launch()))) sheet.drawing.facts.push_back(fmt::format("{} of {} programs are shown", rows.size(), grouped(programs_of(session.launch()))));
  sheet.legend({"a program's active lanes, one colour a program", category(0)});
  if (has_masked) sheet.legend({"masked off", {Role::surface}, Hatch::single});
  sheet.legend({"touched", {Role::current}});
  if (overlapping > 0) sheet.legend({"touched by several programs", {Role::current}, Hatch::crossed});
  if (output) sheet.legend({small ? "? never written" : "never written", {Role::unwritten}});
  if (has_drop) sheet.legend({"out of bounds, had it not been masked", {Role::fault}, Hatch::none, Kind::cross, {Role::fault}});
  if (table.rows.size() > 200) table.rows.resize(200);
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
