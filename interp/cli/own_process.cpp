#include "interp/cli/own_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "interp/report/exit_codes.h"
#include "interp/report/fault_text.h"
#include "interp/report/terminal.h"

namespace tl::cli {
namespace {

std::string why(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS: return "reached memory that is not its own, or a function called itself without end";
    case SIGFPE: return "divided an integer by zero in plain C++";
    case SIGABRT: return "aborted: it threw something, or its memory was overwritten";
    case SIGILL:
    case SIGTRAP: return "came to a trap: what C++ leaves undefined, or __builtin_trap";
    case SIGKILL: return "was killed: the machine's memory did not suffice, or somebody ended it";
    default: return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  }
}

pid_t child = -1;

void pass_on(int signal) { kill(child, signal); }

// Ends as the child did, where somebody asked it to.
void end_if_asked(int signal) {
  for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT})
    if (signal == asked) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
}

}  // namespace

void go_on_in_own_process(const char* kernel) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  child = fork();
  if (child < 0) return;  // as well as it goes without
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(report::exit_failed);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    return;
  }
  std::signal(SIGINT, SIG_IGN);  // the child's to answer, at a terminal it gets it as well
  for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, pass_on);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  end_if_asked(WTERMSIG(status));
  std::fputs(
      report::error_report(
          fmt::format("{} {}", kernel, why(WTERMSIG(status))),
          "ops on tl are always checked: look for plain C++, an array, a pointer, a recursion, a throw; where there is "
          "none, the mistake is tilescope's: please report it",
          report::paint_of(stderr))
          .c_str(),
      stderr);
  _exit(report::exit_failed);
}

}  // namespace tl::cli
