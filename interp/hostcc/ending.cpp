#include "interp/hostcc/ending.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "interp/cpu/last_op.h"
#include "interp/hostcc/supervisor.h"

namespace tl::hostcc {

namespace {

Note* note = nullptr;

// The rest takes no lock and no memory: a signal handler calls it.
template <std::size_t size>
void copy(char (&to)[size], const char* from) {
  for (std::size_t i = 0; i + 1 < size && (to[i] = from[i]); ++i) {
  }
}

void write_place() {
  struct rusage used{};
  getrusage(RUSAGE_SELF, &used);
  note->kib = used.ru_maxrss;
  const cpu::LastOp *const some = cpu::some_last_op, own = cpu::last_op,
                           &last = own.location.site().line || !some ? own : *some;
  const Site site = last.location.site();
  if (site.line == 0) return;
  copy(note->file, site.file);
  copy(note->op, trace::text_of(last.op));
  note->line = site.line;
  note->column = site.column;
  const ProgramId p = last.program;
  note->program[0] = p.x;
  note->program[1] = p.y;
  note->program[2] = p.z;
}

std::uintptr_t stack_pointer([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.sp;
#else
  return 0;
#endif
}

void on_crash(int number, siginfo_t* info, void* context) {
  if (number == SIGSEGV && info->si_code > 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr), stack = stack_pointer(context);
    note->is_null = address < 4096;
    note->is_deep = address + (64 << 10) > stack && address < stack + (64 << 10);
  }
  write_place();
  signal(number, SIG_DFL);
  raise(number);
}

// A kernel's exit: no destructor may run, since other threads are still at work.
void on_kernels_exit(int status, void*) {
  if (note->has_returned) return;
  write_place();
  _exit(status);
}

}  // namespace

Note* shared_note(int fd) {
  void* const page =
      mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  return page == MAP_FAILED ? nullptr : static_cast<Note*>(page);
}

void keep(Note* of_parent) {
  static Note unread;
  note = of_parent ? of_parent : &unread;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  cpu::may_crash_here();
  struct sigaction action{};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // Also where AddressSanitizer has its own handlers: it would report an error of this program, and exit.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP, SIGXCPU})
    sigaction(number, &action, nullptr);
  on_exit(on_kernels_exit, nullptr);
}

void has_returned() {
  if (!note) return;
  note->has_returned = true;
  note->has_closed_output = fcntl(STDOUT_FILENO, F_GETFD) == -1 || fcntl(STDERR_FILENO, F_GETFD) == -1;
}

void complete(Ending& e, const Outcome& outcome, double cpu_seconds_allowed, const Note& of_child) {
  if (WIFEXITED(outcome.status)) e.exit_code = WEXITSTATUS(outcome.status);
  if (WIFSIGNALED(outcome.status)) e.signal = WTERMSIG(outcome.status);
  e.left = outcome.left;
  e.note = of_child;
  e.note.file[sizeof e.note.file - 1] = e.note.op[sizeof e.note.op - 1] = 0;  // a kernel may write everywhere
  // A kernel that takes no notice of SIGXCPU gets SIGKILL at last; the system counts by its ticks.
  const bool used_up = e.signal == SIGXCPU || (e.signal == SIGKILL && outcome.cpu_seconds > cpu_seconds_allowed - 0.5);
  if (used_up && !e.timed_out() && !e.stopped)
    e.time_limit = fmt::format("{:g} seconds of processor time", cpu_seconds_allowed);
}

std::string words_of(const Ending& e) {
  if (e.stopped) return "was stopped";
  if (e.timed_out()) return "did not come to an end within " + e.time_limit;
  switch (e.signal) {
    case 0:
      if (e.note.has_closed_output) return "closed the output of the process it ran in";
      return fmt::format("ended the process it ran in (exit code {})", e.exit_code);
    case SIGSEGV:
    case SIGBUS:
      if (e.note.is_null) return "crashed: it read or wrote through a null pointer";
      if (e.note.is_deep)
        return "crashed: its stack is full: a function called itself without end, or an array is large";
      return "crashed: it reached memory that is not its own";
    case SIGFPE: return "crashed: it divided an integer by zero";
    case SIGABRT: return "crashed: it aborted: it threw something, or its memory was overwritten";
    case SIGILL:
    case SIGTRAP: return "crashed: it came to a trap: what C++ leaves undefined, or __builtin_trap";
    case SIGSYS: return "starts another process";  // confine() ended it: a spawn blocks the signal that tells so
    case SIGXFSZ: return "was ended: it wrote a file without end";
    case SIGKILL: return "was killed: the memory did not suffice, or somebody ended it";
    default: return fmt::format("was ended by signal {} ({})", e.signal, strsignal(e.signal));
  }
}

std::string fix_of(const Ending& e) {
  if (e.timed_out()) return "look for a loop that never ends: what changes from one round to the next?";
  if (e.note.has_closed_output) return "a kernel leaves files alone that it did not open";
  if (e.signal == 0) return "a kernel returns; it does not call exit";
  if (e.signal == SIGSYS) return "a kernel is one function on blocks: it calls ops, and nothing else";
  if (e.signal == SIGFPE) return "which / or % has a right side that can be 0?";
  if (e.note.is_null) return "look for a pointer that was never set; malloc gives null beyond what there is";
  return "ops on tl are always checked; look for plain C++: a function that calls itself, a throw, a write through a "
         "pointer or an array";
}

}  // namespace tl::hostcc
