// Moving forwards and backwards, and telling why it stopped.
#include <fmt/format.h>

#include <algorithm>

#include "interp/dap/adapter.h"
#include "interp/debug/fault_text.h"
#include "interp/debug/show.h"

namespace tl::dap {

using debug::BreakKind;
using debug::Session;
using debug::Stop;
using debug::StopReason;

// Once the response is on its way: a move may take long.
Json Adapter::move(const Move& how) {
  session();
  after_ = [this, how] { carry_out(how); };
  return {};
}

void Adapter::carry_out(const Move& how) {
  const debug::Moment from = session().now();
  const Stop stop = how(session());
  frames_.clear();
  opened_.clear();
  say_prints(from, session().now());
  const bool is_over = stop.reason == StopReason::end && (only_runs_ || session().now() == from);
  if (only_runs_) say_faults();
  if (is_over) end();
  else stopped(stop);
}

// What the kernel prints, where the move passed it.
void Adapter::say_prints(debug::Moment from, debug::Moment to) {
  std::size_t said = 0;
  for (debug::Moment at = from; at < to; at = {at.program + 1, 0}) {
    const trace::RecordedProgram& p = session().trace().programs[at.program];
    const auto end = at.program == to.program ? to.step : static_cast<std::uint32_t>(p.steps.size());
    for (std::uint32_t s = at.step; s < end; ++s)
      if (p.steps[s].op == trace::Op::print_if && p.steps[s].text >= 0) {
        if (++said > debug::most_lines) return say("stdout", "...\n");
        say("stdout", p.texts[p.steps[s].text] + "\n");
      }
  }
}

void Adapter::say_faults() {
  for (const trace::RecordedProgram& p : session().trace().programs)
    for (const trace::RecordedFault& f : p.faults) say("stderr", fault_text(f.fault));
}

void Adapter::stopped(const Stop& stop) {
  last_stop_ = stop;
  Json body{{"threadId", session().now().program + 1}, {"allThreadsStopped", true}};
  const trace::RecordedFault* const fault = session().fault_here();
  const auto say_why = [&](const char* reason, const std::string& description, const std::string& text = "") {
    body["reason"] = reason;
    if (!description.empty()) body["description"] = description;
    if (!text.empty()) body["text"] = text;
  };
  const std::string program = trace::text_of(session().program().id);
  switch (stop.reason) {
    case StopReason::moved: say_why("step", ""); break;
    case StopReason::program_end: say_why("step", fmt::format("program {} has ended", program)); break;
    case StopReason::program_start: say_why("step", fmt::format("program {} begins", program)); break;
    case StopReason::end: say_why("end", "the run has ended: step back, or continue to end the session"); break;
    case StopReason::start: say_why("start", "the start of the run"); break;
    case StopReason::interrupted: say_why("pause", ""); break;
    case StopReason::fault: say_why("exception", fault->fault.headline, fault->fault.headline); break;
    case StopReason::breakpoint: {
      const auto& all = session().breakpoints();
      const auto b = std::ranges::find(all, stop.breakpoint, &debug::Breakpoint::number);
      if (b == all.end()) {  // the kernel's own, or one that the console set for once
        say_why("breakpoint", stop.breakpoint == 0 ? "tl.breakpoint_if" : "");
        break;
      }
      body["hitBreakpointIds"] = {b->number};
      if (b->kind == BreakKind::line) say_why("breakpoint", "", stop.detail);
      else if (b->kind == BreakKind::fault) say_why("exception", fault->fault.headline, fault->fault.headline);
      else if (b->kind == BreakKind::store || b->kind == BreakKind::load || b->kind == BreakKind::access)
        say_why("data breakpoint", stop.detail, stop.detail);
      else say_why("exception", stop.detail, stop.detail);
    }
  }
  if (fault && body["reason"] == "exception") say("stderr", fault_text(fault->fault));
  event("stopped", body);
}

// As the terminal has it.
std::string Adapter::fault_text(const Fault& fault) {
  const auto& files = session().trace().files;
  const debug::SourceModel* model = nullptr;
  for (std::size_t f = 0; f < files.size(); ++f)
    if (fault.site.file && files[f] == fault.site.file) model = session().sources().model(static_cast<int>(f));
  return debug::fault_text(fault, model, {});
}

Json Adapter::exception_info(const Json& arguments) {
  const Look look(session(), place_of(integer_of(arguments, "threadId")));
  const trace::RecordedFault* const fault = session().fault_here();
  if (!fault) {
    if (last_stop_.detail.empty()) throw Error("no failure stands here", "`info programs` tells which programs failed");
    return {{"exceptionId", "event"}, {"description", last_stop_.detail}, {"breakMode", "always"}};
  }
  return {{"exceptionId", debug::name_of(fault->fault.kind)},
          {"description", fault_text(fault->fault)},
          {"breakMode", "always"},
          {"details", {{"message", fault->fault.headline}}}};
}

Json Adapter::move_thread(const Json& arguments, const Move& how) {
  session().return_to(place_of(integer_of(arguments, "threadId")));
  return move(how);
}

namespace {

// A statement, or an op where the editor steps through instructions.
Stop step(Session& s, const Json& arguments, bool forwards) {
  const bool by_op = text_of(arguments, "granularity", "statement") == "instruction";
  const std::size_t last = s.trace().programs.size() - 1;
  const debug::Moment now = s.now();
  if (forwards && now.step == s.view().steps()) {  // from a program's end into the next one
    if (now.program == last) return {.reason = StopReason::end, .detail = ""};
    s.go({now.program + 1, 0});
    return {};
  }
  if (!forwards && now.step == 0) {
    if (now.program == 0) return {.reason = StopReason::start, .detail = ""};
    s.go({now.program - 1, static_cast<std::uint32_t>(s.trace().programs[now.program - 1].steps.size())});
    return {};
  }
  return by_op ? s.step(forwards) : s.next(forwards);
}

}  // namespace

Json Adapter::continue_(const Json&) {
  move([](Session& s) { return s.run(true); });
  return {{"allThreadsContinued", true}};
}

Json Adapter::reverse_continue(const Json&) {
  return move([](Session& s) { return s.run(false); });
}

Json Adapter::next(const Json& arguments) {
  return move_thread(arguments, [arguments](Session& s) { return step(s, arguments, true); });
}

Json Adapter::step_back(const Json& arguments) {
  return move_thread(arguments, [arguments](Session& s) { return step(s, arguments, false); });
}

Json Adapter::step_in(const Json& arguments) {
  return move_thread(arguments, [](Session& s) { return step(s, {{"granularity", "instruction"}}, true); });
}

Json Adapter::step_out(const Json& arguments) {
  return move_thread(arguments, [](Session& s) { return s.finish(); });
}

Json Adapter::pause(const Json&) {
  session();
  return {};  // what ran has stopped as the request came in
}

}  // namespace tl::dap
