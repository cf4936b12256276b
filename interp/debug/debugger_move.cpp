// Moving: what a step did, where it led, and why it stopped.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interp/debug/debugger.h"

namespace tl::debug {
namespace {

std::int64_t whole_number(const std::string& text, const char* what) {
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(text.empty() ? fmt::format("a {} is needed here", what) : fmt::format("'{}' is not a {}", text, what),
                "a whole number; `help` and the command's name show examples");
  return result;
}

std::vector<std::int64_t> numbers(const std::string& text, const char* what) {
  std::vector<std::int64_t> result;
  std::string word;
  for (char c : text + ",") {
    if (c == ',' || c == ' ') {
      if (!word.empty()) result.push_back(whole_number(word, what));
      word.clear();
    } else if (c != '(' && c != ')') {
      word += c;
    }
  }
  return result;
}

const char* title_of(BreakKind kind) {
  switch (kind) {
    case BreakKind::line: return "Breakpoint";
    case BreakKind::store:
    case BreakKind::load:
    case BreakKind::access: return "Watchpoint";
    default: return "Catchpoint";
  }
}

}  // namespace

std::string Debugger::arrived(const Stop& stop, Moment from, bool forwards, int from_frame) {
  std::string result;
  const Moment to = session_.now();
  // What the ops on the way did, as the frame they began in sees it.
  const bool is_interrupted = stop.reason == StopReason::interrupted;
  if (forwards && !is_interrupted && to.program == from.program && to.step > from.step)
    result += steps_text(session_, from.step, to.step, from_frame, paint_);
  if (stop.reason == StopReason::breakpoint) {
    // A temporary one is gone by now; the kernel's own has no number.
    std::string what = stop.breakpoint ? fmt::format("Temporary breakpoint {}", stop.breakpoint) : "tl.breakpoint_if";
    for (const Breakpoint& b : session_.breakpoints())
      if (b.number == stop.breakpoint) what = fmt::format("{} {}, {}", title_of(b.kind), b.number, b.what);
    result += paint_(Color::yellow, what + (stop.detail.empty() ? "" : "\n  " + stop.detail)) + "\n";
  }
  const bool is_new_program = to.program != shown_program_;
  if (is_new_program) result += paint_(Color::bold, focus_text());
  if ((is_new_program || session_.frame() != shown_frame_) && session_.frame() >= 0 &&
      to.step < session_.view().steps())
    result += frame_text(session_.frame()) + "\n";
  shown_program_ = to.program;
  shown_frame_ = session_.frame();
  if (stop.reason == StopReason::end)
    result += fmt::format("The run has ended: {} program{}.\n", session_.trace().programs.size(),
                          session_.trace().programs.size() == 1 ? "" : "s");
  if (is_interrupted) result += "Interrupted.\n";
  if (stop.reason == StopReason::start) result += "This is the start of the run.\n";
  if (stop.reason == StopReason::program_start)
    result += "This is the program's start; `program -1` goes to the one before.\n";
  const trace::RecordedFault* const fault = session_.fault_here();
  if (fault) {
    const int file = [&] {
      for (std::size_t f = 0; f < session_.trace().files.size(); ++f)
        if (session_.trace().files[f] == fault->fault.site.file) return static_cast<int>(f);
      return -1;
    }();
    result += fault_text(fault->fault, session_.sources().model(file), paint_);
    if (to.step < session_.view().steps() && session_.program().steps[to.step].site.line != fault->fault.site.line)
      result += location_text();
  } else {
    result += location_text();
  }
  list_from_ = 0;
  return is_interrupted ? result : result + display_text();
}

std::string Debugger::repeat(const Words& words, const std::function<Stop()>& move, bool forwards) {
  const std::int64_t times = words.rest.empty() ? 1 : whole_number(words.rest, "count");
  if (times < 1) throw Error(fmt::format("'{}' is not a count", words.rest), "1 or more; rn, rs and rc go backwards");
  const Moment from = session_.now();
  const int from_frame = session_.running_frame();
  Stop stop;
  for (std::int64_t i = 0; i < times; ++i) {
    stop = move();
    if (stop.reason != StopReason::moved && (stop.reason != StopReason::breakpoint || i + 1 == times)) break;
  }
  return arrived(stop, from, forwards, from_frame);
}

std::string Debugger::next(const Words& w) {
  return repeat(w, [&] { return session_.next(true); }, true);
}
std::string Debugger::step(const Words& w) {
  return repeat(w, [&] { return session_.step(true); }, true);
}
std::string Debugger::reverse_next(const Words& w) {
  return repeat(w, [&] { return session_.next(false); }, false);
}
std::string Debugger::reverse_step(const Words& w) {
  return repeat(w, [&] { return session_.step(false); }, false);
}

std::string Debugger::continue_(const Words& w) {
  return repeat(w, [&] { return session_.run(true); }, false);
}
std::string Debugger::reverse_continue(const Words& w) {
  return repeat(w, [&] { return session_.run(false); }, false);
}

std::string Debugger::finish(const Words&) {
  const ProgramView& view = session_.view();
  const Moment from = session_.now();
  const bool is_kernel = view.frames()[session_.frame()].parent < 0;
  const std::string name = frame_text(session_.frame());
  const bool returns_something = view.returns_value(session_.frame());
  const Stop stop = session_.finish();
  std::string result = is_kernel ? "" : "Finished " + name + "\n";
  const std::uint32_t step = session_.now().step;
  if (!is_kernel && returns_something && stop.reason == StopReason::moved && step > 0)
    for (std::int32_t r : view.program().results(view.step(step - 1)))
      result +=
          fmt::format("  {} = {}\n", paint_(Color::cyan, "returned"), value_text(view.program(), session_.launch(), r));
  return result + arrived(stop, {from.program, step}, false);
}

std::string Debugger::until(const Words& w) {
  const Moment from = session_.now();
  const int from_frame = session_.running_frame();
  const std::int64_t line = w.rest.empty() ? 0 : whole_number(w.rest, "line");
  const SourceModel* const text = session_.view().model_of_frame(from_frame);
  if (text && !w.rest.empty() && (line < 1 || line > text->lines()))
    throw Error(fmt::format("there is no line {}: the text has lines 1 to {}", line, text->lines()), "`l` lists them");
  const Stop stop = session_.until(static_cast<int>(line));
  const bool is_reached = w.rest.empty() || stop.reason == StopReason::moved || stop.reason == StopReason::breakpoint;
  return (is_reached ? "" : fmt::format("Line {} was not reached.\n", line)) + arrived(stop, from, false, from_frame);
}

std::string Debugger::go_to(const Words& w) {
  if (w.rest == "start") return start(w);
  if (w.rest == "end") return end(w);
  const std::int64_t step = whole_number(w.rest, "step");
  const std::int64_t steps = session_.view().steps();
  if (step < 0 || step > steps)
    throw Error(fmt::format("program {} has steps 0 to {}", trace::text_of(session_.program().id), steps),
                "`goto start` and `goto end` are its ends");
  session_.go({session_.now().program, static_cast<std::uint32_t>(step)});
  return focus_text() + arrived({}, session_.now(), false);
}

std::string Debugger::start(const Words&) {
  session_.go({session_.now().program, 0});
  return focus_text() + arrived({}, session_.now(), false);
}

std::string Debugger::end(const Words&) {
  session_.go({session_.now().program, session_.view().steps()});
  return focus_text() + arrived({}, session_.now(), false);
}

namespace {

bool is_in(const trace::RecordedLaunch& launch, ProgramId id) {
  return id.x >= 0 && id.y >= 0 && id.z >= 0 && id.x < launch.grid[0] && id.y < launch.grid[1] && id.z < launch.grid[2];
}

// So many programs of the grid further, axis 0 fastest: as `program` takes it.
std::string neighbour_text(Session& session, std::int64_t by) {
  const auto& grid = session.launch().grid;
  const ProgramId here = session.program().id;
  const std::int64_t number = here.x + grid[0] * (here.y + grid[1] * here.z), to = number + by;
  if (to < 0 || to >= grid[0] * grid[1] * grid[2])
    throw Error(fmt::format("there is no program {}{}: this is number {} of {}", by < 0 ? "" : "+", by, number + 1,
                            grid[0] * grid[1] * grid[2]),
                by < 0 ? "`program +1` is the next" : "`program -1` is the one before");
  return fmt::format("{},{},{}", to % grid[0], to / grid[0] % grid[1], to / (grid[0] * grid[1]));
}

}  // namespace

std::string Debugger::program(const Words& w) {
  const std::size_t count = session_.trace().programs.size();
  std::size_t target = session_.now().program;
  if (w.rest.empty()) return focus_text() + location_text();
  if (w.rest[0] == '+' || w.rest[0] == '-') {
    const std::int64_t by = w.rest.size() == 1 ? 1 : whole_number(w.rest.substr(1), "count");
    if (fetch_ && session_.trace().launches.size() == 1)  // whatever was recorded, the programs are those of the grid
      return program({w.command, neighbour_text(session_, w.rest[0] == '+' ? by : -by), 0, 0});
    const bool is_far = by < 0 || by > static_cast<std::int64_t>(count);
    const std::int64_t to = is_far ? -1 : static_cast<std::int64_t>(target) + (w.rest[0] == '+' ? by : -by);
    if (to < 0 || to >= static_cast<std::int64_t>(count))
      throw Error(
          fmt::format("there is no program {}: this is number {} of {} in the recording", w.rest, target + 1, count),
          "`info programs` lists them");
    target = static_cast<std::size_t>(to);
  } else {
    const std::vector<std::int64_t> id = numbers(w.rest, "program id");
    if (id.empty() || id.size() > 3)
      throw Error(fmt::format("'{}' is not a program", w.rest),
                  "one to three numbers, as in `program 2,0`, or +1 or -1");
    const ProgramId wanted{id[0], id.size() > 1 ? id[1] : 0, id.size() > 2 ? id[2] : 0};
    const auto found = session_.find_program(wanted);
    const bool has_values = found && session_.trace().programs[*found].keep == trace::Keep::values;
    if (!has_values && fetch_ && is_in(session_.launch(), wanted) && fetch_(wanted) && !found)
      return fmt::format("Program {} is being recorded.\n", trace::text_of(wanted));
    if (!found)
      throw Error(fmt::format("program {} was not recorded", trace::text_of(wanted)),
                  fetch_ ? fmt::format("the grid is {} x {} x {} programs", session_.launch().grid[0],
                                       session_.launch().grid[1], session_.launch().grid[2])
                         : "`info programs` lists those that were");
    target = *found;
  }
  // The same place in the other program where it has one: programs of a kernel mostly walk in step.
  const std::uint32_t step =
      std::min(session_.now().step, static_cast<std::uint32_t>(session_.trace().programs[target].steps.size()));
  session_.go({target, step});
  return arrived({}, session_.now(), false);
}

std::string Debugger::lane(const Words& w) {
  if (w.rest.empty())
    return session_.lane() < 0 ? "no lane is followed\n" : fmt::format("following lane {}\n", session_.lane());
  if (w.rest == "off") {
    session_.set_lane(-1);
    return "[No lane is followed]\n";
  }
  const std::vector<std::int64_t> at = numbers(w.rest, "lane");
  if (at.empty() || *std::min_element(at.begin(), at.end()) < 0)
    throw Error(fmt::format("'{}' is not a lane", w.rest), "a number, or one an axis: lane 2,3");
  std::int64_t lane = at[0];
  if (at.size() > 1) {  // row-major in the blocks that have so many axes
    const trace::RecordedValue* block = nullptr;
    for (const Variable* v : session_.view().locals(session_.now().step, session_.frame())) {
      const std::int32_t index = session_.view().value_at(*v, session_.now().step);
      if (index >= 0 && session_.program().values[index].shape.rank == static_cast<int>(at.size()))
        block = &session_.program().values[index];
    }
    if (!block) throw Error(fmt::format("no variable here has {} axes", at.size()), "give the lane's row-major number");
    lane = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::int64_t n = block->shape[static_cast<int>(d)];
      if (at[d] >= n)
        throw Error(fmt::format("{} is outside 0 .. {} of axis {}", at[d], n - 1, d),
                    "`info locals` shows the blocks' shapes");
      lane = lane * n + at[d];
    }
  }
  std::int64_t largest = 0;
  for (const Variable* v : session_.view().locals(session_.now().step, session_.frame()))
    if (const std::int32_t value = session_.view().value_at(*v, session_.now().step); value >= 0)
      largest = std::max(largest, session_.program().values[value].shape.product());
  session_.set_lane(lane);
  const std::string note =
      lane >= largest && largest > 0
          ? fmt::format("  (no variable has it here: the largest block has the lanes 0 .. {})\n", largest - 1)
          : "";
  return fmt::format("[Following lane {} of every block]\n", lane) + note + info_locals();
}

std::string Debugger::frame(const Words& w) {
  if (!w.rest.empty()) {
    std::int64_t up = whole_number(w.rest, "frame");
    int f = session_.running_frame();
    for (; up > 0 && session_.view().frames()[f].parent >= 0; --up) f = session_.view().frames()[f].parent;
    if (up != 0) throw Error(fmt::format("there is no frame {}", w.rest), "`bt` lists them");
    session_.set_frame(f);
  }
  return frame_text(session_.frame()) + "\n";
}

std::string Debugger::up(const Words&) {
  const int parent = session_.view().frames()[session_.frame()].parent;
  if (parent < 0)
    throw Error("this is the kernel itself: nothing called it", "`down` goes the other way, `bt` shows all frames");
  session_.set_frame(parent);
  return frame_text(parent) + "\n";
}

std::string Debugger::down(const Words&) {
  int f = session_.running_frame();
  if (f == session_.frame())
    throw Error("this is the innermost frame", "`up` goes to its caller, `bt` shows all frames");
  while (session_.view().frames()[f].parent != session_.frame()) f = session_.view().frames()[f].parent;
  session_.set_frame(f);
  return frame_text(f) + "\n";
}

}  // namespace tl::debug
