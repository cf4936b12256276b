// The process between this program and its child. It adopts the processes that the child leaves behind, and ends all of
// them when the child ends or when this program does, for whatever reason.
#pragma once

#include <sys/types.h>

namespace tl::hostcc {

// A fork without what libraries ask to be called at one: LLVM's OpenMP begins anew in the child, and leaves a file in
// /dev/shm. Until it calls exec, the child may take no lock and no memory.
pid_t bare_fork();
// False where that is fork itself: before glibc 2.34, and under ThreadSanitizer, which has to see it.
extern const bool has_bare_fork;

// What the supervisor writes to `life` when nothing is left.
struct Outcome {
  int status = 0;  // of the child, as waitpid tells it
  int left = 0;    // processes that were still there when the child had ended
  double cpu_seconds = 0;
};

// To be called in a new process, which it ends; takes no lock and no memory. `become` makes a process the child and
// does not return. When the other end of the socket `life` is shut or gone, the child gets SIGXCPU, so that it may tell
// where it was, and soon SIGKILL. `scratch` is a folder to remove where nobody is left to do so.
// `make_process` is fork or bare_fork.
[[noreturn]] void supervise(int life, const char* scratch, void (*become)(const void*), const void* with,
                            pid_t (*make_process)() = bare_fork);

// Waits for the child, and collects what it adopted meanwhile, without waiting for that; false: the child still runs.
bool has_ended(pid_t child, Outcome&);
// A new process at the same terminal: true in it. This one waits for it, passes on the signals that it is sent itself,
// and then kills the processes that the child left behind, except those with a session of their own: an editor should
// outlive it. It ends as it was asked to. Where no process can be had, true: this one is the child. Must be called
// where no other thread runs.
bool fork_at_terminal(Outcome&);

}  // namespace tl::hostcc
