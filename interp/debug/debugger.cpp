#include "interp/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tl::debug {

Debugger::Debugger(trace::RecordedTrace recording, DebuggerOptions options)
    : session_(std::move(recording)), options_(std::move(options)), paint_(options_.paint) {
  const PidCondition first = PidCondition::parse(options_.start);
  for (std::size_t p = 0; p < session_.trace().programs.size(); ++p) {
    if (!first.matches(session_.trace().programs[p].id)) continue;
    session_.go({p, 0});
    return;
  }
  throw Error(fmt::format("no recorded program fits '{}'", options_.start), fmt::format("{} programs were recorded", session_.trace().programs.size()));
}

const std::vector<Debugger::Command>& Debugger::commands() {
  using D = Debugger;
  static const std::vector<Command> all = {
      {"next", &D::next, true, "n [COUNT]", "the next statement, over helpers", "Forwards"},
      {"step", &D::step, true, "s [COUNT]", "the next op, into helpers", "Forwards"},
      {"continue", &D::continue_, true, "c [COUNT]", "on to the next stop, through all programs", "Forwards"},
      {"finish", &D::finish, true, "fin", "to the end of this helper", "Forwards"},
      {"until", &D::until, true, "until [LINE]", "out of a loop, or to a line", "Forwards"},
      {"rn", &D::reverse_next, true, "rn [COUNT]", "the statement before (reverse-next)", "Backwards"},
      {"rs", &D::reverse_step, true, "rs [COUNT]", "the op before (reverse-step)", "Backwards"},
      {"rc", &D::reverse_continue, true, "rc [COUNT]", "back to the last stop (reverse-continue)", "Backwards"},
      {"goto", &D::go_to, false, "goto STEP|start|end", "to a step of this program", "Backwards"},
      {"start", &D::start, false, "start", "to this program's first step", "Backwards"},
      {"end", &D::end, false, "end", "to this program's end", "Backwards"},
      {"program", &D::program, true, "program 2,0 | +1 | -1", "another program", "Focus"},
      {"lane", &D::lane, false, "lane 5 | 2,3 | off", "follow one lane of every block", "Focus"},
      {"frame", &D::frame, false, "frame N", "a frame of bt; up, down", "Focus"},
      {"up", &D::up, true, "up", "the caller's frame", "Focus"},
      {"down", &D::down, true, "down", "the callee's frame", "Focus"},
      {"break", &D::break_, false, "b LINE|FILE:LINE [if EXPR] [pid COND]", "stop at a line", "Stops"},
      {"tbreak", &D::tbreak, false, "tb LINE ...", "stop there once", "Stops"},
      {"watch", &D::watch, false, "watch out[37] | out[2, 0:8] ...", "stop when a cell is stored to; rc finds who did", "Stops"},
      {"rwatch", &D::rwatch, false, "rwatch CELLS", "stop when a cell is loaded", "Stops"},
      {"awatch", &D::awatch, false, "awatch CELLS", "stop when a cell is loaded or stored", "Stops"},
      {"catch", &D::catch_, false, "catch oob|nan|race|uninit|mask-empty|store", "stop at such an event", "Stops"},
      {"condition", &D::condition, false, "condition N [EXPR]", "give a stop a condition, or none", "Stops"},
      {"ignore", &D::ignore, false, "ignore N COUNT", "pass it so many times", "Stops"},
      {"delete", &D::delete_, false, "del [N]", "remove a stop, or all", "Stops"},
      {"disable", &D::disable, false, "disable [N]", "keep it but do not stop", "Stops"},
      {"enable", &D::enable, false, "enable [N]", "stop again", "Stops"},
      {"print", &D::print, false, "p EXPR, p/x EXPR, p x[3:7]", "a value, a tensor, arithmetic, any all max min sum", "Looking"},
      {"display", &D::display, false, "display [EXPR]", "print it at every stop", "Looking"},
      {"undisplay", &D::undisplay, false, "undisplay [N]", "no longer", "Looking"},
      {"x", &D::examine, true, "x/8f out[16]", "so many cells of memory: f, d or x", "Looking"},
      {"whatis", &D::whatis, false, "whatis NAME", "its dtype, shape and birth", "Looking"},
      {"list", &D::list, true, "l [LINE]", "the kernel's text", "Looking"},
      {"backtrace", &D::backtrace, false, "bt", "the calls that lead here", "Looking"},
      {"info", &D::info, false, "info locals|args|programs|tensors|b", "what there is", "Looking"},
      {"history", &D::history, false, "history out[37]", "every load and store of a cell, in order", "Looking"},
      {"who", &D::who, false, "who out[37]", "which programs and lanes touched it", "Looking"},
      {"help", &D::help, false, "help [COMMAND]", "this", "Other"},
      {"quit", &D::quit, false, "q", "leave", "Other"},
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

// An exact name, one of the hands' short forms, or an unambiguous prefix.
const Debugger::Command& Debugger::find(const std::string& word) {
  static const std::map<std::string, std::string> short_forms = {
      {"n", "next"}, {"s", "step"}, {"c", "continue"}, {"b", "break"}, {"tb", "tbreak"}, {"p", "print"}, {"l", "list"}, {"bt", "backtrace"},
      {"d", "delete"}, {"h", "help"}, {"u", "until"}, {"i", "info"}, {"f", "frame"}, {"w", "watch"}, {"reverse-next", "rn"}, {"reverse-step", "rs"},
      {"reverse-continue", "rc"}, {"where", "backtrace"}, {"r", "start"}, {"run", "start"}, {"exit", "quit"}, {"nexti", "step"}, {"stepi", "step"}, {"si", "step"}, {"ni", "step"}};
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
  if (candidates.find(',') != std::string::npos) throw Error(fmt::format("{} could be {}", word, candidates), "type one letter more");
  return *found;
}

namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::string Debugger::execute(const std::string& typed) {
  std::string line = trimmed(typed);
  if (line.empty()) line = last_line_;
  last_line_.clear();
  if (line.empty() || line[0] == '#') return "";
  try {
    Words words;
    std::size_t end = 0;
    while (end < line.size() && (std::isalpha(static_cast<unsigned char>(line[end])) || (line[end] == '-' && end > 0))) ++end;
    words.command = line.substr(0, end);
    if (end < line.size() && line[end] == '/') {
      for (++end; end < line.size() && !std::isspace(static_cast<unsigned char>(line[end])); ++end) {
        const char c = line[end];
        if (std::isdigit(static_cast<unsigned char>(c)) && words.count < 1'000'000) words.count = words.count * 10 + (c - '0');
        else if (c == 'x' || c == 'd' || c == 'f') words.format = c;
        else throw Error(fmt::format("/{} is no format", c), "x, d or f, after a count: x/8f");
      }
    }
    words.rest = trimmed(std::string_view(line).substr(end));
    const Command& command = find(words.command);
    const std::string result = (this->*command.handler)(words);
    if (command.repeats) last_line_ = line;
    return result;
  } catch (const Error& e) {
    return e.what() + (e.fix.empty() ? std::string() : "\n  fix: " + e.fix) + "\n";
  }
}

std::string Debugger::prompt() const { return fmt::format("{} {}> ", trace::text_of(session_.program().id), session_.now().step); }

std::string Debugger::focus_text() const {
  return fmt::format("[Switching focus to program {}, step {}]\n", trace::text_of(session_.program().id), session_.now().step);
}

std::string Debugger::file_name(int file) const {
  const std::string& name = session_.trace().files[static_cast<std::size_t>(file)];
  return name.substr(name.rfind('/') + 1);
}

std::string Debugger::greeting() {
  const trace::RecordedTrace& t = session_.trace();
  const trace::RecordedLaunch& launch = session_.launch();
  std::string result = fmt::format("{}: ", paint_(Color::bold, short_name(launch.kernel)));
  if (t.launches.size() > 1) result = fmt::format("{} kernels, the first is {}: ", t.launches.size(), result.substr(0, result.size() - 2));
  result += fmt::format("recorded {} program{}, {} ops. `help` lists the commands, `q` leaves.\n", t.programs.size(), t.programs.size() == 1 ? "" : "s", t.steps());
  for (const std::string& note : t.notes) result += "  " + note + "\n";
  std::int64_t faults = 0;
  const Fault* first = nullptr;
  for (const trace::RecordedProgram& p : t.programs)
    for (const trace::RecordedFault& f : p.faults) {
      if (!first) first = &f.fault;
      ++faults;
    }
  if (first) result += paint_(Color::red, fmt::format("{} failure{}; the first in program {}: {}", faults, faults == 1 ? "" : "s", trace::text_of(first->program), first->headline)) + "\n  `c` goes there, and from there `rn` goes back.\n";
  result += focus_text();
  shown_program_ = session_.now().program;
  shown_frame_ = session_.frame();
  return result + place_text() + (session_.fault_here() && session_.program().steps.empty() ? fault_text(session_.fault_here()->fault, nullptr, paint_) : "");
}

std::string Debugger::help(const Words& words) {
  if (!words.rest.empty()) {
    const Command& c = find(words.rest);
    return fmt::format("{}: {}\n", c.usage, c.help);
  }
  std::string result, group;
  for (const Command& c : commands()) {
    if (group != c.group) result += paint_(Color::bold, group = c.group) + "\n";
    result += fmt::format("  {:<38} {}\n", c.usage, c.help);
  }
  return result + "Enter repeats a movement. Any beginning of a name that is not another's will do.\n";
}

std::string Debugger::quit(const Words&) {
  is_done_ = true;
  return "";
}

std::vector<std::string> Debugger::completions(const std::string& line) {
  std::vector<std::string> result;
  const std::size_t space = line.find_last_of(" (+-*/[,");
  const std::string word = space == std::string::npos ? line : line.substr(space + 1);
  const auto offer = [&](const std::string& candidate) {
    if (candidate.starts_with(word)) result.push_back(candidate);
  };
  if (space == std::string::npos) {
    for (const std::string& name : command_names()) offer(name);
    return result;
  }
  for (const char* fixed : line.starts_with("i") ? std::vector<const char*>{"locals", "args", "programs", "tensors", "breakpoints"}
                         : line.starts_with("cat") ? std::vector<const char*>{"oob", "nan", "race", "uninit", "mask-empty", "store"} : std::vector<const char*>{}) offer(fixed);
  for (const Variable* v : session_.view().locals(session_.now().step, session_.frame())) offer(v->name);
  for (const trace::RecordedTensor& t : session_.launch().tensors) offer(t.name);
  return result;
}

}  // namespace tl::debug
