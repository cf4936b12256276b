// tilescope roofline KERNEL: how long each resource takes, the longest named; and where the launch stands under the
// roof.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/run/limits_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct RooflineOptions {
  KernelOptions kernel;
  std::string gpu = "h200", placement = "xor";
  bool json = false;
};

int roofline(const RooflineOptions& o) {
  const ScheduledCase c =
      schedule_case({.kernel = o.kernel, .gpu = o.gpu, .placement = machine::placement_named(o.placement)});
  const auto launches = rooflines_of(c);
  if (o.json) fmt::print("{}\n", rooflines_json(o.kernel, launches, c.device).dump(2));
  else fmt::print("{}", rooflines_text(o.kernel, launches, c.device, paint_of(stdout), columns_of(stdout)));
  return exit_ok;
}

}  // namespace

void add_roofline_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<RooflineOptions>();
  CLI::App* command =
      program.add_subcommand("roofline", "about how long a launch takes on a device, and the resource that sets it");
  add_kernel_options(*command, o->kernel);
  add_gpu_option(*command, o->gpu);
  add_placement_option(*command, o->placement);
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "DRAM and L2 bytes are those of `tilescope schedule`; flops are counted from the kernel's dots and lanes.\n\n"
      "Examples:\n"
      "  tilescope roofline matmul m=4096 n=4096 k=4096 bm=128 bn=128 bk=64 warps=8\n"
      "  tilescope roofline softmax rows=32768 cols=4096 --gpu a100_80\n"
      "  tilescope roofline attention seq=2048 --json");
  command->callback([o, &exit_code] { exit_code = roofline(*o); });
}

}  // namespace tl::cli
