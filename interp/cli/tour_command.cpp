// tilescope tour: the first kernel, told page by page; at a terminal the reader turns the pages and may ask the debugger anything.
#include <fmt/format.h>

#include "interp/cli/debug_command.h"
#include "interp/cli/line_input.h"
#include "interp/cli/record.h"
#include "interp/cli/terminal.h"
#include "interp/debug/tour.h"

namespace tl::cli {

namespace {

int tour() {
  const Case c = make_case({.kernel = "copy_wrong_offsets", .settings = {"n=6", "block=2"}});
  debug::Tour tour(record(c, {}), {.paint = {has_colours(stdout)}, .start = ""});
  debug::Debugger& debugger = tour.debugger();
  LineInput input([&](const std::string& line) { return debugger.completions(line); });
  for (std::size_t page = 0; page < tour.pages(); ++page) {
    fmt::print("\n{}", tour.page(page));
    if (!input.is_interactive()) continue;
    const bool is_last = page + 1 == tour.pages();
    bool is_turned = false;
    while (!is_turned) {
      const auto line = input.read(fmt::format("\n[{}/{}] Enter: {}, q: leave, or a command: ", page + 1, tour.pages(), is_last ? "leave" : "on"));
      if (!line || input.was_interrupted() || *line == "q" || *line == "quit") return 0;
      if (line->empty()) is_turned = true;
      else fmt::print("{}", debugger.execute(*line));
      if (debugger.is_done()) return 0;
    }
  }
  return 0;
}

}  // namespace

void add_tour_command(CLI::App& program, int& exit_code) {
  program.add_subcommand("tour", "the first minute: a wrong kernel, told step by step")->callback([&exit_code] { exit_code = tour(); });
}

}  // namespace tl::cli
