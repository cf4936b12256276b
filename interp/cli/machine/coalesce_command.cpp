// tilescope coalesce KERNEL: sectors per request of every line that touches memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/run/coalesce_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct CoalesceOptions {
  KernelOptions kernel;
  std::string gpu = "h200";
  int line = 0;
  bool generic = false, json = false;
};

int coalesce(const CoalesceOptions& o) {
  const machine::Device device = machine::find_device(o.gpu);
  const auto launches = coalesced_launches(o.kernel, device, o.generic);
  require_line(o.kernel, launches, o.line);
  if (o.json) fmt::print("{}\n", coalesce_json(o.kernel, device, launches, o.line).dump(2));
  else fmt::print("{}", coalesce_text(o.kernel, device, launches, o.line, paint_of(stdout), columns_of(stdout)));
  return exit_ok;
}

}  // namespace

void add_coalesce_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CoalesceOptions>();
  CLI::App* command =
      program.add_subcommand("coalesce", "sectors per request of every load and store, and the lanes that waste them");
  add_kernel_options(*command, o->kernel);
  add_gpu_option(*command, o->gpu);
  command->add_option("--line", o->line, "draw the requests of this line; default: of the line that wastes most")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  command->add_flag("--generic", o->generic, "as CUDA runs it with nothing newer than sm_80");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "A warp's load or store moves whole sectors of 32 bytes. 32 lanes side by side, 4 bytes each, need 4 of them;\n"
      "32 lanes a row apart fetch 32.\n\n"
      "Examples:\n"
      "  tilescope coalesce add n=100000\n"
      "  tilescope coalesce transpose m=1000 n=1000 --line 12\n"
      "  tilescope coalesce softmax rows=64 cols=781 --json");
  command->callback([o, &exit_code] { exit_code = coalesce(*o); });
}

}  // namespace tl::cli
