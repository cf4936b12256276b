#include "interp/hostcc/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "interp/lang/unfinished.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TL_UNDER_TSAN 1
#endif
#endif
#if defined(__GLIBC_PREREQ) && !defined(TL_UNDER_TSAN) && !defined(__SANITIZE_THREAD__)
#if __GLIBC_PREREQ(2, 34)
#define TL_HAS_BARE_FORK 1
#endif
#endif

namespace tl::hostcc {

namespace {

void close_all_but(int fd) {
  const auto close_range = [](unsigned first, unsigned last) {
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
    for (unsigned i = first; i <= last && i < 4096; ++i) close(static_cast<int>(i));  // a kernel without it
  };
  if (fd > 0) close_range(0, static_cast<unsigned>(fd) - 1);
  close_range(static_cast<unsigned>(fd) + 1, ~0u);
}

// Calls `f` for every process whose parent this one is, orphans taken in included.
template <class F>
void for_each_child(const F& f) {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  char text[4096];
  pid_t pid = 0;
  for (ssize_t n; (n = read(list, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < n; ++i) {
      if (text[i] >= '0' && text[i] <= '9') pid = pid * 10 + (text[i] - '0');
      else if (pid) f(pid), pid = 0;
    }
  if (pid) f(pid);
  close(list);
}

// The children of a killed process become ours, so repeat until nothing is left.
int kill_all(pid_t child, int& status) {
  int left = 0;
  for_each_child([&](pid_t pid) { left += pid != child; });
  while (true) {
    kill(-child, SIGKILL);  // its own group, where /proc lists no children
    for_each_child([](pid_t pid) { kill(pid, SIGKILL); });
    // All that have ended, before any is looked for again: what forks without end leaves tens of thousands.
    int its_status = 0;
    pid_t ended = waitpid(-1, &its_status, 0);
    for (; ended > 0; ended = waitpid(-1, &its_status, WNOHANG))
      if (ended == child) status = its_status;
    if (ended < 0 && errno != EINTR) return left;
  }
}

// Waits until the child ends, `milliseconds` at most (-1: for ever), or until the other end of the socket is shut down.
bool ends(pid_t child, int& status, int life, int milliseconds, const sigset_t& without_block) {
  const struct timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  while (true) {
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == child) return true;
    struct pollfd end{life, POLLIN, 0};
    const int said = ppoll(&end, life >= 0, milliseconds < 0 ? nullptr : &time, &without_block);
    if (said > 0 || (said == 0 && milliseconds >= 0)) return false;
  }
}

}  // namespace

#ifdef TL_HAS_BARE_FORK
const bool has_bare_fork = true;
pid_t bare_fork() { return _Fork(); }
#else
const bool has_bare_fork = false;
pid_t bare_fork() { return fork(); }
#endif

void supervise(int life, const char* scratch, void (*become)(const void*), const void* with) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // A signal sent to the program must neither end its supervisor first nor run the program's handlers here.
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(ignored, SIG_IGN);
  signal(SIGCHLD, [](int) {});
  sigset_t child_ended, before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_SETMASK, &child_ended, &before);
  sigemptyset(&before);
  Outcome outcome;
  const pid_t child = bare_fork();
  if (child == 0) {
    for (int s = 1; s < NSIG; ++s) signal(s, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    become(with);
    _exit(127);
  }
  close_all_but(life);
  if (child < 0) outcome.status = 126 << 8;
  else {
    setpgid(child, child);  // in both processes, since either may run first
    if (!ends(child, outcome.status, life, -1, before)) {
      kill(child, SIGXCPU);
      if (!ends(child, outcome.status, -1, 200, before)) kill(child, SIGKILL);
    }
    outcome.left = kill_all(child, outcome.status);
  }
  if (send(life, &outcome, sizeof outcome, MSG_NOSIGNAL) < 0) remove_entry(AT_FDCWD, scratch);
  _exit(0);
}

}  // namespace tl::hostcc
