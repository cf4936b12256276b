// The debugger's commands: a line in, what to print out. Knows no terminal.
#pragma once

#include "interp/debug/session.h"
#include "interp/debug/show.h"

namespace tl::debug {

inline constexpr std::size_t most_lines = 200;  // of an answer; the rest is counted

struct DebuggerOptions {
  Paint paint;
  std::string start;  // a condition on program ids: begin at the first program that fits. "": at the first of all
  // Why an element of a tensor's storage is as it is: asked of the case, as `run` tells it. None: the case is not
  // there.
  std::function<std::string(const std::string& tensor, std::int64_t element)> why = {};
};

class Debugger {
 public:
  explicit Debugger(trace::RecordedTrace recording, DebuggerOptions options = {});

  Session& session() { return session_; }
  // For a recording of some programs: asks for one whose values, or all of it, are missing. True: it will come.
  void fetch_by(std::function<bool(ProgramId)> fetch) { fetch_ = std::move(fetch); }
  const std::optional<Error>& refused() const { return refused_; }  // why the last command was
  bool is_done() const { return is_done_; }
  std::string prompt() const;  // `(1,0,0) 4> `
  std::string greeting();      // what was recorded, where it failed, and the first line
  // Carries out one line; an empty one repeats the last. Errors are part of the returned text.
  std::string execute(const std::string& line);

  static const std::vector<std::string>& command_names();  // for completion
  static bool knows(const std::string& word);              // as a command, or short for one
  static bool only_looks(const std::string& word);         // such a command, which moves and changes nothing
  std::vector<std::string> completions(const std::string& line);

 private:
  struct Words {
    std::string command, rest;  // rest: trimmed
    char format = 0;            // p/x
    std::int64_t count = 0;     // x/8f
  };
  using Handler = std::string (Debugger::*)(const Words&);
  struct Command {
    const char* name;
    Handler handler;
    bool repeats;  // by Enter
    const char* usage;
    const char* help;
    const char* group;
    const char* examples;
  };
  static const std::vector<Command>& commands();
  static const Command& find(const std::string& word);

  // movement (debugger_move.cpp)
  std::string next(const Words&), step(const Words&), continue_(const Words&), finish(const Words&),
      until(const Words&);
  std::string reverse_next(const Words&), reverse_step(const Words&), reverse_continue(const Words&);
  std::string go_to(const Words&), start(const Words&), end(const Words&), program(const Words&), lane(const Words&);
  std::string up(const Words&), down(const Words&), frame(const Words&);
  std::string repeat(const Words&, const std::function<Stop()>& move, bool forwards);
  std::string arrived(const Stop& stop, Moment from, bool forwards, int from_frame = 0);

  // breakpoints (debugger_break.cpp)
  std::string break_(const Words&), tbreak(const Words&), delete_(const Words&), disable(const Words&),
      enable(const Words&), ignore(const Words&);
  std::string condition(const Words&), watch(const Words&), rwatch(const Words&), awatch(const Words&),
      catch_(const Words&);
  std::string set_break(const Words&, bool is_temporary);
  std::string set_watch(const Words&, BreakKind kind, const char* name);
  std::string info_breakpoints();
  Breakpoint& breakpoint(const std::string& number);

  // looking (debugger_look.cpp), at memory (debugger_memory.cpp)
  std::string print(const Words&), display(const Words&), undisplay(const Words&), examine(const Words&),
      whatis(const Words&), list(const Words&);
  int fault_line(int file);
  std::string backtrace(const Words&), info(const Words&), history(const Words&), who(const Words&), why(const Words&),
      help(const Words&), quit(const Words&);
  std::string info_locals(), info_arguments(), info_programs(), info_tensors();
  std::string display_text();
  std::string location_text();  // the line of the op next to execute
  std::string frame_text(int frame);
  std::string focus_text() const;
  std::string file_name(int file) const;                                     // its last part
  std::pair<int, std::vector<std::int64_t>> cells(const std::string& text);  // tensor, sorted elements

  Session session_;
  DebuggerOptions options_;
  Paint paint_;
  std::function<bool(ProgramId)> fetch_;
  bool is_done_ = false;
  std::string last_line_;
  std::optional<Error> refused_;
  std::vector<std::string> displays_;
  int shown_frame_ = -1;  // what the reader saw last
  std::size_t shown_program_ = ~std::size_t{0};
  int list_from_ = 0, list_file_ = -1;  // where `l` goes on
};

}  // namespace tl::debug
