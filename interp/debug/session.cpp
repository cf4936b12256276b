#include "interp/debug/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/stop_scope.h"
#include "interp/trace/merge.h"

namespace tl::debug {

Session::Session(trace::RecordedTrace recording) : trace_(std::move(recording)), sources_(trace_) {
  if (trace_.programs.empty())
    throw Error("this recording holds no program", "record a launch with at least one program");
  go({0, 0});
}

void Session::add(trace::RecordedTrace more, int launch) {
  const ProgramId here = program().id;
  const int of = program().launch;
  const bool is_at_end = now_.step >= program().steps.size();
  views_.clear();
  memory_.reset();
  trace::merge(trace_, std::move(more), launch);
  sources_ = Sources(trace_);
  now_.program = find_program(here, of).value_or(0);
  const auto steps = static_cast<std::uint32_t>(program().steps.size());
  go({now_.program, is_at_end ? steps : std::min(now_.step, steps)});
}

const ProgramView& Session::view(std::size_t program) {
  std::unique_ptr<ProgramView>& view = views_[program];
  if (!view) {
    if (views_.size() > 64)  // far apart from here: cheap to make again
      std::erase_if(views_, [&](const auto& entry) { return entry.second && entry.first != now_.program; });
    std::unique_ptr<ProgramView>& again = views_[program];
    again = std::make_unique<ProgramView>(trace_, program, sources_);
    return *again;
  }
  return *view;
}

trace::Memory& Session::memory(Moment at) {
  if (!memory_) memory_ = std::make_unique<trace::Memory>(trace_);
  memory_->seek(at);
  return *memory_;
}

void Session::go(Moment to) {
  now_ = to;
  frame_ = running_ = view().frame_before_calls(now_.step);
}

void Session::return_to(const Place& place) {
  now_ = place.now;
  running_ = place.running;
  frame_ = place.frame;
}

std::vector<Call> Session::calls() {
  const auto call_at = [&](int frame, int file, int token) {
    const SourceModel* const m = sources_.model(file);
    if (!m || token < 0) return Call{frame, file};
    return Call{frame, file, m->token(token).line, m->token(token).column};
  };
  const ProgramView& v = view();
  std::vector<Call> result;
  for (int f = running_, token = location().token; f >= 0; token = v.frames()[f].call, f = v.frames()[f].parent)
    result.push_back(call_at(f, v.frames()[f].file, token));
  Call& innermost = result.front();
  if (now_.step < v.steps()) {  // without its text: where the compiler put the op
    const trace::RecordedSite& site = v.step(now_.step).site;
    if (innermost.line == 0) innermost = {running_, site.file, site.line, site.column};
    return result;
  }
  // A program that has ended stands where it failed, or at the end of its kernel.
  if (const trace::RecordedFault* const fault = fault_here(); fault && fault->fault.site.file) {
    for (std::size_t file = 0; file < trace_.files.size(); ++file)
      if (trace_.files[file] == fault->fault.site.file)
        innermost = {running_, static_cast<int>(file), fault->fault.site.line, fault->fault.site.column};
  } else if (const SourceModel* const m = sources_.model(innermost.file); m && v.frames()[running_].function >= 0) {
    innermost = call_at(running_, innermost.file, m->functions()[v.frames()[running_].function].end);
  }
  return result;
}

OpLocation Session::location() { return view().location_in(now_.step, running_); }

std::optional<std::size_t> Session::find_program(ProgramId id, int launch) const {
  std::optional<std::size_t> result;
  for (std::size_t p = 0; p < trace_.programs.size(); ++p) {
    if (!(trace_.programs[p].id == id)) continue;
    if (launch < 0 ? trace_.programs[p].launch == program().launch : trace_.programs[p].launch == launch) return p;
    result = p;
  }
  return launch < 0 ? result : std::nullopt;
}

const trace::RecordedFault* Session::fault_here() const {
  for (const trace::RecordedFault& f : program().faults)
    if (f.step == now_.step) return &f;
  return nullptr;
}

// ---- movement
// --------------------------------------------------------------------------------------------------------------

// One op on or back, or into a helper whose first op is next, or back out of it. At a program's edge into its neighbour
// unless it must stay.
Session::Advance Session::advance(bool forwards, bool stay) {
  const auto steps = static_cast<std::uint32_t>(program().steps.size());
  if (forwards && now_.step < steps && running_ != view().frame_at(now_.step)) {
    running_ = view().callee_at(now_.step, running_);
    return Advance::frame;
  }
  if (!forwards && running_ != view().frame_before_calls(now_.step)) {
    running_ = view().frames()[running_].parent;
    return Advance::frame;
  }
  if (forwards && now_.step < steps) ++now_.step;
  else if (!forwards && now_.step > 0) --now_.step;
  else if (stay) return Advance::none;
  else if (forwards && now_.program + 1 < trace_.programs.size()) now_ = {now_.program + 1, 0};
  else if (!forwards && now_.program > 0)
    now_ = {now_.program - 1, static_cast<std::uint32_t>(trace_.programs[now_.program - 1].steps.size())};
  else return Advance::none;
  running_ = forwards ? view().frame_before_calls(now_.step) : view().frame_at(now_.step);
  return Advance::step;
}

Stop Session::move(bool forwards, bool stay, const std::function<bool()>& arrived) {
  Stop result;
  Moment reached = now_;
  int running = running_;
  try {
    while (true) {
      reached = now_;
      running = running_;
      end_if_stopped();
      const Advance how = advance(forwards, stay);
      if (how == Advance::none) {
        result.reason = stay ? (forwards ? StopReason::program_end : StopReason::program_start)
                             : (forwards ? StopReason::end : StopReason::start);
        break;
      }
      if (const Breakpoint* const b = hit(forwards, how, result.detail)) {
        result.reason = StopReason::breakpoint;
        result.breakpoint = b->number;
        break;
      }
      if (stops_at_faults_ && how == Advance::step && fault_here()) {
        result.reason = StopReason::fault;
        break;
      }
      if (arrived && arrived()) break;
    }
  } catch (const Stopped&) {  // before the moment whose stops are not decided yet
    now_ = reached;
    running_ = running;
    result = Stop{.reason = StopReason::interrupted, .detail = ""};
  }
  frame_ = running_;
  if (result.reason == StopReason::breakpoint) {
    const int number = result.breakpoint;
    std::erase_if(breakpoints_, [&](const Breakpoint& b) { return b.number == number && b.is_temporary; });
  }
  return result;
}

Stop Session::step(bool forwards) {
  return move(forwards, true, [] { return true; });
}

Stop Session::next(bool forwards) {
  const ProgramView& v = view();
  const int depth = v.depth(running_);
  return move(forwards, true, [&] {
    return now_.step < v.steps() && v.depth(running_) <= depth && v.starts_statement(now_.step, running_);
  });
}

Stop Session::finish() {
  const ProgramView& v = view();
  const int depth = v.depth(frame_);
  return move(true, true, [&] { return v.depth(running_) < depth; });
}

Stop Session::until(int line) {
  const ProgramView& v = view();
  const int frame = running_, depth = v.depth(frame), here = location().token;
  // An earlier line is reached in the next iteration of a loop: stop at its first statement exactly.
  const SourceModel* const text = v.model_of_frame(frame);
  const bool is_behind = text && line > 0 && here >= 0 && line <= text->token(here).line;
  const int behind = is_behind ? text->first_statement_line(line) : 0;
  return move(true, true, [&] {
    if (now_.step >= v.steps() || !v.starts_statement(now_.step, running_)) return false;
    const SourceModel* const m = v.model_of_frame(running_);
    const int token = location().token;
    if (behind > 0) {
      const int statement = location().statement;
      return running_ == frame && statement >= 0 && text->line_of(text->statements()[statement]) == behind;
    }
    if (line > 0) return running_ == frame && m && token >= 0 && m->token(token).line >= line;
    return v.depth(running_) < depth || (running_ == frame && token > here);
  });
}

Stop Session::run(bool forwards) { return move(forwards, false, nullptr); }

Stop Session::begin() {
  Stop here;
  if (const Breakpoint* const b = hit(true, Advance::none, here.detail)) {
    here.reason = StopReason::breakpoint;
    here.breakpoint = b->number;
  } else if (stops_at_faults_ && fault_here()) {
    here.reason = StopReason::fault;
  }
  return here.reason == StopReason::moved ? run(true) : here;
}

}  // namespace tl::debug
