// tilescope occupancy KERNEL: how many programs an SM holds, and why no more.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/run/limits_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct OccupancyOptions {
  KernelOptions kernel;
  std::string gpu = "h200";
  std::int64_t registers = 0, smem = 0, warps = 0;
  bool json = false;
};

int occupancy(const OccupancyOptions& o) {
  const machine::Device device = machine::find_device(o.gpu);
  const bool by_hand = o.registers || o.smem || o.warps;
  if (by_hand == !o.kernel.kernel.empty())
    throw Error("`tilescope occupancy` takes a kernel, or --registers, --smem and --warps",
                "tilescope occupancy matmul, or tilescope occupancy --registers 128 --smem 65536 --warps 8");
  if (by_hand && !o.warps) throw Error("--warps is missing: how many warps a CTA has", "add --warps 4");
  std::vector<LaunchOccupancy> entries;
  if (by_hand) {
    const machine::CtaResources cta{32 * o.warps, o.registers ? o.registers : 16, o.smem, 0};
    entries.push_back(
        {"a CTA",
         {cta, o.registers ? "as given" : "as given; registers are not, and 16 is the least that limits nothing",
          false},
         machine::occupancy_of(cta, device)});
  } else {
    entries = occupancy_case(o.kernel, device);
  }
  if (o.json) fmt::print("{}\n", occupancies_json(entries, device).dump(2));
  else fmt::print("{}", occupancies_text(entries, device, paint_of(stdout), columns_of(stdout)));
  for (const LaunchOccupancy& e : entries)
    if (e.occupancy.ctas == 0) return exit_failed;
  return exit_ok;
}

}  // namespace

void add_occupancy_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<OccupancyOptions>();
  CLI::App* command =
      program.add_subcommand("occupancy", "how many programs an SM holds at once, and which resource allows no more");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  const auto range = [](std::int64_t least, std::int64_t most) { return CLI::Range(least, most).description(""); };
  command->add_option("--registers", o->registers, "a thread, instead of a kernel's")
      ->check(range(1, 65536))
      ->type_name("N, from 1 to 65536");
  command->add_option("--smem", o->smem, "bytes of shared memory a CTA")->check(range(0, 1 << 30))->type_name("BYTES");
  command->add_option("--warps", o->warps, "a CTA")->check(range(1, 1024))->type_name("N, from 1 to 1024");
  add_gpu_option(*command, o->gpu);
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "Exit code: 0 a CTA fits, 1 none does, 2 wrong use.\n\n"
      "Examples:\n"
      "  tilescope occupancy matmul bm=128 bn=128 bk=64 warps=8\n"
      "  tilescope occupancy --registers 168 --smem 98304 --warps 8 --gpu a100_80\n"
      "  tilescope occupancy attention --json");
  command->callback([o, &exit_code] { exit_code = occupancy(*o); });
}

}  // namespace tl::cli
