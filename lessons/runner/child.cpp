#include "lessons/runner/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "interp/lang/error.h"

namespace tl::lessons {

namespace {

constexpr std::size_t most_output = std::size_t{256} << 10;
constexpr int result_fd = 3;

// Both ends close with the object.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("no pipe to a child process: ") + std::strerror(errno), "close some programs");
    read = ends[0];
    write = ends[1];
    // above the descriptors that the child hands on, so that dup2 overwrites none of them
    for (int* end : {&read, &write})
      if (*end <= result_fd) {
        const int higher = fcntl(*end, F_DUPFD_CLOEXEC, result_fd + 1);
        ::close(*end);
        *end = higher;
      }
  }
  ~Pipe() { close_read(), close_write(); }
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
  const struct rlimit l { value, value + beyond };
  setrlimit(static_cast<__rlimit_resource_t>(what), &l);
}

// Between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become(const char* path, char* const* argv, const char* folder, int in, int out, int err, int result,
                         const ChildLimits& limits) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds), 2);  // SIGXCPU first, which says why
  limit(RLIMIT_FSIZE, static_cast<rlim_t>(limits.file_bytes));
  if (limits.memory_bytes > 0) limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_bytes));
  if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || dup2(result, result_fd) < 0 || chdir(folder) != 0)
    _exit(126);
  execv(path, argv);
  _exit(127);
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

ChildResult run_child(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                      const std::string& input, const ChildLimits& limits,
                      const std::function<void(const std::string& line)>& on_line) {
  const std::string path = in_path(argv.front());
  if (path.empty()) throw Error("there is no program \"" + argv.front() + "\" to run", "check PATH");
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe in, out, err, result;
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("no child process: ") + std::strerror(errno), "close some programs");
  if (child == 0)
    become(path.c_str(), words.data(), folder.c_str(), in.read, out.write, err.write, result.write, limits);
  setpgid(child, child);  // here too: whoever comes first
  in.close_read(), out.close_write(), err.close_write(), result.close_write();
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  ChildResult r;
  std::size_t sent = 0, reported = 0;
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;  // a child that does not read its input must not end us
  sigaction(SIGPIPE, &ignored, &before);
  while (out.read >= 0 || err.read >= 0 || result.read >= 0) {
    if (sent == input.size()) in.close_write();
    std::array<pollfd, 4> fds{
        {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {result.read, POLLIN, 0}, {in.write, POLLOUT, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    r.timed_out = left <= 0;
    r.stopped = limits.stop && *limits.stop;
    if (r.timed_out || r.stopped) break;
    if (poll(fds.data(), fds.size(), static_cast<int>(std::min<long long>(left, limits.stop ? 50 : 1000))) < 0 &&
        errno != EINTR)
      break;
    if (fds[3].revents & (POLLERR | POLLHUP)) sent = input.size();
    else if (fds[3].revents & POLLOUT)
      if (const ssize_t n = write(in.write, input.data() + sent, input.size() - sent); n > 0)
        sent += static_cast<std::size_t>(n);
    std::string* const texts[] = {&r.out, &r.err, &r.result};
    Pipe* const pipes[] = {&out, &err, &result};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(fds[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      char data[4096];
      const ssize_t n = read(fds[i].fd, data, sizeof data);
      if (n > 0) append(*texts[i], data, static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR) pipes[i]->close_read();
    }
    for (std::size_t end; on_line && (end = r.result.find('\n', reported)) != std::string::npos; reported = end + 1)
      on_line(r.result.substr(reported, end - reported));
  }
  sigaction(SIGPIPE, &before, nullptr);
  if (r.timed_out || r.stopped) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);  // what it started and left behind
  if (WIFEXITED(status)) r.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
  return r;
}

}  // namespace tl::lessons
