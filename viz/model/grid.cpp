// The programs of the launch in the order they start: done, here, to come, failed; with the SM of each where a schedule
// tells it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

Drawing draw_grid(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const auto& trace = session.trace();
  const trace::RecordedLaunch& launch = session.launch();
  const int number = session.program().launch;
  const std::int64_t programs = programs_of(launch);
  const bool two_axes = launch.grid[1] * launch.grid[2] > 1;
  const machine::Schedule* const schedule =
      scene.schedule() && static_cast<std::int64_t>(scene.schedule()->programs.size()) == programs ? scene.schedule()
                                                                                                   : nullptr;

  const std::string sm = schedule ? " SM: where the machine model runs it." : "";
  Sheet sheet("grid",
              fmt::format("The grid of {}: {} program{}", debug::short_name(launch.kernel), grouped(programs),
                          programs == 1 ? "" : "s"),
              (two_axes ? fmt::format("{} x {}{} programs: axis 0 of the ids runs to the right, axis {} downwards. The "
                                      "number in a cell is its place in launch order.",
                                      launch.grid[0], launch.grid[1],
                                      launch.grid[2] > 1 ? fmt::format(" x {}", launch.grid[2]) : "",
                                      launch.grid[2] > 1 ? "1, then 2," : "1")
                        : fmt::format("One axis of {} program{}, in launch order: row by row.", grouped(programs),
                                      programs == 1 ? "" : "s")) +
                  sm,
              canvas);
  sheet.y += 12;
  Field f;
  f.columns = launch.grid[0];
  f.rows = launch.grid[1] * launch.grid[2];
  if (!two_axes) {
    f.columns = 16;
    while (5 * f.columns * f.columns < 9 * programs) f.columns *= 2;
    f.columns = std::min(f.columns, programs);
    f.rows = (programs + f.columns - 1) / f.columns;
  }
  enum State : unsigned char { absent, waiting, unrecorded, done_before, is_now, broken };
  const Colour done_colour{Role::good, 0, 0, 0.45f};
  f.states = {{{Role::none}, ""},    {{Role::surface}, "not started"}, {{Role::unwritten}, "not recorded"},
              {done_colour, "done"}, {{Role::current}, "here"},        {{Role::fault}, "failed"}};
  f.name = "program";
  f.about.launch = number;
  f.counts = Image::Counts::programs;
  f.row_stride = f.columns;
  f.x = sheet.left() + 52, f.y = sheet.y, f.width = sheet.inner() - 52, f.height = sheet.room() - 30;
  f.largest_cell = 52;
  FieldPainter painter(f);
  painter.set_cell(0, programs, waiting);
  std::vector<bool> is_recorded(static_cast<std::size_t>(programs));
  std::int64_t done = 0, failed = 0, not_recorded = programs;
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    const trace::RecordedProgram& program = trace.programs[p];
    if (program.launch != number) continue;
    --not_recorded;
    const std::int64_t id = linear_id(launch, program.id);
    const bool is_here = p == session.now().program, is_done = p < session.now().program;
    const bool has_failed = (is_done || is_here) && std::any_of(program.faults.begin(), program.faults.end(),
                                                                [&](const trace::RecordedFault& x) {
                                                                  return is_done || x.step <= session.now().step;
                                                                });
    is_recorded[static_cast<std::size_t>(id)] = true;
    painter.set_cell(id, 1, has_failed ? broken : is_here ? is_now : is_done ? done_before : waiting);
    done += is_done ? 1 : 0;
    failed += has_failed ? 1 : 0;
  }
  for (std::int64_t id = 0; not_recorded > 0 && id < programs; ++id)
    if (!is_recorded[static_cast<std::size_t>(id)]) painter.set_cell(id, 1, unrecorded);
  const std::int64_t here = linear_id(launch, session.program().id);
  painter.draw(sheet, "program", [&](Shape& s, std::int64_t r, std::int64_t c) {
    const std::int64_t id = r * f.columns + c;
    if (painter.state(r, c) == 0) {
      s.stroke = {}, s.about = {}, s.tooltip.clear();
      return;
    }
    s.text = painter.cell() >= 20 ? fmt::format("{}", id) : "";
    s.size = text_width(s.text, 12) < painter.cell() - 4 ? 12 : 9;
    if (text_width(s.text, s.size) > painter.cell() - 2) s.text.clear();
    s.stroke = {Role::ink, 0, 0, painter.cell() >= 5 ? 0.5f : 0.f};
    const ProgramId pid{id % launch.grid[0], id / launch.grid[0] % launch.grid[1],
                        id / (launch.grid[0] * launch.grid[1])};
    s.tooltip = fmt::format("{}, number {} in launch order: {}", program_text(launch, pid), id, s.tooltip);
    if (schedule) {
      const machine::ProgramRun& run = schedule->programs[static_cast<std::size_t>(id)];
      s.tooltip += fmt::format("; SM {}, wave {} (model)", run.sm, run.wave);
      if (painter.cell() >= 38 && painter.cell_height() >= 38) {
        s.text.clear();
        sheet
            .text(painter.x_of(c) + painter.cell() / 2, painter.y_of(r) + painter.cell() / 2 - 2, fmt::format("{}", id),
                  12, Align::centre, {Role::contrast})
            .over = f.states[painter.state(r, c)].colour;
        sheet
            .text(painter.x_of(c) + painter.cell() / 2, painter.y_of(r) + painter.cell() / 2 + 12,
                  fmt::format("SM {}", run.sm), 9, Align::centre, {Role::contrast})
            .over = f.states[painter.state(r, c)].colour;
      }
    }
  });
  painter.draw_axes(sheet, [&](std::int64_t r) {
    return !two_axes            ? grouped(r * f.columns)
           : launch.grid[2] > 1 ? fmt::format("{}, {}", r % launch.grid[1], r / launch.grid[1])
                                : fmt::format("{}", r);
  });
  painter.draw_frame(sheet);
  sheet.y = f.y + painter.height() + 4;
  // The current program stays visible where cells are small or merged.
  Shape& frame = sheet.rect(painter.x_of(here % f.columns) - 1.5f, painter.y_of(here / f.columns) - 1.5f,
                            std::max(painter.cell(), 4.f) + 3, std::max(painter.cell_height(), 4.f) + 3, {}, "here");
  frame.stroke = {Role::accent};
  frame.stroke_width = 2.5f;
  frame.layer = Layer::marks;
  sheet.drawing.facts.push_back(fmt::format("{} of {} programs are done; {} is at step {} of {}", grouped(done),
                                            grouped(programs), program_text(launch, session.program().id),
                                            session.now().step, session.program().steps.size()));
  if (failed > 0) sheet.drawing.facts.push_back(fmt::format("{} program{} failed", failed, failed == 1 ? "" : "s"));
  if (not_recorded > 0)
    sheet.drawing.facts.push_back(fmt::format(
        "{} programs were not recorded: the run stopped before them, or the budget ran out", grouped(not_recorded)));
  if (schedule)
    sheet.drawing.facts.push_back(fmt::format(
        "model: on {}, {} at a time on each of {} SMs, {} waves", schedule->gpu, schedule->resident_programs_per_sm,
        schedule->sms, fmt::format(fmt::runtime(schedule->waves < 0.1 ? "{:.2g}" : "{:.2f}"), schedule->waves)));
  if (painter.is_merged())
    sheet.drawing.facts.push_back("a pixel stands for several programs: the furthest state among them shows");
  sheet.legend({"done", done_colour});
  sheet.legend({"here", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
  if (painter.shows(waiting)) sheet.legend({"not started", {Role::surface}});
  if (not_recorded > 0) sheet.legend({"not recorded", {Role::unwritten}});
  if (failed > 0) sheet.legend({"failed", {Role::fault}});
  Table table{"programs around the current one", {"program", "launch order", "state", "steps"}, {}};
  for (std::size_t p = session.now().program > 8 ? session.now().program - 8 : 0;
       p < std::min(trace.programs.size(), session.now().program + 9); ++p) {
    const trace::RecordedProgram& program = trace.programs[p];
    if (program.launch != number) continue;
    table.rows.push_back({program_text(launch, program.id), fmt::format("{}", linear_id(launch, program.id)),
                          p < session.now().program    ? "done"
                          : p == session.now().program ? "here"
                                                       : "not started",
                          fmt::format("{}", program.steps.size())});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
