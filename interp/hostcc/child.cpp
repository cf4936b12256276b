#include "interp/hostcc/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "interp/hostcc/supervisor.h"
#include "interp/lang/error.h"
#include "interp/lang/unfinished.h"

namespace tl::hostcc {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_output = std::size_t{256} << 10;
constexpr int result_fd = 3, note_fd = 4;

[[noreturn]] void no_child() {
  throw Error(std::string("no child process: ") + std::strerror(errno), "close some programs");
}

// Both ends close with the object.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) no_child();
    read = ends[0];
    write = ends[1];
    // above the descriptors that the child hands on, so that dup2 overwrites none of them
    for (int* end : {&read, &write})
      if (*end <= note_fd) {
        const int higher = fcntl(*end, F_DUPFD_CLOEXEC, note_fd + 1);
        ::close(*end);
        *end = higher;
      }
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  void close_read() { close(read); }
  void close_write() { close(write); }

 private:
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

void limit(int what, rlim_t value, rlim_t beyond = 0) {
  const struct rlimit l{value, value + beyond};
  setrlimit(static_cast<__rlimit_resource_t>(what), &l);
}

// What the child becomes: a program, or without one a copy of this process that does some work.
struct Start {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;
  const std::function<void()>* work = nullptr;
};

struct Child {
  const Start& start;
  int in, out, err, result, note_file;
  Note* note;
  rlim_t processes;
  const ChildLimits& limits;
};

// Between fork and exec, where only async-signal-safe calls are allowed.
void become(const void* with) {
  const Child& s = *static_cast<const Child*>(with);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(s.limits.cpu_seconds), 2);  // SIGXCPU first, which says why
  limit(RLIMIT_FSIZE, static_cast<rlim_t>(s.limits.file_bytes));
  // Limits data, not addresses, of which threads and CUDA reserve far more. Only the soft limit: the worker lifts it
  // before it uses a GPU.
  struct rlimit data{};
  if (s.limits.memory_bytes > 0 && getrlimit(RLIMIT_DATA, &data) == 0) {
    data.rlim_cur = std::min(data.rlim_max, static_cast<rlim_t>(s.limits.memory_bytes));
    setrlimit(RLIMIT_DATA, &data);
  }
  // The limit counts all of a user's processes and threads, so that those outside are added to it.
  struct sysinfo now{};
  struct rlimit processes{};
  if (sysinfo(&now) == 0 && getrlimit(RLIMIT_NPROC, &processes) == 0)
    limit(RLIMIT_NPROC, std::min(processes.rlim_max, static_cast<rlim_t>(now.procs + s.processes)));
  if (dup2(s.in, 0) < 0 || dup2(s.out, 1) < 0 || dup2(s.err, 2) < 0 || dup2(s.result, result_fd) < 0 ||
      (s.start.folder && chdir(s.start.folder) != 0))
    _exit(126);
  if (s.start.work) {
    keep(s.note);
    (*s.start.work)();
    has_returned();
    _exit(0);
  }
  if (dup2(s.note_file, note_fd) < 0) _exit(126);
  execve(s.start.program, s.start.argv, s.start.environment);
  _exit(127);
}

// Ends in null, as execve takes them.
std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(std::vector<std::string> variables) {
  const std::size_t own = variables.size();
  for (char** v = environ; *v; ++v) {
    const std::string name(*v, std::strcspn(*v, "=") + 1);
    if (std::none_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(own),
                     [&](const std::string& set) { return set.starts_with(name); }))
      variables.emplace_back(*v);
  }
  return variables;
}

void append(std::string& to, const char* data, std::size_t count) {
  if (to.size() < most_output) to.append(data, std::min(count, most_output - to.size()));
}

}  // namespace

std::string in_path(const std::string& command) {
  if (command.empty()) return "";
  if (command.find('/') != std::string::npos) return access(command.c_str(), X_OK) == 0 ? command : "";
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate = path.substr(begin, end - begin) + "/" + command;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
    begin = end + 1;
  }
  return "";
}

namespace {

// A socket between this process and the supervisor, which ends everything when our end is shut down or closed.
struct Life {
  int ours = -1, theirs = -1;
  Life() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) no_child();
    ours = ends[0];
    theirs = ends[1];
  }
  ~Life() {
    close(ours);
    close_theirs();
  }
  Life(const Life&) = delete;
  void close_theirs() {
    if (theirs >= 0) close(theirs);
    theirs = -1;
  }
};

// A child that does not read its input must not end us.
struct NoBrokenPipe {
  struct sigaction before{};
  NoBrokenPipe() {
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &before);
  }
  ~NoBrokenPipe() { sigaction(SIGPIPE, &before, nullptr); }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
};

