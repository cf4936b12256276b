// One focus in a recorded run, moved forwards and backwards: what the window, the terminal and the tests share.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "interp/debug/expression.h"
#include "interp/debug/program_view.h"
#include "interp/lang/pid_condition.h"
#include "interp/trace/memory.h"

namespace tl::debug {

using trace::Moment;

enum class BreakKind : unsigned char { line, store, load, access, fault, any_store, empty_mask, nan, wrong };

struct Breakpoint {
  int number = 0;
  BreakKind kind = BreakKind::line;
  std::string what;  // copy.h:9, out[37], catch oob
  bool is_enabled = true, is_temporary = false;
  std::int64_t ignore = 0, hits = 0;
  std::string condition;  // an expression; "": none
  PidCondition pid;
  int file = -1, line = 0;                // line
  std::set<int> statements;               // line: those that begin there
  std::string tensor;                     // load, store, access: its name, whatever its place among a launch's
  std::vector<std::int64_t> elements;     // of it, sorted
  std::set<FaultKind> faults;             // fault
  std::map<Moment, std::string> moments;  // wrong: stores, with what they store
};

enum class StopReason : unsigned char { moved, breakpoint, fault, program_end, program_start, end, start, interrupted };

struct Stop {
  StopReason reason = StopReason::moved;
  int breakpoint = 0;  // its number
  std::string detail;  // of a watchpoint: the cell, its old and its new value
};

// Where a debugger stands, to return to.
struct Place {
  Moment now;
  int running = 0, frame = 0;
};

// A call under way, and where it stands: at its next op, or at the call that it waits for.
struct Call {
  int frame = 0;
  int file = -1, line = 0, column = 0;  // line 0: not known
};

class Session {
 public:
  // Throws Error for a trace without programs.
  explicit Session(trace::RecordedTrace recording);

  const trace::RecordedTrace& trace() const { return trace_; }
  // Programs of a launch that were recorded later (trace/merge.h); the present moment stays.
  void add(trace::RecordedTrace more, int launch);
  const Sources& sources() const { return sources_; }
  const ProgramView& view(std::size_t program);
  const ProgramView& view() { return view(now_.program); }
  const trace::RecordedProgram& program() const { return trace_.programs[now_.program]; }
  const trace::RecordedLaunch& launch() const { return trace_.launches[program().launch]; }
  trace::Memory& memory() { return memory(now_); }  // at the current moment
  trace::Memory& memory(Moment at);

  Moment now() const { return now_; }
  int frame() const { return frame_; }            // selected for looking
  int running_frame() const { return running_; }  // of the op or the call next to execute
  OpLocation location();                          // of that op or call, in that frame
  std::int64_t lane() const { return lane_; }
  void set_lane(std::int64_t lane) { lane_ = lane; }
  void set_frame(int frame) { frame_ = frame; }
  void go(Moment to);
  Place place() const { return {now_, running_, frame_}; }
  void return_to(const Place& place);
  std::vector<Call> calls();  // that lead here, the innermost first
  std::optional<std::size_t> find_program(ProgramId id, int launch = -1) const;

  // Movement. `n`, `s` and their reverses stay within the program and its frame or deeper; `c` and `rc` run through all
  // programs.
  Stop step(bool forwards);
  Stop next(bool forwards);
  Stop finish();
  Stop until(int line);  // 0: past the current statement, out of a loop
  Stop run(bool forwards);
  Stop begin();  // as run(true), but a stop at the present moment counts
  void stop_at_faults(bool does) { stops_at_faults_ = does; }

  // Throws Error when no op stands at or after the line.
  Breakpoint& break_at(int file, int line);
  Breakpoint& watch(BreakKind kind, const std::string& cells);
  Breakpoint& add(Breakpoint b);
  std::vector<Breakpoint>& breakpoints() { return breakpoints_; }
  const trace::RecordedFault* fault_here() const;

  // Names as they stand at the current moment, in the selected frame.
  Resolve resolver();
  Resolve tensor_resolver();  // memory only: where a variable has a tensor's name, cells mean the tensor
  // What the kernel was given: its parameters' names with the arguments' texts.
  std::vector<std::pair<std::string, std::string>> arguments();

 private:
  Stop move(bool forwards, bool stay, const std::function<bool()>& arrived);
  enum class Advance : unsigned char { none, frame, step };
  Advance advance(bool forwards, bool stay);
  const Breakpoint* hit(bool forwards, Advance how, std::string& detail);
  bool line_is_hit(const Breakpoint& b);
  bool step_is_hit(const Breakpoint& b, Moment op, std::string& detail);
  std::optional<Operand> resolve(const std::string& name);
  std::optional<Operand> resolve_tensor(const std::string& name);
  TensorView tensor_view(int tensor);

  trace::RecordedTrace trace_;
  Sources sources_;
  std::map<std::size_t, std::unique_ptr<ProgramView>> views_;
  std::unique_ptr<trace::Memory> memory_;
  Moment now_;
  int frame_ = 0, running_ = 0;
  std::int64_t lane_ = -1;
  std::vector<Breakpoint> breakpoints_;
  int last_number_ = 0;
  bool stops_at_faults_ = true;
};

}  // namespace tl::debug
