// The commands by name, and what help says of each.
#include <fmt/format.h>

#include "interp/debug/debugger.h"

namespace tl::debug {

const std::vector<Debugger::Command>& Debugger::commands() {
  using D = Debugger;
  static const std::vector<Command> all = {
      {"next", &D::next, true, "n [COUNT]", "the next statement, over helpers", "Forwards",
       "n, n 5, Enter: once more. What the statement gave its variables is printed, and the line that comes next."},
      {"step", &D::step, true, "s [COUNT]", "the next op, into helpers", "Forwards",
       "s, s 10. One op is one entry of the recording: a statement such as x + y * 2 has two."},
      {"continue", &D::continue_, true, "c [COUNT]", "on to the next stop, through all programs", "Forwards",
       "c, c 3: to the third stop. Stops are breakpoints, watched cells, caught events, failures, tl.breakpoint_if."},
      {"finish", &D::finish, true, "fin", "to the end of this helper", "Forwards",
       "fin. In the kernel itself: to the end of the program."},
      {"until", &D::until, true, "until [LINE]", "out of a loop, or to a line", "Forwards",
       "until: past this statement, which leaves a loop at its end; until 25: to line 25."},
      {"rn", &D::reverse_next, true, "rn [COUNT]", "the statement before (reverse-next)", "Backwards",
       "rn, rn 5. n and then rn is where you were."},
      {"rs", &D::reverse_step, true, "rs [COUNT]", "the op before (reverse-step)", "Backwards",
       "rs, rs 10. s and then rs is where you were."},
      {"rc", &D::reverse_continue, true, "rc [COUNT]", "back to the last stop (reverse-continue)", "Backwards",
       "rc, rc 2. `watch out[37]`, then rc: the last store to that cell."},
      {"goto", &D::go_to, false, "goto STEP|start|end", "to a step of this program", "Backwards",
       "goto 17: before step 17; the number before > in the prompt is the step."},
      {"start", &D::start, false, "start", "to this program's first step", "Backwards", ""},
      {"end", &D::end, false, "end", "to this program's end", "Backwards", ""},
      {"program", &D::program, true, "program 2,0 | +1 | -1", "another program", "Focus",
       "program 2: the program whose program_id(0) is 2; program 2,0,1 of a grid of three axes; program +1: the next "
       "one recorded.\n  It is looked at in the same step, where it has one."},
      {"lane", &D::lane, false, "lane 5 | 2,3 | off", "follow one lane of every block", "Focus",
       "lane 5: the sixth element of every block is told beside it; lane 2,3: row 2, column 3; lane off."},
      {"frame", &D::frame, false, "frame N", "a frame of bt; up, down", "Focus",
       "frame 1: the caller of what runs, as bt numbers them; p and info locals then look there."},
      {"up", &D::up, true, "up", "the caller's frame", "Focus", "up: p and info locals then look at the caller."},
      {"down", &D::down, true, "down", "the callee's frame", "Focus", ""},
      {"break", &D::break_, false, "b LINE|NAME|FILE:LINE [if EXPR] [pid COND]", "stop at a line or a function",
       "Stops",
       "b 12, b offsets.h:20, b twice: where the function begins, b 12 if any(offs > 100), b 12 if k_start == 32 pid "
       "'>0,=1'.\n  EXPR is one value: of a "
       "block any(...) or all(...).\n  A condition on program ids: one term an axis, = == != < <= > >= and a number, "
       "an empty one fits all."},
      {"tbreak", &D::tbreak, false, "tb LINE ...", "stop there once", "Stops", "tb 14, tb 14 if pid == 2."},
      {"watch", &D::watch, false, "watch out[37] | out[2, 0:8] ...", "stop when a cell is stored to; rc finds who did",
       "Stops",
       "watch out[37], watch out[2, 0:8], watch out: every cell. c goes to the next store there, rc to the last one."},
      {"rwatch", &D::rwatch, false, "rwatch CELLS", "stop when a cell is loaded", "Stops",
       "rwatch x[17], then c: the next load of that cell."},
      {"awatch", &D::awatch, false, "awatch CELLS", "stop when a cell is loaded or stored", "Stops",
       "awatch x[17], then c or rc."},
      {"catch", &D::catch_, false, "catch fault|oob|nan|race|uninit|wrong|mask-empty|store", "stop at such an event",
       "Stops",
       "fault: any failure; oob: outside a tensor; nan: the first op that makes a NaN of none; race: two programs, one "
       "cell; uninit: a "
       "read of what nobody wrote;\n  wrong: the last store to an element that is wrong at the end; mask-empty: a load "
       "or store whose lanes are all masked off; store: any store. "
       "catch nan pid '=1'."},
      {"condition", &D::condition, false, "condition N [EXPR]", "give a stop a condition, or none", "Stops",
       "condition 1 any(x < 0); condition 1: no condition any more. `info b` gives the numbers."},
      {"ignore", &D::ignore, false, "ignore N COUNT", "pass it so many times", "Stops",
       "ignore 1 5: breakpoint 1 is passed five times."},
      {"delete", &D::delete_, false, "del [N]", "remove a stop, or all", "Stops", "del 2; del: all of them."},
      {"disable", &D::disable, false, "disable [N]", "keep it but do not stop", "Stops",
       "disable 2; disable: all of them."},
      {"enable", &D::enable, false, "enable [N]", "stop again", "Stops", "enable 2; enable: all of them."},
      {"print", &D::print, false, "p EXPR, p/x EXPR, p x[3:7]",
       "a value, a tensor, arithmetic, any all max sum exp ...", "Looking",
       "p offs, p acc[0, 0:4], p max(row), p x + y, p any(offs > n), p out: the tensor as it is at this step; p/x "
       "offs: hexadecimal.\n  ? stands for memory that nobody has written yet."},
      {"display", &D::display, false, "display [EXPR]", "print it at every stop", "Looking",
       "display acc[0, 0]; display: what is displayed now."},
      {"undisplay", &D::undisplay, false, "undisplay [N]", "no longer", "Looking",
       "undisplay 1; undisplay: all of them."},
      {"x", &D::examine, true, "x/8f out[16]", "so many cells of memory: f, d or x", "Looking",
       "x/8f out[16]: eight cells from out[16] on; x/4x, x/4d. Padding between rows is seen as well."},
      {"whatis", &D::whatis, false, "whatis NAME", "its dtype, shape and birth", "Looking", "whatis offs."},
      {"list", &D::list, true, "l [LINE|NAME]", "the kernel's text", "Looking",
       "l, again: further on; l 20: around line 20; l twice: around that function."},
      {"backtrace", &D::backtrace, false, "bt", "the calls that lead here", "Looking",
       "bt. The innermost call is first; * marks the one that p looks at."},
      {"info", &D::info, false, "info locals|args|programs|tensors|b", "what there is", "Looking",
       "info locals: the variables; args: what the kernel was given; programs; tensors: memory as it is now; b: the "
       "stops."},
      {"history", &D::history, false, "history out[37]", "every load and store of a cell, in order", "Looking",
       "history out[37], history out[0, 0:4]. `-- now --` is where you stand."},
      {"who", &D::who, false, "who out[37]", "which programs and lanes touched it", "Looking",
       "who out[37], who a[0, 0:16]. More than one program that stores is a race."},
      {"why", &D::why, false, "why out[37]", "why it is not what the reference says, as `run` tells it", "Looking",
       "why out[37], why y[3, 5]. `catch wrong` and `c` go to the store."},
      {"help", &D::help, false, "help [COMMAND]", "this", "Other", "help break, help b."},
      {"quit", &D::quit, false, "q", "leave", "Other", "q, or Ctrl-D."},
  };
  return all;
}

const std::vector<std::string>& Debugger::command_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Command& c : commands()) result.emplace_back(c.name);
    return result;
  }();
  return names;
}

