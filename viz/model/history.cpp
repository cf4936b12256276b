// What touched one cell, in order, with a mark for the present moment.
#include "viz/model/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tl::viz {

namespace {

constexpr std::size_t most_touches = 8;

std::string element_text(DType dtype, const std::byte* at) {
  return is_integer(dtype) ? std::to_string(trace::decode_int(dtype, at))
                           : exact_number(trace::decode_element(dtype, at));
}

// What a touch left in its cell or found there; "" where the recording does not say.
std::string value_after(const trace::RecordedTrace& trace, const trace::Touch& touch,
                        const trace::RecordedTensor& tensor) {
  const trace::RecordedProgram& p = trace.programs[touch.moment.program];
  const trace::RecordedAccess& a = p.accesses[p.steps[touch.moment.step].access];
  return a.effect ? element_text(tensor.dtype, a.effect_of(touch.lane, size_in_bytes(tensor.dtype))) : "";
}

struct History {
  Sheet& sheet;
  debug::Session& session;
  const About& cell;
  const trace::RecordedLaunch& launch = session.launch();
  const trace::RecordedTensor& tensor = launch.tensors[cell.tensor];
  const std::string name = trace::cell_name(tensor, cell.first);
  const std::vector<trace::Touch> touches =
      trace::touches_of(session.trace(), session.program().launch, cell.tensor, cell.first, cell.first);
  const std::size_t now = static_cast<std::size_t>(
      std::ranges::count_if(touches, [&](const trace::Touch& t) { return t.moment < session.now(); }));
  Table table{"history of " + name, {"program", "step", "line", "lane", "what", "when"}, {}};

  // A line of the list; a click goes there.
  void draw_touch(std::size_t i, const std::string& held) {
    const trace::Touch& t = touches[i];
    const trace::RecordedProgram& p = session.trace().programs[t.moment.program];
    const bool writes = t.kind != trace::AccessKind::load, is_past = i < now;
    const int line = p.steps[t.moment.step].site.line;
    const std::string what = fmt::format("{}{}", verb(t.kind), held.empty() ? "" : " " + held),
                      program = program_text(launch, p.id);
    Shape& row = sheet.rect(sheet.left(), sheet.y, sheet.inner(), 20,
                            {i == now ? Role::current : Role::surface, 0, 0, is_past || i == now ? 1.f : 0.5f},
                            fmt::format("touch/{}", i));
    row.about = cell;
    row.about.launch = p.launch;
    row.about.program = linear_id(launch, p.id);
    row.about.step = t.moment.step;
    row.about.line = line;
    row.about.lane = t.lane;
    row.about.last = cell.first;
    row.about.stride = 1;
    row.goes_there = true;
    row.tooltip = fmt::format("{}, step {}, line {}, lane {}: {} {}", program, t.moment.step, line, t.lane, what, name);
    sheet.mark(writes ? Kind::up_triangle : Kind::down_triangle, sheet.left() + 4, sheet.y + 6, 9, 8,
               {writes ? Role::store : Role::load}, fmt::format("touched/{}", i));
    // With little room the line is left to the text, which lights up, and the tooltip.
    constexpr float size = 11.5f;
    const std::string place = fmt::format("{}  step {}", program, t.moment.step),
                      in_text = fmt::format("  line {}  lane {}", line, t.lane),
                      does = what + (i + 1 == now ? "  (last before now)"
                                     : i == now   ? "  (next)"
                                                  : "");
    const bool has_room = text_width(place + in_text + does, size, true) < sheet.inner() - 40;
    sheet.text(sheet.left() + 20, sheet.y + 14.5f, has_room ? place + in_text : place, size).is_mono = true;
    sheet.text(sheet.right() - 6, sheet.y + 14.5f, does, size, Align::right).is_mono = true;
    table.rows.push_back({program, fmt::format("{}", t.moment.step), fmt::format("{}", line), fmt::format("{}", t.lane),
                          what, is_past ? "past" : "to come"});
    sheet.y += 22;
  }

  void draw() {
    sheet.heading(sheet.left(), sheet.y + 14,
                  fmt::format("History of {}: {} touch{}{}", name, touches.size(), touches.size() == 1 ? "" : "es",
                              touches.empty() ? ", so nobody reads or writes it" : ". A click goes there"));
    sheet.y += 24;
    // The touches around the present moment.
    const std::size_t first = touches.size() <= most_touches || now < most_touches / 2
                                  ? 0
                                  : std::min(now - most_touches / 2, touches.size() - most_touches);
    std::string held = tensor.has_before
                           ? element_text(tensor.dtype, tensor.before.data() + cell.first * size_in_bytes(tensor.dtype))
                           : "";
    std::set<std::size_t> writers;
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const trace::Touch& t = touches[i];
      if (t.kind != trace::AccessKind::load) {
        writers.insert(t.moment.program);
        held = value_after(session.trace(), t, tensor);
      }
      if (i >= first && i < first + most_touches) draw_touch(i, held);
    }
    if (touches.size() > most_touches) {
      sheet.note(
          sheet.left(), sheet.y + 13,
          fmt::format("{} of {} touches; `history {}` in the console tells all", most_touches, touches.size(), name),
          11);
      sheet.y += 18;
    }
    if (writers.size() > 1)
      sheet.fact(
          fmt::format("{} programs write {}: on a GPU the last one wins, and which that is changes from run to run",
                      writers.size(), name));
    sheet.y += 6;
    sheet.table(std::move(table));
  }
};

}  // namespace

void draw_history(Sheet& sheet, debug::Session& session, const About& cell) {
  History{.sheet = sheet, .session = session, .cell = cell}.draw();
}

}  // namespace tl::viz