// What goes in and out until the child and all that it started have ended: then the supervisor says so. A child may
// close its ends long before.
void talk(Pipe& in, Pipe& out, Pipe& err, Pipe& result, int life, const std::string& input, const ChildLimits& limits,
          const std::function<void(const std::string& line)>& on_line, ChildResult& r) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  std::size_t sent = 0, reported = 0;
  for (bool is_over = false, has_read = true; !is_over || has_read;) {
    if (sent == input.size()) in.close_write();
    std::array<pollfd, 5> fds{{{out.read, POLLIN, 0},
                               {err.read, POLLIN, 0},
                               {result.read, POLLIN, 0},
                               {in.write, POLLOUT, 0},
                               {is_over ? -1 : life, POLLIN, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (!r.timed_out() && !r.stopped && !is_over) {
      if (left <= 0) r.time_limit = fmt::format("{:g} seconds", limits.seconds);
      r.stopped = limits.stop && *limits.stop;
      if (r.timed_out() || r.stopped) shutdown(life, SHUT_WR);
    }
    const long long wait = limits.stop ? 50 : 1000;
    if (poll(fds.data(), fds.size(), is_over ? 0 : static_cast<int>(std::clamp<long long>(left, 1, wait))) < 0) {
      if (errno != EINTR) break;
      continue;
    }
    is_over |= fds[4].revents != 0;
    if (fds[3].revents & (POLLERR | POLLHUP)) sent = input.size();
    else if (fds[3].revents & POLLOUT)
      if (const ssize_t n = write(in.write, input.data() + sent, input.size() - sent); n > 0)
        sent += static_cast<std::size_t>(n);
    std::string* const texts[] = {&r.out, &r.err, &r.result};
    Pipe* const pipes[] = {&out, &err, &result};
    has_read = false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      char data[4096];
      const ssize_t n = read(fds[i].fd, data, sizeof data);
      has_read |= n > 0;
      if (n > 0) append(*texts[i], data, static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR) pipes[i]->close_read();
    }
    for (std::size_t at; on_line && (at = r.result.find('\n', reported)) != std::string::npos; reported = at + 1)
      on_line(r.result.substr(reported, at - reported));
  }
}

ChildResult run(const Start& start, const std::string& scratch, const std::string& input, const ChildLimits& limits,
                const std::function<void(const std::string& line)>& on_line) {
  Pipe in, out, err, result;
  Life life;
  const int note_file = memfd_create("note", MFD_CLOEXEC);
  if (note_file < 0 || ftruncate(note_file, sizeof(Note)) != 0) no_child();
  Note* const note = shared_note(note_file);
  if (!note) no_child();
  const Child child{start,        in.read,   out.write, err.write,
                    result.write, note_file, note,      256 + 2 * std::thread::hardware_concurrency(),
                    limits};
  const pid_t supervisor = start.work ? fork() : bare_fork();
  if (supervisor < 0) no_child();
  if (supervisor == 0) {
    close(life.ours);
    for (const int ours : {in.write, out.read, err.read, result.read}) close(ours);
    supervise(life.theirs, scratch.c_str(), become, &child, start.work ? fork : bare_fork);
  }
  close(note_file);
  in.close_read();
  out.close_write();
  err.close_write();
  result.close_write();
  life.close_theirs();
  fcntl(in.write, F_SETFL, O_NONBLOCK);
  const NoBrokenPipe quiet;
  ChildResult r;
  talk(in, out, err, result, life.ours, input, limits, on_line, r);
  Outcome outcome{.status = SIGKILL};  // where the child killed its supervisor
  while (recv(life.ours, &outcome, sizeof outcome, 0) < 0 && errno == EINTR) {
  }
  while (waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  r.has_left = start.work && !note->has_returned;
  complete(r, outcome, limits.cpu_seconds, *note);
  munmap(note, sizeof(Note));
  return r;
}

}  // namespace

void keep_note_for_parent() {
  keep(shared_note(note_fd));
  close(note_fd);
}

ChildResult run_child(const std::vector<std::string>& argv, const fs::path& folder, const std::string& input,
                      const ChildLimits& limits, const std::function<void(const std::string& line)>& on_line) {
  const std::string path = in_path(argv.front());
  if (path.empty()) throw Error("there is no program \"" + argv.front() + "\" to run", "check PATH");
  std::optional<TemporaryFolder> own_scratch;
  const std::string scratch = limits.scratch.empty() ? own_scratch.emplace().path() : limits.scratch;
  const std::string where = folder.empty() ? scratch : folder.string();
  std::vector<std::string> variables = limits.variables;
  variables.push_back("TMPDIR=" + scratch);
  const std::vector<std::string> environment = environment_with(std::move(variables));
  const std::vector<char*> words = pointers(argv), settings = pointers(environment);
  return run({.program = path.c_str(), .argv = words.data(), .environment = settings.data(), .folder = where.c_str()},
             scratch, input, limits, on_line);
}

ChildResult run_copy(const std::function<void()>& work, const ChildLimits& limits) {
  std::fflush(nullptr);
  return run({.work = &work}, limits.scratch, "", limits, {});
}

}  // namespace tl::hostcc
