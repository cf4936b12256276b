// tilescope accesses KERNEL: what each program loads and stores, tile by tile, without running the kernel on data.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/run/accesses_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct AccessesOptions {
  KernelOptions kernel;
  std::string condition;
  bool full = false, json = false;
};

int accesses(const AccessesOptions& o) {
  const PidCondition chosen = PidCondition::parse(o.condition);
  const auto begin = std::chrono::steady_clock::now();
  const auto records = record_accesses(o.kernel, !o.full);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (o.json) fmt::print("{}\n", accesses_json(o.kernel, records, ms, chosen).dump());
  else fmt::print("{}", accesses_text(o.kernel, records, ms, chosen, paint_of(stdout), columns_of(stdout)));
  return exit_ok;
}

}  // namespace

void add_accesses_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<AccessesOptions>();
  CLI::App* command =
      program.add_subcommand("accesses", "which tiles every program loads and stores, at any size, without its data");
  add_kernel_options(*command, o->kernel);
  command->add_option("--pid", o->condition, "the programs to show: '=0', ',>1', '>1,=0'; default: the first few")
      ->type_name("COND");
  command->add_flag("--full", o->full, "run every iteration, and show straight lines instead of loops");
  command->add_flag("--json", o->json, "one JSON object, with all programs that --pid chooses");
  command->footer(
      "The kernel runs for its addresses and masks alone; tensors take no memory, and loops that go on evenly are not\n"
      "run to their end. Where data decides what is touched, the data is computed, and the reason said.\n\n"
      "Examples:\n"
      "  tilescope accesses grouped_matmul m=16384 n=16384 k=16384\n"
      "  tilescope accesses attention seq=1024 --pid '=3,=0'\n"
      "  tilescope accesses transpose m=100 n=37 --json");
  command->callback([o, &exit_code] { exit_code = accesses(*o); });
}

}  // namespace tl::cli
