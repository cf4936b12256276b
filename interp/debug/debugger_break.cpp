// Stops: breakpoints, watchpoints, catchpoints.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "interp/debug/debugger.h"
#include "interp/debug/stop_words.h"
#include "interp/debug/stops.h"
#include "interp/debug/syntax.h"
#include "interp/debug/text_place.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"

namespace tl::debug {
namespace {

std::int64_t number_in(const std::string& text) {
  std::int64_t result = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc{} && end == text.data() + text.size() ? result : -1;
}

}  // namespace

std::string Debugger::set_break(const Words& w, bool is_temporary) {
  const StopWords p = parse_stop(w.rest);
  std::string words = p.location;
  if (words.empty() && session_.now().step < session_.view().steps())
    words = std::to_string(session_.view().step(session_.now().step).site.line);
  if (words.empty())
    throw Error("a stop needs a line or a function's name",
                "b 12, b offsets.h:20 or b twice, then [if EXPR] [pid COND]: b 12 if any(offs > 100)");
  const TextPlace place =
      place_called(words, session_.view().frames()[session_.frame()].file, session_.trace(), session_.sources());
  Breakpoint& b = session_.break_at(place.file, place.line);
  b.condition = p.condition;
  b.pid = p.pid;
  b.is_temporary = is_temporary;
  return fmt::format("{} {} at {}{}{}\n", is_temporary ? "Temporary breakpoint" : "Breakpoint", b.number, b.what,
                     b.condition.empty() ? "" : " if " + b.condition,
                     b.pid.always() ? "" : " in programs " + b.pid.text());
}

std::string Debugger::break_(const Words& w) { return set_break(w, false); }
std::string Debugger::tbreak(const Words& w) { return set_break(w, true); }

std::string Debugger::set_watch(const Words& w, BreakKind kind, const char* name) {
  const StopWords p = parse_stop(w.rest);
  if (p.location.empty())
    throw Error(fmt::format("{} needs cells", name), fmt::format("{} out[37], {} out[2, 0:8]", name, name));
  Breakpoint& b = session_.watch(kind, p.location);
  b.condition = p.condition;
  b.pid = p.pid;
  return fmt::format("Watchpoint {}: {} ({} cell{})\n", b.number, b.what, b.elements.size(),
                     b.elements.size() == 1 ? "" : "s");
}

std::string Debugger::watch(const Words& w) { return set_watch(w, BreakKind::store, "watch"); }
std::string Debugger::rwatch(const Words& w) { return set_watch(w, BreakKind::load, "rwatch"); }
std::string Debugger::awatch(const Words& w) { return set_watch(w, BreakKind::access, "awatch"); }

namespace {

std::int64_t count_of(const trace::RecordedTrace& trace, const Breakpoint& b) {
  auto found = static_cast<std::int64_t>(b.moments.size());
  for (const trace::RecordedProgram& p : trace.programs) {
    if (!b.pid.matches(p.id)) continue;
    end_if_stopped();
    for (const trace::RecordedFault& f : p.faults)
      found += b.kind == BreakKind::fault && b.faults.contains(f.fault.kind);
    for (const trace::RecordedAccess& a : p.accesses)
      found += (b.kind == BreakKind::any_store && stores_something(a)) ||
               (b.kind == BreakKind::empty_mask && has_empty_mask(a));
    if (b.kind == BreakKind::nan)
      found += std::count_if(p.steps.begin(), p.steps.end(), [&](const trace::Step& s) {
        end_if_stopped();
        return makes_nan(p, s);
      });
  }
  return found;
}

}  // namespace

std::string Debugger::catch_(const Words& w) {
  const StopWords p = parse_stop(w.rest);
  Breakpoint b = caught(p.location);
  b.condition = p.condition;
  b.pid = p.pid;
  b = session_.add(std::move(b));
  return fmt::format(
      "Catchpoint {} ({})\n  {} in this recording{}; `c` and `rc` go from one to the next\n", b.number, p.location,
      count_of(session_.trace(), b),
      b.kind == BreakKind::fault ? ", which tells each line's once, in the program that comes to it first" : "");
}

Breakpoint& Debugger::breakpoint(const std::string& number) {
  const std::int64_t wanted = number_in(trimmed(number));
  for (Breakpoint& b : session_.breakpoints())
    if (b.number == wanted) return b;
  throw Error(number.empty() ? "a stop's number is needed here" : fmt::format("there is no stop number {}", number),
              "`info b` lists them");
}

std::string Debugger::delete_(const Words& w) {
  if (w.rest.empty()) {
    const std::size_t n = session_.breakpoints().size();
    session_.breakpoints().clear();
    return fmt::format("{} deleted\n", n);
  }
  const int number = breakpoint(w.rest).number;
  std::erase_if(session_.breakpoints(), [&](const Breakpoint& b) { return b.number == number; });
  return fmt::format("{} deleted\n", number);
}

std::string Debugger::disable(const Words& w) {
  for (Breakpoint& b : session_.breakpoints())
    if (w.rest.empty() || &b == &breakpoint(w.rest)) b.is_enabled = false;
  if (!w.rest.empty()) breakpoint(w.rest);
  return info_breakpoints();
}

std::string Debugger::enable(const Words& w) {
  for (Breakpoint& b : session_.breakpoints())
    if (w.rest.empty() || &b == &breakpoint(w.rest)) b.is_enabled = true;
  if (!w.rest.empty()) breakpoint(w.rest);
  return info_breakpoints();
}

std::string Debugger::ignore(const Words& w) {
  const std::size_t space = w.rest.find(' ');
  const std::int64_t times = space == std::string::npos ? -1 : number_in(trimmed(w.rest.substr(space)));
  if (times < 0) throw Error("ignore needs a stop's number and a count", "ignore 1 5");
  Breakpoint& b = breakpoint(w.rest.substr(0, space));
  b.ignore = times;
  return fmt::format("{} will be passed {} time{}\n", b.number, times, times == 1 ? "" : "s");
}

std::string Debugger::condition(const Words& w) {
  const std::size_t space = w.rest.find(' ');
  Breakpoint& b = breakpoint(w.rest.substr(0, space));
  const std::string wanted = space == std::string::npos ? "" : trimmed(w.rest.substr(space));
  if (!wanted.empty()) parse(wanted);
  b.condition = wanted;
  return b.condition.empty() ? fmt::format("{} stops always\n", b.number)
                             : fmt::format("{} stops if {}\n", b.number, b.condition);
}

std::string Debugger::info_breakpoints() {
  if (session_.breakpoints().empty()) return "No stops are set.\n";
  std::string result =
      paint_(Color::bold, fmt::format("{:>3}  {:<6} {:<8} {:>4}  {}", "Num", "Kind", "Enabled", "Hits", "Where")) +
      "\n";
  for (const Breakpoint& b : session_.breakpoints()) {
    const char* const kind = b.kind == BreakKind::line     ? "break"
                             : b.kind == BreakKind::store  ? "watch"
                             : b.kind == BreakKind::load   ? "rwatch"
                             : b.kind == BreakKind::access ? "awatch"
                                                           : "catch";
    result += fmt::format("{:>3}  {:<6} {:<8} {:>4}  {}{}{}{}{}\n", b.number, kind, b.is_enabled ? "yes" : "no", b.hits,
                          b.what, b.condition.empty() ? "" : " if " + b.condition,
                          b.pid.always() ? "" : " pid " + b.pid.text(), b.is_temporary ? " (once)" : "",
                          b.ignore ? fmt::format(" (passes {} more)", b.ignore) : "");
  }
  return result;
}

}  // namespace tl::debug
