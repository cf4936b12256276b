#include "interp/cli/own_process.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "interp/cpu/witness.h"
#include "interp/lang/file_name.h"
#include "interp/report/exit_codes.h"
#include "interp/report/fault_text.h"
#include "interp/report/terminal.h"
#include "interp/run/plain_crash.h"
#include "interp/sources/sources.h"

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

void pass_on(int signal) {
  if (child > 0) kill(child, signal);
}

// Ends as the child did, where somebody asked it to.
void end_if_asked(int signal) {
  for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT})
    if (signal == asked) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
}

// True in the child, which goes on; the parent comes back when it has ended.
bool fork_off(int& status) {
  const pid_t parent = getpid();
  child = fork();
  if (child != 0) {
    std::signal(SIGINT, SIG_IGN);  // the child's to answer, at a terminal it gets it as well
    for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, pass_on);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child < 0;  // as well as it goes without
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(report::exit_failed);
  run::crash_plainly();
  return true;
}

// The last op that came to its end, in memory that the parent shares.
struct LastOp {
  char file[256], op[32];
  int line, column;
  std::int64_t program[3];
};

class Witness : public trace::Observer {
 public:
  explicit Witness(LastOp& last) : last_(last) {}
  trace::Keep program_begins(ProgramId id) override {
    last_ = {{}, {}, 0, 0, {id.x, id.y, id.z}};
    return trace::Keep::values;
  }
  void op(const trace::OpEvent& e) override {
    std::snprintf(last_.file, sizeof last_.file, "%s", e.site.file);
    std::snprintf(last_.op, sizeof last_.op, "%s", trace::text_of(e.op));
    last_.line = e.site.line, last_.column = e.site.column;
  }

 private:
  LastOp& last_;
};

// Where it was when it crashed.
std::string place_of(const LastOp& last, const char* kernel) {
  const std::string file = kernel;
  sources::also_read_from(std::filesystem::absolute(file_in(file)).parent_path());
  const Site site{last.file, last.line, last.column};
  return fmt::format("\n{}: after this {}, in program {}\n{}", report::place_text(site), last.op,
                     report::program_text({last.program[0], last.program[1], last.program[2]}),
                     report::caret_text(site, ""));
}

}  // namespace

void go_on_in_own_process(const char* kernel) {
  std::fflush(nullptr);
  int status = 0;
  if (fork_off(status)) return;
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  end_if_asked(WTERMSIG(status));
  const int signal = WTERMSIG(status);
  // Once more, watched op by op and without a word, to see where.
  void* const shared = signal == SIGKILL  // of memory, most often: not again
                           ? MAP_FAILED
                           : mmap(nullptr, sizeof(LastOp), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& last = *static_cast<LastOp*>(shared);
  if (shared != MAP_FAILED && fork_off(status) && child == 0) {
    for (const int all : {SIGINT, SIGTERM, SIGHUP}) std::signal(all, SIG_DFL);
    for (std::FILE* stream : {stdout, stderr})
      if (!std::freopen("/dev/null", "w", stream)) _exit(report::exit_failed);
    alarm(20);
    static Witness witness(last);
    cpu::witness_by(&witness);
    return;
  }
  std::string fact = fmt::format("{} {}", kernel, why(signal));
  const bool last_seen = shared != MAP_FAILED && last.line != 0;
  if (last_seen) fact += place_of(last, kernel);
  if (fact.ends_with('\n')) fact.pop_back();
  std::fputs(report::error_report(fact,
                                  std::string(last_seen ? "" : "`tilescope run` names the line; ") +
                                      "ops on tl are always checked: look for plain C++, an array, a pointer, a "
                                      "recursion, a throw; where there "
                                      "is none, the mistake is tilescope's: please report it",
                                  report::paint_of(stderr))
                 .c_str(),
             stderr);
  _exit(report::exit_failed);
}

}  // namespace tl::cli
