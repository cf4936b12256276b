// The programs of the launch in the order they start: done, here, to come, failed; with the SM of each where a schedule
// tells it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/lang/text.h"
#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

enum ProgramState : unsigned char { waiting, unrecorded, done_before, is_now, broken };
constexpr Colour done_colour{Role::good, 0, 0, 0.45f};

struct GridPicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const trace::RecordedTrace& trace = session.trace();
  const trace::RecordedLaunch& launch = session.launch();
  const int launch_number = session.program().launch;
  const std::int64_t programs = programs_of(launch);
  const machine::Schedule* const schedule =
      scene.schedule() && std::ssize(scene.schedule()->programs) == programs ? scene.schedule() : nullptr;
  Sheet sheet;
  const Field field = layout();
  FieldPainter painter{field};
  const std::string widest = fmt::format("{}", programs - 1);  // all cells are numbered or none
  std::int64_t done = 0, failed = 0, not_recorded = programs;

  GridPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("grid", fmt::format("The grid of {}: {}", short_name(launch.kernel), plural(programs, "program")),
              subtitle(), canvas) {}

  std::string subtitle() const {
    const bool is_deep = launch.grid[2] > 1;
    return fmt::format(
               "{} x {}{} programs: axis 0 of the ids runs to the right, axis {} downwards. The number in a cell "
               "is its place in launch order.",
               launch.grid[0], launch.grid[1], is_deep ? fmt::format(" x {}", launch.grid[2]) : "",
               is_deep ? "1, then 2," : "1") +
           (schedule ? " SM: where the machine model runs it." : "");
  }

  Field layout() {
    sheet.y += 12;
    Field f;
    f.columns = launch.grid[0];
    f.rows = launch.grid[1] * launch.grid[2];
    f.states = {{{Role::surface}, "not started"},
                {{Role::unwritten}, "not recorded"},
                {done_colour, "done"},
                {{Role::current}, "here"},
                {{Role::fault}, "failed"}};
    f.name = "program";
    f.about.launch = launch_number;
    f.counts = Image::Counts::programs;
    f.row_stride = f.columns;
    f.x = sheet.left() + 52;
    f.y = sheet.y;
    f.width = sheet.inner() - 52;
    f.height = sheet.room() - 30;
    f.largest_cell = 52;
    return f;
  }

  void find_states() {
    const debug::Moment now = session.now();
    painter.set_cell(0, programs, waiting);
    std::vector<bool> is_recorded(static_cast<std::size_t>(programs));
    for (std::size_t p = 0; p < trace.programs.size(); ++p) {
      const trace::RecordedProgram& program = trace.programs[p];
      if (program.launch != launch_number) continue;
      --not_recorded;
      const std::int64_t id = linear_id(launch, program.id);
      const bool is_here = p == now.program, is_done = p < now.program;
      const bool has_failed = std::ranges::any_of(program.faults, [&](const trace::RecordedFault& fault) {
        return is_done || (is_here && fault.step <= now.step);
      });
      is_recorded[id] = true;
      const ProgramState other = is_done ? done_before : waiting;
      painter.set_cell(id, 1, has_failed ? broken : is_here ? is_now : other);
      done += is_done ? 1 : 0;
      failed += has_failed ? 1 : 0;
    }
    for (std::int64_t id = 0; not_recorded > 0 && id < programs; ++id)
      if (!is_recorded[id]) painter.set_cell(id, 1, unrecorded);
  }

  void decorate_cell(Shape& s, std::int64_t row, std::int64_t column) {
    const std::int64_t id = row * field.columns + column;
    const float cell = painter.cell();
    s.size = text_width(widest, 12) < cell - 4 ? 12 : least_text;
    if (text_width(widest, s.size) < cell - 2 && painter.cell_height() >= 14) s.text = fmt::format("{}", id);
    if (cell >= 14) s.stroke = {Role::ink, 0, 0, 0.5f};
    else if (cell >= 5) s.stroke = {Role::paper};  // lines of ink would be all that one sees
    const std::int64_t x = launch.grid[0], y = launch.grid[1];
    s.tooltip = fmt::format("{}, number {} in launch order: {}",
                            program_text(launch, {id % x, id / x % y, id / (x * y)}), id, s.tooltip);
    if (!schedule) return;
    const machine::ProgramRun& run = schedule->programs[id];
    s.tooltip += fmt::format("; SM {}, wave {} (model)", run.sm, run.wave);
    if (cell < 38 || painter.cell_height() < 38) return;
    s.text.clear();
    const auto centred = [&](float down, const std::string& text, float size) {
      sheet
          .text(painter.x_of(column) + cell / 2, painter.y_of(row) + cell / 2 + down, text, size, Align::centre,
                {Role::contrast})
          .over = field.states[painter.state(row, column)].colour;
    };
    centred(-2, fmt::format("{}", id), 12);
    centred(12, fmt::format("SM {}", run.sm), least_text);
  }

  void draw_cells() {
    painter.draw(sheet, "program", [&](Shape& s, std::int64_t r, std::int64_t c) { decorate_cell(s, r, c); });
    painter.draw_axes(sheet, [&](std::int64_t r) {
      return launch.grid[2] > 1 ? fmt::format("{}, {}", r % launch.grid[1], r / launch.grid[1]) : fmt::format("{}", r);
    });
    painter.draw_frame(sheet);
    sheet.y = field.y + painter.height() + 4;
    // The current program stays visible where cells are small or merged.
    const std::int64_t here = linear_id(launch, session.program().id);
    Shape& frame = sheet.rect(painter.x_of(here % field.columns) - 1.5f, painter.y_of(here / field.columns) - 1.5f,
                              std::max(painter.cell(), 4.f) + 3, std::max(painter.cell_height(), 4.f) + 3, {}, "here");
    frame.stroke = {Role::accent};
    frame.stroke_width = 2.5f;
    frame.layer = Layer::marks;
  }

  void state_facts() {
    sheet.fact(fmt::format("{} of {} programs are done; {} is at step {} of {}", count_text(done), count_text(programs),
                           program_text(launch, session.program().id), session.now().step,
                           session.program().steps.size()));
    if (failed > 0) sheet.fact(plural(failed, "program") + " failed");
    if (not_recorded > 0)
      sheet.fact(count_text(not_recorded) +
                 (scene.is_live ? " programs are not recorded yet: each is when one goes there"
                                : " programs were not recorded: the run stopped before them, or the budget ran out"));
    if (schedule)
      sheet.fact(fmt::format("model: on {}, {} at a time on each of {} SMs, {} waves", schedule->gpu,
                             schedule->resident_programs_per_sm, schedule->sms,
                             fmt::format(fmt::runtime(schedule->waves < 0.1 ? "{:.2g}" : "{:.2f}"), schedule->waves)));
    if (painter.is_merged()) sheet.fact("a pixel stands for several programs: the furthest state among them shows");
  }

  void add_legend() {
    sheet.legend({"done", done_colour});
    sheet.legend({"here", {Role::current}, Hatch::none, Kind::rect, {Role::accent}});
    if (painter.shows(waiting)) sheet.legend({"not started", {Role::surface}});
    if (not_recorded > 0) sheet.legend({"not recorded", {Role::unwritten}});
    if (failed > 0) sheet.legend({"failed", {Role::fault}});
  }

  Table table() const {
    Table table{"programs around the current one", {"program", "launch order", "state", "steps"}, {}};
    const std::size_t here = session.now().program;
    for (std::size_t p = here > 8 ? here - 8 : 0; p < std::min(trace.programs.size(), here + 9); ++p) {
      const trace::RecordedProgram& program = trace.programs[p];
      if (program.launch == launch_number)
        table.rows.push_back({program_text(launch, program.id), fmt::format("{}", linear_id(launch, program.id)),
                              p < here    ? "done"
                              : p == here ? "here"
                                          : "not started",
                              fmt::format("{}", program.steps.size())});
    }
    return table;
  }
};

}  // namespace

std::string missing_grid(Scene& scene) {
  const auto& grid = scene.session.launch().grid;
  return grid[1] * grid[2] > 1 ? "" : "its programs lie on one axis: order, timeline and chip show when each runs";
}

Drawing draw_grid(Scene& scene, const Canvas& canvas) {
  GridPicture picture(scene, canvas);
  picture.find_states();
  picture.draw_cells();
  picture.state_facts();
  picture.add_legend();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
