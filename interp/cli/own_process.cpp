#include "interp/cli/own_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "interp/hostcc/ending.h"
#include "interp/hostcc/supervisor.h"
#include "interp/lang/file_name.h"
#include "interp/report/exit_codes.h"
#include "interp/report/fault_text.h"
#include "interp/report/terminal.h"
#include "interp/sources/sources.h"

namespace tl::cli {
namespace {

// Ends as the child did, where somebody asked it to.
void end_if_asked(int signal) {
  for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT})
    if (signal == asked) {
      ::signal(signal, SIG_DFL);
      raise(signal);
    }
}

// Where it was as it ended.
std::string place_of(const hostcc::Note& note, const std::string& kernel) {
  if (note.line == 0) return "";
  sources::also_read_from(std::filesystem::absolute(file_in(kernel)).parent_path());
  const Site site{note.file, note.line, note.column};
  return fmt::format("\n{}: after this {}, in program {}\n{}", report::place_text(site), note.op,
                     report::program_text({note.program[0], note.program[1], note.program[2]}),
                     report::caret_text(site, ""));
}

[[noreturn]] void tell(const std::string& kernel, const hostcc::Ending& ending) {
  std::string fact = fmt::format("{} {}{}", kernel, words_of(ending), place_of(ending.note, kernel));
  if (fact.ends_with('\n')) fact.pop_back();
  std::fputs(report::error_report(fact, fix_of(ending), report::paint_of(stderr)).c_str(), stderr);
  _exit(report::exit_failed);
}

}  // namespace

void go_on_in_own_process(const std::string& kernel) {
  hostcc::Note* const note = hostcc::shared_note();
  hostcc::Outcome outcome;
  if (hostcc::fork_at_terminal(outcome)) return hostcc::keep(note);
  hostcc::Ending ending;
  struct rlimit cpu{};
  getrlimit(RLIMIT_CPU, &cpu);
  complete(ending, outcome, static_cast<double>(cpu.rlim_cur), note ? *note : hostcc::Note{});
  end_if_asked(ending.signal);
  if (ending.signal != 0 || (note && (!note->has_returned || note->has_closed_output))) tell(kernel, ending);
  if (ending.left > 0)
    std::fputs(fmt::format("tilescope: {} left {} behind, which were killed\n", kernel,
                           ending.left == 1 ? "a process" : fmt::format("{} processes", ending.left))
                   .c_str(),
               stderr);
  _exit(ending.exit_code);
}

}  // namespace tl::cli
