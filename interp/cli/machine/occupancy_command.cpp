// tilescope occupancy and tilescope roofline: how many programs an SM holds and why no more; what limits a launch's
// time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/limits_case.h"
#include "interp/run/schedule_text.h"

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

std::string bar(double part, int width = 24) {
  const int full = static_cast<int>(part * width + 0.5);
  return std::string(static_cast<std::size_t>(std::min(full, width)), '#') +
         std::string(static_cast<std::size_t>(width - std::min(full, width)), '.');
}

std::string allowed(const machine::OccupancyLimit& l) {
  return l.ctas >= machine::unlimited_ctas ? "any" : std::to_string(l.ctas);
}

nlohmann::ordered_json entry_json(const LaunchOccupancy& e) {
  nlohmann::ordered_json j{{"kernel", e.name},
                           {"threads", e.resources.cta.threads},
                           {"registers", e.resources.cta.registers_per_thread},
                           {"shared_bytes", e.resources.cta.shared_bytes},
                           {"resources", e.resources.how},
                           {"ctas_per_sm", e.occupancy.ctas},
                           {"warps_per_sm", e.occupancy.warps},
                           {"max_warps", e.occupancy.max_warps},
                           {"occupancy", e.occupancy.fraction()},
                           {"limited_by", e.occupancy.limited_by},
                           {"limits", nlohmann::ordered_json::array()}};
  for (const auto& l : e.occupancy.limits)
    j["limits"].push_back(
        {{"resource", l.resource},
         {"ctas", l.ctas >= machine::unlimited_ctas ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(l.ctas)},
         {"used_by_a_cta", l.used},
         {"available", l.available},
         {"unit", l.unit}});
  if (!e.occupancy.why_none.empty()) j["why_none"] = e.occupancy.why_none;
  if (!e.resources.spills.empty()) j["spills"] = e.resources.spills;
  return j;
}

void print_entry(const LaunchOccupancy& e, Paint paint) {
  const auto& cta = e.resources.cta;
  const std::string takes =
      fmt::format("{}: {} threads, {} registers a thread, {} of shared memory ({})", e.name, cta.threads,
                  cta.registers_per_thread, bytes_text(static_cast<double>(cta.shared_bytes)), e.resources.how);
  fmt::print("\n{}\n", wrapped(takes, columns_of(stdout)));
  if (!e.resources.spills.empty()) fmt::print("{}\n", wrapped(e.resources.spills, columns_of(stdout)));
  if (e.occupancy.ctas == 0) {
    fmt::print("  {} {}\n", paint.bad("no CTA fits:"), e.occupancy.why_none);
    return;
  }
  Table table{.header = {"resource", "a CTA takes", "an SM has", "allows", "taken"}, .left = {0, 4}};
  for (const auto& l : e.occupancy.limits) {
    const double part =
        l.available > 0 ? static_cast<double>(l.used * e.occupancy.ctas) / static_cast<double>(l.available) : 0;
    table.rows.push_back({(l.ctas == e.occupancy.ctas ? "> " : "  ") + l.resource, count_text(l.used),
                          fmt::format("{} {}", count_text(l.available), l.unit), allowed(l),
                          l.ctas >= machine::unlimited_ctas ? "" : fmt::format("{} {:.0f} %", bar(part), 100 * part)});
  }
  fmt::print("{}  {} an SM, {} of {} warps ({:.0f} %), limited by {}\n", table.text(),
             paint.bold(plural(e.occupancy.ctas, "CTA")), e.occupancy.warps, e.occupancy.max_warps,
             100 * e.occupancy.fraction(), paint.bold(e.occupancy.limited_by));
}

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
  bool fits = true;
  for (const LaunchOccupancy& e : entries) fits = fits && e.occupancy.ctas > 0;
  if (o.json) {
    nlohmann::ordered_json j{{"gpu", device.name}, {"source", "model"}, {"launches", nlohmann::ordered_json::array()}};
    for (const LaunchOccupancy& e : entries) j["launches"].push_back(entry_json(e));
    return fmt::print("{}\n", j.dump(2)), fits ? exit_ok : exit_failed;
  }
  const Paint paint = paint_of(stdout);
  fmt::print("{}\n", paint.dim(device.title));
  for (const LaunchOccupancy& e : entries) print_entry(e, paint);
  return fits ? exit_ok : exit_failed;
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
