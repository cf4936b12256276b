// How a process that runs somebody's kernel ended, and the words for it.
#pragma once

#include <cstdint>
#include <string>

namespace tl::hostcc {

struct Outcome;  // interp/hostcc/supervisor.h

// What the process writes down for its parent, on a page that both share.
struct Note {
  bool has_returned = false;       // it comes to its own end, so that an exit from here on is not the kernel's
  bool has_closed_output = false;  // at that end
  bool is_null = false;            // the address that could not be reached is null, or near it
  bool is_deep = false;            // it lies at the end of the stack
  std::int64_t kib = 0;            // the most memory that it had
  char file[256] = {};             // the place of the op that ended last, and the program; line 0: none did
  char op[32] = {};
  int line = 0, column = 0;
  std::int64_t program[3] = {};
};

struct Ending {
  int exit_code = -1;      // where it ended by itself
  int signal = 0;          // that ended it
  int left = 0;            // processes that it had started and not waited for, and that were killed
  bool stopped = false;    // somebody wanted no more of it
  bool has_left = false;   // it went by an exit of the kernel's, whose code says nothing
  std::string time_limit;  // that it reached: "4 seconds of processor time"; "": it did not
  Note note;

  bool timed_out() const { return !time_limit.empty(); }
  bool ok() const { return exit_code == 0 && signal == 0 && !has_left && !timed_out() && !stopped; }
};

// Adds what the supervisor saw, and what the child wrote down.
void complete(Ending&, const Outcome&, double cpu_seconds_allowed, const Note&);

// What the kernel did, behind its name: "crashed: it divided an integer by zero". And what may mend it.
std::string words_of(const Ending&);
std::string fix_of(const Ending&);

// Such a page: shared with forked processes, or with others by a file (descriptor `fd`).
Note* shared_note(int fd = -1);
// In the process that may crash: from here on it writes `note` as it ends, and a crash writes no core file.
void keep(Note* note);
// Before it ends by itself; without a note of its own nothing happens. A signal handler may call it.
void has_returned();

}  // namespace tl::hostcc
