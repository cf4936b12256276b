// Ctrl-C ends the program at once, except where somebody keeps what there is by then: there the first only asks the
// work at hand to end in order, and the second ends the program.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace tl::run {

// From here on the program says that it was interrupted when it is.
void catch_interrupts();

// While one lives, Ctrl-C sets `stop_requested()` and nothing else; the outermost one begins with it unset.
class KeepOnInterrupt {
 public:
  enum class Second : unsigned char { ends_program, is_nothing_more };
  explicit KeepOnInterrupt(Second second = Second::ends_program);
  ~KeepOnInterrupt();
  KeepOnInterrupt(const KeepOnInterrupt&) = delete;

 private:
  Second before_;
};

const std::atomic<bool>& stop_requested();
// What was asked has ended, and the next thing begins.
void forget_interrupt();

// Does `work`, which cannot be asked to end, on a thread of its own. False: Ctrl-C came and `work` did not end soon
// after; it goes on beside whoever then
// tells what there is, and ends with the program.
bool done_before_interrupt(std::function<void()> work);
// Ends the program with what was printed, whatever else still runs.
[[noreturn]] void leave(int exit_code);

// Says on stderr that the work was interrupted, and what there is of it; returns the exit code.
int interrupted(const std::string& what = "");

}  // namespace tl::run
