// Answers an editor's requests with the debugger: one recording, and the present moment in it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interp/dap/elements.h"
#include "interp/dap/protocol.h"
#include "interp/debug/debugger.h"

namespace tl::dap {

// The arguments of `launch`, as one would type them behind `tilescope trace`.
struct LaunchRequest {
  std::string program;               // relu.h, softmax, run.tltrace
  std::vector<std::string> words;    // of its case: each one or several of n=1000 BLOCK=64
  std::vector<std::string> options;  // --seed 3
  std::string folder;                // where it is read; "": here
  std::string condition = {};        // on programs: such alone keep their values
};

// Throws Error with what the terminal says; Stopped soon after `stop` becomes true.
using Record = std::function<trace::RecordedTrace(const LaunchRequest& request, const std::atomic<bool>& stop)>;
// Why a cell is as it is, in the words of `tilescope run`.
using Why =
    std::function<std::string(const LaunchRequest& request, const std::string& cell, const std::atomic<bool>& stop)>;
using Send = std::function<void(const Json& message)>;

class Adapter {
 public:
  Adapter(Record record, Send send, const std::atomic<bool>& stop, Why why = {});

  void handle(const Json& message);
  void refuse(const Error& damage);  // of a message that could not be read
  bool is_done() const { return is_done_; }

 private:
  using Handler = Json (Adapter::*)(const Json& arguments);  // returns the body of the response
  static const std::map<std::string, Handler>& handlers();
  Json answer(const Json& request);
  void respond(const Json& request, const Error* refused, Json body);
  void event(const std::string& name, Json body = Json::object());
  void say(const std::string& category, const std::string& text);  // in the editor's console
  debug::Debugger& debugger();                                     // throws Error before launch
  debug::Session& session() { return debugger().session(); }

  // the session itself (adapter.cpp)
  Json initialize(const Json&), launch(const Json&), configuration_done(const Json&), terminate(const Json&),
      disconnect(const Json&);
  void end();
  int exit_code();
  debug::DebuggerOptions debugger_options(const std::string& start);

  // where it stops (adapter_stops.cpp)
  Json set_breakpoints(const Json&), set_function_breakpoints(const Json&), set_data_breakpoints(const Json&),
      set_exception_breakpoints(const Json&), data_breakpoint_info(const Json&);
  using Make = std::function<debug::Breakpoint&()>;
  Json set_stop(const Json& wanted, std::vector<int>& numbers, const Make& make);
  void forget_stops(std::vector<int>& numbers);

  // moving (adapter_moves.cpp)
  Json continue_(const Json&), reverse_continue(const Json&), next(const Json&), step_in(const Json&),
      step_out(const Json&), step_back(const Json&), pause(const Json&), exception_info(const Json&);
  using Move = std::function<debug::Stop(debug::Session&)>;
  Json move(const Move& how);                                // of all programs
  Json move_thread(const Json& arguments, const Move& how);  // of one
  void carry_out(const Move& how);
  void stopped(const debug::Stop& stop);
  void say_prints(debug::Moment from, debug::Moment to);
  void say_faults();
  std::string fault_text(const Fault& fault);

  // looking (adapter_looks.cpp)
  Json threads(const Json&), stack_trace(const Json&), scopes(const Json&), variables(const Json&);
  enum class Scope : unsigned char { variables, arguments, tensors };
  struct Part {
    std::shared_ptr<const Elements> whole;
    Index index;
  };
  struct Opened {  // what a variablesReference stands for, until the next move
    debug::Place place;
    std::variant<Scope, Part> what;
  };
  debug::Place place_of(std::int64_t thread);
  int open(const debug::Place& place, std::variant<Scope, Part> what);
  const Opened& opened(std::int64_t reference) const;
  Json variable(const debug::Place& place, const std::string& name, const Part& part);
  Json members(const Opened& of), elements(const Opened& of, std::int64_t start, std::int64_t count);

  // computing (adapter_console.cpp)
  Json evaluate(const Json&), completions(const Json&);
  Elements evaluated(const std::string& expression);
  Json console(const std::string& line);

  // texts (adapter_sources.cpp)
  Json source(const Json&), loaded_sources(const Json&);
  std::string path_of(int file);  // on the disk, where that holds the text which ran; "": nowhere
  Json source_of(int file);
  int file_of(const Json& source);  // throws Error

  Record record_;
  Why why_;
  Send send_;
  const std::atomic<bool>& stop_;
  std::optional<debug::Debugger> debugger_;
  std::function<void()> after_;  // what follows the response
  LaunchRequest request_;
  int first_line_ = 1, first_column_ = 1;  // as the client counts
  bool shows_progress_ = false, stops_on_entry_ = false, only_runs_ = false, is_done_ = false;
  std::map<int, std::vector<int>> line_stops_;  // numbers of breakpoints, by file
  std::vector<int> function_stops_, data_stops_, exception_stops_;
  debug::Stop last_stop_;
  std::vector<debug::Place> frames_;  // a frameId is a place here, from 1
  std::vector<Opened> opened_;
};

// Puts the debugger at a place for as long as it lives.
class Look {
 public:
  Look(debug::Session& session, const debug::Place& at) : session_(session), before_(session.place()) {
    session.return_to(at);
  }
  ~Look() { session_.return_to(before_); }
  Look(const Look&) = delete;

 private:
  debug::Session& session_;
  debug::Place before_;
};

// An Error's text, as the terminal prints it.
std::string whole_text(const Error& e);

}  // namespace tl::dap
