#include "interp/hostcc/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
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
      else if (pid) {
        f(pid);
        pid = 0;
      }
    }
  if (pid) f(pid);
  close(list);
}

// The children of a killed process become ours, so repeat until nothing is left.
void kill_all(pid_t child, Outcome& outcome) {
  for_each_child([&](pid_t pid) { outcome.left += pid != child; });
  while (true) {
    kill(-child, SIGKILL);  // its own group, where /proc lists no children
    for_each_child([](pid_t pid) { kill(pid, SIGKILL); });
    // All that have ended, before any is looked for again: what forks without end leaves tens of thousands.
    siginfo_t one{};
    while (waitid(P_ALL, 0, &one, WEXITED | WNOWAIT) < 0)
      if (errno != EINTR) return;
    has_ended(child, outcome);
  }
}

// Waits until the child ends, `milliseconds` at most (-1: for ever), or until the other end of the socket is shut down.
bool ends(pid_t child, Outcome& outcome, int life, int milliseconds, const sigset_t& without_block) {
  const struct timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  while (true) {
    if (has_ended(child, outcome)) return true;
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

bool has_ended(pid_t child, Outcome& outcome) {
  bool has = false;
  int status = 0;
  struct rusage used{};
  for (pid_t ended; (ended = wait4(-1, &status, WNOHANG, &used)) > 0;)
    if (ended == child) {
      has = true;
      outcome.status = status;
      outcome.cpu_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                            static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    }
  return has;
}

namespace {

int kill_left_behind() {
  int left = 0;
  for (int found = 1; found > 0; left += found) {  // again, since theirs become ours
    found = 0;
    for_each_child([&](pid_t pid) {
      if (getsid(pid) != getsid(0) || kill(pid, SIGKILL) != 0) return;
      found += waitpid(pid, nullptr, 0) == pid;
    });
  }
  return left;
}

// Waits for the child. It is to answer what somebody asks of this process: a terminal's Ctrl-C goes to both, a `kill`
// to this one alone. Where a kernel takes no notice of being asked to end, it is killed.
Outcome wait_for(pid_t child, const sigset_t& signals, int& asked_to_end) {
  Outcome outcome;
  const struct timespec two_seconds{2, 0};
  while (!has_ended(child, outcome)) {
    siginfo_t info{};
    const int signal = sigtimedwait(&signals, &info, asked_to_end ? &two_seconds : nullptr);
    if (signal == SIGCHLD) continue;
    if (signal > 0 && info.si_code <= 0) kill(child, signal);
    if (signal > 0 && signal != SIGINT) asked_to_end = signal;
    if (signal < 0 && errno == EAGAIN) kill(child, SIGKILL);
  }
  return outcome;
}

}  // namespace

bool fork_at_terminal(Outcome& outcome) {
  std::fflush(nullptr);
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int s : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, s);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &signals, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int asked_to_end = 0;
  const pid_t parent = getpid(), child = fork();
  if (child > 0) {
    outcome = wait_for(child, signals, asked_to_end);
    outcome.left = kill_left_behind();
  } else if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (asked_to_end) raise(asked_to_end);
  return child <= 0;
}

void supervise(int life, const char* scratch, void (*become)(const void*), const void* with, pid_t (*make_process)()) {
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
  const pid_t child = make_process();
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
    if (!ends(child, outcome, life, -1, before)) {
      kill(child, SIGXCPU);
      if (!ends(child, outcome, -1, 200, before)) kill(child, SIGKILL);
    }
    kill_all(child, outcome);
  }
  if (send(life, &outcome, sizeof outcome, MSG_NOSIGNAL) < 0) remove_entry(AT_FDCWD, scratch);
  _exit(0);
}

}  // namespace tl::hostcc
