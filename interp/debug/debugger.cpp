#include "interp/debug/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::debug {

Debugger::Debugger(trace::RecordedTrace recording, DebuggerOptions options)
    : session_(std::move(recording)), options_(std::move(options)), paint_(options_.paint) {
  const PidCondition first = PidCondition::parse(options_.start);
  for (std::size_t p = 0; p < session_.trace().programs.size(); ++p) {
    if (!first.matches(session_.trace().programs[p].id)) continue;
    session_.go({p, 0});
    return;
  }
  throw Error(fmt::format("no recorded program fits '{}'", options_.start),
              fmt::format("{} programs were recorded, {} to {}", session_.trace().programs.size(),
                          trace::text_of(session_.trace().programs.front().id),
                          trace::text_of(session_.trace().programs.back().id)));
}

std::string Debugger::execute(const std::string& typed) {
  std::string line = trimmed(typed);
  if (line.empty()) line = last_line_;
  last_line_.clear();
  refused_.reset();
  if (line.empty() || line[0] == '#') return "";
  try {
    Words words;
    std::size_t end = 0;
    while (end < line.size() && (std::isalpha(static_cast<unsigned char>(line[end])) || (line[end] == '-' && end > 0)))
      ++end;
    words.command = line.substr(0, end);
    if (end < line.size() && line[end] == '/') {
      for (++end; end < line.size() && !std::isspace(static_cast<unsigned char>(line[end])); ++end) {
        const char c = line[end];
        if (std::isdigit(static_cast<unsigned char>(c)) && words.count < 1'000'000)
          words.count = words.count * 10 + (c - '0');
        else if (c == 'x' || c == 'd' || c == 'f') words.format = c;
        else throw Error(fmt::format("/{} is not a format", c), "x, d or f, after a count: x/8f");
      }
      if (words.count == 0 && line.compare(words.command.size(), 2, "/0") == 0)
        throw Error("a count of 0 asks for nothing", "x/8f");
    }
    words.rest = trimmed(std::string_view(line).substr(end));
    if (words.command.empty()) throw Error(fmt::format("'{}' is not a command", line), "`help` lists them");
    const Command& command = find(words.command);
    const std::string result = (this->*command.handler)(words);
    if (command.repeats) last_line_ = line;
    return result;
  } catch (const Stopped& e) {
    refused_ = e;
    return "Interrupted.\n";
  } catch (const Error& e) {
    refused_ = e;
    return e.what() + (e.fix.empty() ? std::string() : "\n  fix: " + e.fix) + "\n";
  }
}

std::string Debugger::prompt() const {
  return fmt::format("{} {}> ", trace::text_of(session_.program().id), session_.now().step);
}

std::string Debugger::focus_text() const {
  return fmt::format("[Switching focus to program {}, step {}]\n", trace::text_of(session_.program().id),
                     session_.now().step);
}

std::string Debugger::file_name(int file) const {
  const std::string& name = session_.trace().files[file];
  return name.substr(name.rfind('/') + 1);
}

std::string Debugger::greeting() {
  const trace::RecordedTrace& t = session_.trace();
  const trace::RecordedLaunch& launch = session_.launch();
  std::string result = fmt::format("{}: ", paint_(Color::bold, short_name(launch.kernel)));
  if (t.launches.size() > 1)
    result = fmt::format("{} kernels, the first is {}: ", t.launches.size(), result.substr(0, result.size() - 2));
  result += fmt::format("recorded {} program{}, {} ops. `help` lists the commands, `q` leaves.\n", t.programs.size(),
                        t.programs.size() == 1 ? "" : "s", t.steps());
  for (const std::string& note : t.notes) result += "  " + note + "\n";
  std::int64_t faults = 0;
  const Fault* first = nullptr;
  for (const trace::RecordedProgram& p : t.programs)
    for (const trace::RecordedFault& f : p.faults) {
      if (f.fault.kind == FaultKind::stopped && f.fault.fix.empty()) continue;  // by Ctrl-C, as the notes say
      if (!first) first = &f.fault;
      ++faults;
    }
  if (first)
    result += paint_(Color::red, fmt::format("{} failure{}; the first in program {}: {}", faults,
                                             faults == 1 ? "" : "s", trace::text_of(first->program), first->headline)) +
              "\n  `c` goes there, and from there `rn` goes back.\n";
  result += focus_text();
  shown_program_ = session_.now().program;
  shown_frame_ = session_.frame();
  return result + location_text() +
         (session_.fault_here() && session_.program().steps.empty()
              ? fault_text(session_.fault_here()->fault, nullptr, paint_)
              : "");
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
  for (const char* fixed :
       line.starts_with("i") ? std::vector<const char*>{"locals", "args", "programs", "tensors", "breakpoints"}
       : line.starts_with("cat")
           ? std::vector<const char*>{"fault", "oob", "nan", "race", "uninit", "mask-empty", "store"}
           : std::vector<const char*>{})
    offer(fixed);
  for (const Variable* v : session_.view().locals(session_.now().step, session_.frame())) offer(v->name);
  for (const trace::RecordedTensor& t : session_.launch().tensors) offer(t.name);
  return result;
}

}  // namespace tl::debug