// An exact name, a usual abbreviation, or an unambiguous prefix.
const Debugger::Command& Debugger::find(const std::string& word) {
  static const std::map<std::string, std::string> short_forms = {{"n", "next"},
                                                                 {"s", "step"},
                                                                 {"c", "continue"},
                                                                 {"b", "break"},
                                                                 {"tb", "tbreak"},
                                                                 {"p", "print"},
                                                                 {"l", "list"},
                                                                 {"bt", "backtrace"},
                                                                 {"d", "delete"},
                                                                 {"h", "help"},
                                                                 {"u", "until"},
                                                                 {"i", "info"},
                                                                 {"f", "frame"},
                                                                 {"w", "watch"},
                                                                 {"reverse-next", "rn"},
                                                                 {"reverse-step", "rs"},
                                                                 {"reverse-continue", "rc"},
                                                                 {"where", "backtrace"},
                                                                 {"r", "start"},
                                                                 {"run", "start"},
                                                                 {"exit", "quit"},
                                                                 {"nexti", "step"},
                                                                 {"stepi", "step"},
                                                                 {"si", "step"},
                                                                 {"ni", "step"}};
  const auto form = short_forms.find(word);
  const std::string wanted = form == short_forms.end() ? word : form->second;
  const Command* found = nullptr;
  std::string candidates;
  for (const Command& c : commands()) {
    if (wanted == c.name) return c;
    if (!std::string_view(c.name).starts_with(wanted)) continue;
    found = &c;
    candidates += (candidates.empty() ? "" : ", ") + std::string(c.name);
  }
  if (!found) throw Error(fmt::format("no command is called {}", word), "`help` lists them");
  if (candidates.find(',') != std::string::npos)
    throw Error(fmt::format("{} could be {}", word, candidates), "type one letter more");
  return *found;
}

bool Debugger::knows(const std::string& word) {
  try {
    return find(word).name;
  } catch (const Error&) {
    return false;
  }
}

bool Debugger::only_looks(const std::string& word) {
  return knows(word) && find(word).group == std::string_view("Looking");
}

std::string Debugger::help(const Words& words) {
  if (!words.rest.empty()) {
    const Command& c = find(words.rest);
    return fmt::format("{}: {}\n{}", c.usage, c.help, *c.examples ? fmt::format("  {}\n", c.examples) : "");
  }
  std::string result, group;
  for (const Command& c : commands()) {
    if (group != c.group) result += paint_(Color::bold, group = c.group) + "\n";
    result += fmt::format("  {:<42} {}\n", c.usage, c.help);
  }
  return result +
         "`help COMMAND` shows examples. Enter repeats a movement. Any beginning of a name that is not another's will "
         "do.\n";
}

}  // namespace tl::debug
