// Ctrl-C ends the program at once, except while partial results are worth keeping: then the first Ctrl-C asks the work
// to stop, and the second ends the program.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace tl::run {

// Installs the handler of Ctrl-C.
void catch_interrupts();

// While one lives, Ctrl-C sets `stop_requested()` and nothing else; the outermost one begins with it unset.
class KeepOnInterrupt {
 public:
  // What a second Ctrl-C does. `comes_alone`: work that has not stopped after two seconds, a kernel's own endless loop,
  // is ended without one.
  enum class Second : unsigned char { ends_program, comes_alone, is_nothing_more };
  explicit KeepOnInterrupt(Second second = Second::ends_program);
  ~KeepOnInterrupt();
  KeepOnInterrupt(const KeepOnInterrupt&) = delete;

 private:
  Second before_;
};

const std::atomic<bool>& stop_requested();
// Clears the request, before the next piece of work begins.
void forget_interrupt();

// Runs `work`, which cannot be stopped, on a thread of its own. Returns false when Ctrl-C came and `work` did not end
// soon after; it then keeps running until the program ends.
bool done_before_interrupt(std::function<void()> work);
// Flushes what was printed and ends the program, whatever still runs.
[[noreturn]] void leave(int exit_code);

// Says on stderr that the work was interrupted, and what there is of it; returns the exit code.
int interrupted(const std::string& what = "");

}  // namespace tl::run
