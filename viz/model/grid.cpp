// The programs of the launch in the order they start: done, here, to come, failed; with the SM of each where a schedule tells it.
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
  const machine::Schedule* const schedule = scene.schedule && static_cast<std::int64_t>(scene.schedule->programs.size()) == programs ? scene.schedule : nullptr;

  Sheet sheet("grid", fmt::format("The grid of {}: {} program{}", debug::short_name(launch.kernel), grouped(programs), programs == 1 ? "" : "s"),
              two_axes ? fmt::format("{} x {}{} programs: axis 0 runs to the right, axis 1 downwards. Numbers are the launch order.", launch.grid[0], launch.grid[1], launch.grid[2] > 1 ? fmt::format(" x {}", launch.grid[2]) : "")
                       : "In launch order, row by row. Numbers are program ids.", canvas);
  Field f;
  f.columns = launch.grid[0];
  f.rows = launch.grid[1] * launch.grid[2];
  if (!two_axes) {
    f.columns = std::min<std::int64_t>(programs, programs <= 16 ? 16 : static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(programs) * 1.8))));
    f.rows = (programs + f.columns - 1) / f.columns;
  }
  f.states = {{{Role::none}, ""}, {{Role::surface}, "not started"}, {category(0), "done"}, {{Role::current}, "here"}, {{Role::fault}, "failed"}};
  f.name = "program";
  f.about.launch = number;
  f.counts_programs = true;
  f.row_stride = f.columns;
  f.x = sheet.left(), f.y = sheet.y, f.width = sheet.inner(), f.height = sheet.room();
  f.largest_cell = 52;
  FieldPainter painter(f);
  painter.set_cell(0, programs, 1);
  std::int64_t done = 0, failed = 0, not_recorded = programs;
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    const trace::RecordedProgram& program = trace.programs[p];
    if (program.launch != number) continue;
    --not_recorded;
    const std::int64_t id = linear_id(launch, program.id);
    const bool is_here = p == session.now().program, is_done = p < session.now().program;
    const bool has_failed = (is_done || is_here) && std::any_of(program.faults.begin(), program.faults.end(), [&](const trace::RecordedFault& x) { return is_done || x.step <= session.now().step; });
    painter.set_cell(id, 1, has_failed ? 4 : is_here ? 3 : is_done ? 2 : 1);
    done += is_done ? 1 : 0;
    failed += has_failed ? 1 : 0;
  }
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
    const ProgramId pid{id % launch.grid[0], id / launch.grid[0] % launch.grid[1], id / (launch.grid[0] * launch.grid[1])};
    s.tooltip = fmt::format("{}, number {} in launch order: {}", program_text(launch, pid), id, s.tooltip);
    if (schedule) {
      const machine::ProgramRun& run = schedule->programs[static_cast<std::size_t>(id)];
      s.tooltip += fmt::format("; SM {}, wave {} (model)", run.sm, run.wave);
      if (painter.cell() >= 38 && painter.cell_height() >= 38) {
        s.text.clear();
        sheet.text(painter.x_of(c) + painter.cell() / 2, painter.y_of(r) + painter.cell() / 2 - 2, fmt::format("{}", id), 12, Align::centre, {Role::contrast}).over = f.states[painter.state(r, c)].colour;
        sheet.text(painter.x_of(c) + painter.cell() / 2, painter.y_of(r) + painter.cell() / 2 + 12, fmt::format("SM {}", run.sm), 9, Align::centre, {Role::contrast}).over = f.states[painter.state(r, c)].colour;
      }
    }
  });
  sheet.y = f.y + painter.height() + 4;
  // The current program stays visible where cells are small or merged.
  Shape& frame = sheet.rect(painter.x_of(here % f.columns) - 1.5f, painter.y_of(here / f.columns) - 1.5f, std::max(painter.cell(), 4.f) + 3, std::max(painter.cell_height(), 4.f) + 3, {}, "here");
  frame.stroke = {Role::accent};
  frame.stroke_width = 2.5f;
  frame.layer = Layer::marks;
  sheet.drawing.facts.push_back(fmt::format("{} of {} programs are done; {} is at step {} of {}", grouped(done), grouped(programs), program_text(launch, session.program().id), session.now().step, session.program().steps.size()));
  if (failed > 0) sheet.drawing.facts.push_back(fmt::format("{} program{} failed", failed, failed == 1 ? "" : "s"));
  if (not_recorded > 0) sheet.drawing.facts.push_back(fmt::format("{} programs were not recorded: the run stopped before them, or the budget ran out", grouped(not_recorded)));
  if (schedule) sheet.drawing.facts.push_back(fmt::format("model: on {}, {} at a time on each of {} SMs, {:.2f} waves", schedule->gpu, schedule->resident_programs_per_sm, schedule->sms, schedule->waves));
  sheet.legend({"done", category(0)});
  sheet.legend({"here", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
  sheet.legend({"not started", {Role::surface}});
  if (failed > 0) sheet.legend({"failed", {Role::fault}});
  Table table{"programs around the current one", {"program", "launch order", "state", "steps"}, {}};
  for (std::size_t p = session.now().program > 8 ? session.now().program - 8 : 0; p < std::min(trace.programs.size(), session.now().program + 9); ++p) {
    const trace::RecordedProgram& program = trace.programs[p];
    if (program.launch != number) continue;
    table.rows.push_back({program_text(launch, program.id), fmt::format("{}", linear_id(launch, program.id)), p < session.now().program ? "done" : p == session.now().program ? "here" : "not started", fmt::format("{}", program.steps.size())});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
