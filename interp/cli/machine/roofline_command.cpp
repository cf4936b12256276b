// tilescope roofline KERNEL: how long each resource takes, the longest named; and where the launch stands under the
// roof.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/limits_case.h"
#include "interp/run/schedule_case.h"
#include "interp/run/schedule_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct RooflineOptions {
  KernelOptions kernel;
  std::string gpu = "h200";
  bool json = false;
};

std::string rate_of(const machine::ResourceTime& t) {
  return t.unit == "flop" ? fmt::format("{:.4g} TFLOP/s", t.rate * 1e-12) : fmt::format("{:.4g} GB/s", t.rate * 1e-9);
}
std::string work_of(const machine::ResourceTime& t) {
  return t.unit == "flop" ? fmt::format("{:.4g} GFLOP", t.work * 1e-9) : bytes_text(t.work);
}

// The roof, both axes logarithmic: flops a second over flops a byte; o is the launch, + the ridge.
std::string roof_text(const machine::Roofline& r, const machine::Device& d) {
  if (r.intensity() <= 0) return "";
  constexpr int width = 56, height = 9;
  const double ridge = r.ridge(d), bandwidth = d.dram_gb_per_s * d.dram_reachable * 1e9, at = r.intensity();
  const double low = std::min(at, ridge) / 4, high = std::max(at, ridge) * 4;
  const double bottom = low * bandwidth, top = r.peak_flops;
  const auto column = [&](double x) {
    return static_cast<int>(std::lround(std::log(x / low) / std::log(high / low) * (width - 1)));
  };
  const auto row = [&](double y) {
    return static_cast<int>(std::lround(std::log(y / bottom) / std::log(top / bottom) * (height - 1)));
  };
  std::vector<std::string> lines(height, std::string(width, ' '));
  for (int c = 0; c < width; ++c) {
    const double x = low * std::pow(high / low, static_cast<double>(c) / (width - 1)), y = std::min(top, x * bandwidth);
    lines[std::clamp(row(y), 0, height - 1)][c] = x < ridge ? '/' : '-';
  }
  lines[height - 1][std::clamp(column(ridge), 0, width - 1)] = '+';
  const double reached = std::max(bottom, r.flops / (r.estimate_ms * 1e-3));
  lines[std::clamp(row(reached), 0, height - 1)][std::clamp(column(at), 0, width - 1)] = 'o';
  std::string text;
  for (int i = height - 1; i >= 0; --i)
    text += fmt::format("  {:>10} |{}\n",
                        i == height - 1 ? fmt::format("{:.3g} T/s", top * 1e-12)
                        : i == 0        ? fmt::format("{:.3g} T/s", bottom * 1e-12)
                                        : "",
                        lines[i]);
  text += fmt::format(
      "  {:>10} +{}\n  {:>10}  o this launch, {:.3g} flop a byte\n  {:>10}  + the ridge, {:.3g}: left of it DRAM is "
      "the roof\n",
      "", std::string(width, '-'), "", at, "", ridge);
  return text;
}

nlohmann::ordered_json entry_json(const LaunchRoofline& e, const machine::Device& d) {
  const auto& r = e.roofline;
  nlohmann::ordered_json j{{"kernel", e.kernel},
                           {"flops", std::llround(r.flops)},
                           {"dram_bytes", std::llround(r.dram_bytes)},
                           {"l2_read_bytes", std::llround(e.schedule.reads.tex() * 32)},
                           {"shared_bytes", std::llround(e.shared_bytes)},
                           {"intensity", r.intensity()},
                           {"ridge", r.ridge(d)},
                           {"peak_flops_per_s", r.peak_flops},
                           {"waves", e.schedule.waves},
                           {"tail_factor", r.tail_factor},
                           {"estimate_ms", r.estimate_ms},
                           {"limited_by", r.limit},
                           {"schedule_model_ms", e.schedule.model_ms},
                           {"why_they_differ", e.other_estimate},
                           {"resources", nlohmann::ordered_json::array()}};
  for (const auto& t : r.resources)
    j["resources"].push_back({{"resource", t.resource},
                              {"work", std::llround(t.work)},
                              {"unit", t.unit},
                              {"rate_per_s", t.rate},
                              {"ms", t.ms}});
  return j;
}

void print_entry(const LaunchRoofline& e, const machine::Device& d, Paint paint) {
  const auto& r = e.roofline;
  fmt::print("\n{}: about {}, limited by {}\n\n", e.kernel, paint.bold(time_text(r.estimate_ms)), paint.bold(r.limit));
  Table table{.header = {"resource", "work", "rate", "time", ""}, .left = {0, 4}};
  const double longest = r.resources.empty() ? 1 : r.resources.front().ms;
  for (const auto& t : r.resources)
    table.rows.push_back({t.resource, work_of(t), rate_of(t), time_text(t.ms),
                          std::string(static_cast<std::size_t>(std::max(1.0, 13 * t.ms / longest)), '#')});
  fmt::print("{}", table.text());
  const auto programs = static_cast<std::int64_t>(e.schedule.programs.size());
  if (programs < d.sms)
    fmt::print("  {} at work on {} of {} SMs: what SMs do takes {:.3g} times as long\n", plural(programs, "program"),
               programs, d.sms, r.tail_factor);
  else if (r.tail_factor > 1.005)
    fmt::print("  {} leave some of {} SMs idle at the end: what SMs do takes {:.3g} times\n  as long\n",
               plural(programs, "program"), d.sms, r.tail_factor);
  const std::string roof = roof_text(r, d);
  if (!roof.empty()) fmt::print("\n{}", roof);
  fmt::print("\n{}\n", wrapped(e.other_estimate, columns_of(stdout)));
}

int roofline(const RooflineOptions& o) {
  ScheduleRequest request{.kernel = o.kernel, .gpu = o.gpu};
  const ScheduledCase c = schedule_case(request);
  const std::vector<LaunchRoofline> entries = rooflines_of(c, o.kernel.seed);
  if (o.json) {
    nlohmann::ordered_json j{{"kernel", c.problem->name},
                             {"settings", settings_json(*c.problem, c.settings)},
                             {"gpu", c.device.name},
                             {"source", "model"},
                             {"launches", nlohmann::ordered_json::array()}};
    for (const LaunchRoofline& e : entries) j["launches"].push_back(entry_json(e, c.device));
    return fmt::print("{}\n", j.dump(2)), exit_ok;
  }
  const Paint paint = paint_of(stdout);
  fmt::print("{} {}\n{}\n", paint.bold(c.problem->name), settings_text(*c.problem, c.settings),
             paint.dim(c.device.title + ", model: what the work takes at the chip's published rates"));
  if (const std::string assumed = assumed_text(c.device); !assumed.empty())
    fmt::print("{}\n", paint.dim(wrapped(assumed, columns_of(stdout))));
  for (const LaunchRoofline& e : entries) print_entry(e, c.device, paint);
  return exit_ok;
}

}  // namespace

void add_roofline_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<RooflineOptions>();
  CLI::App* command =
      program.add_subcommand("roofline", "about how long a launch takes on a device, and the resource that sets it");
  add_kernel_options(*command, o->kernel);
  add_gpu_option(*command, o->gpu);
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
