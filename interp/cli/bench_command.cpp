// tilescope bench KERNEL ...: timings beside somebody else's code, sweeps, CSV, plots, recorded runs.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/lang/text.h"
#include "interp/lang/unavailable.h"
#include "interp/report/terminal.h"
#include "interp/run/bench_case.h"
#include "interp/run/bench_report.h"
#include "interp/run/interrupt.h"
#include "interp/run/pictures.h"
#include "interp/run/recorded.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct BenchCommandOptions {
  std::vector<std::string> words;  // kernels and name=value settings
  std::vector<std::string> sweeps;
  std::string csv, plot, metric;
  MeasureOptions measure;
  bool tuned = false, record = false, json = false;
};

std::string device_text(const BenchCommandOptions& o) {
  if (o.measure.device == Device::cuda) return cuda::device_info().name;
  return fmt::format("{}, {}", cpu_name(), plural(thread_count(o.measure.threads), "thread"));
}

Metric chosen_metric(const BenchCommandOptions& o, const std::vector<Point>& points) {
  return o.metric == "gbps"     ? Metric::gb_per_s
         : o.metric == "tflops" ? Metric::tflop_per_s
         : o.metric == "ms"     ? Metric::ms
                                : metric_of(points);
}

std::string sweeps_text(const BenchCommandOptions& o) {
  std::string text;
  for (const std::string& sweep : o.sweeps) text += " --sweep " + sweep;
  return text;
}

// The names of settings that were typed, and kernels.
std::set<std::string> typed_names(const BenchCommandOptions& o, const BenchPlan& plan) {
  std::set<std::string> typed;
  for (const std::string& word : o.words) typed.insert(word.substr(0, word.find('=')));
  for (const Sweep& sweep : plan.sweeps) {
    typed.insert(sweep.name);
    typed.insert(sweep.also.begin(), sweep.also.end());
  }
  return typed;
}

// Every point once more, tuned: what was typed holds, the defaults of a bench give way to the winner.
void add_tuned(const BenchCommandOptions& o, BenchPlan& plan) {
  const std::set<std::string> typed = typed_names(o, plan);
  const auto plain = plan.points;
  for (PlannedPoint point : plain) {
    std::vector<std::string> settings;
    for (const std::string& name : point.given)
      if (typed.contains(name)) settings.push_back(name + "=" + point.settings.text(name));
    settings = use_tuned({point.problem->name, settings, o.measure.seed}, tuned_for(o.measure.device));
    point.settings = problems::parse(*point.problem, settings);
    for (const std::string& word : settings) point.given.insert(word.substr(0, word.find('=')));
    point.is_tuned = true;
    plan.points.push_back(std::move(point));
  }
  const auto kernels = plan.kernels;
  plan.kernels.insert(plan.kernels.end(), kernels.begin(), kernels.end());
}

std::string command_text(const BenchCommandOptions& o) {
  std::string out = fmt::format("tilescope bench {}", fmt::join(o.words, " "));
  out += sweeps_text(o);
  if (o.tuned) out += " --tuned";
  if (o.measure.device == Device::cuda) out += " --device cuda";
  if (o.measure.generic) out += " --generic";
  if (o.measure.recording) out += " --recording";
  if (o.measure.threads) out += fmt::format(" --threads {}", o.measure.threads);
  if (o.measure.seed) out += fmt::format(" --seed {}", o.measure.seed);
  if (o.measure.measure_ms != MeasureOptions().measure_ms) out += fmt::format(" --ms {}", o.measure.measure_ms);
  return out;
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

RecordedRun recorded_run(const BenchCommandOptions& o, std::vector<Point> points) {
  const bool gpu = o.measure.device == Device::cuda;
  return {gpu ? cuda::device_info().name : device_text(o),
          gpu ? cuda::device_info().driver : "",
          today(),
          command_text(o),
          TILESCOPE_VERSION,
          std::move(points)};
}

// What was given beside a sweep.
std::string fixed_settings(const BenchCommandOptions& o) {
  std::string result;
  for (const std::string& word : o.words)
    if (word.find('=') != std::string::npos) result += (result.empty() ? "" : " ") + word;
  return result;
}

// Over the first sweep, a line for each point of the others.
Plot plot_of(const BenchCommandOptions& o, const BenchPlan& plan, const std::vector<Point>& points,
             const std::string& device) {
  std::vector<std::string> others;
  for (const Sweep& sweep : plan.sweeps) others.push_back(sweep.name);
  others.erase(others.begin());
  const Sweep& first = plan.sweeps.front();
  return points_plot(points, first.name, first.is_geometric, chosen_metric(o, points), device, others);
}

// Whether a recorded point is one of those asked for, in what was typed.
bool is_asked_for(const BenchCommandOptions& o, const BenchPlan& plan, const Point& point) {
  const std::set<std::string> typed = typed_names(o, plan);
  return std::ranges::any_of(plan.points, [&](const PlannedPoint& planned) {
    const bool is_kernel = point.kernel == planned.problem->name ||
                           (o.tuned && point.kernel == planned.problem->name + std::string(tuned_suffix));
    return is_kernel && std::ranges::all_of(planned.given, [&](const std::string& name) {
             return !typed.contains(name) || setting_of(point, name) == planned.settings.text(name);
           });
  });
}

// The sweeps that were asked for; without a recorded one, nothing is written.
void write_recorded(const BenchCommandOptions& o, const BenchPlan& plan, const std::vector<RecordedRun>& runs) {
  if (o.csv.empty() && o.plot.empty()) return;
  std::vector<Point> asked;
  std::set<std::string> devices;
  for (const RecordedRun& run : runs)
    for (const Point& point : run.points)
      if (is_asked_for(o, plan, point)) {
        asked.push_back(point);
        devices.insert("recorded on " + run.device);
      }
  const std::string device = fmt::format("{}", fmt::join(devices, ", "));
  if (asked.empty())
    throw Unavailable("none of these points was recorded", "give the sweep of a command that is shown above");
  if (!o.csv.empty()) write_file(o.csv, points_csv(asked, device));
  if (!o.plot.empty()) write_file(o.plot, pictures().plot(plot_of(o, plan, asked, device)));
}

// Without a GPU: recorded measurements of another machine, named as such. Nothing ran, so the exit code is 1.
int show_recorded(const BenchCommandOptions& o, const BenchPlan& plan, const std::string& why_not) {
  auto all = nlohmann::ordered_json::array();
  const Paint paint = paint_of(stdout);
  std::vector<RecordedRun> shown;
  for (const problems::Problem* k : plan.kernels)
    for (const RecordedRun& run : recorded_runs(k->name)) {
      if (run.driver.empty()) continue;  // measured on an interpreter, not on a GPU
      if (o.json)
        all.push_back({{"device", run.device},
                       {"driver", run.driver},
                       {"date", run.date},
                       {"command", run.command},
                       {"points", points_json(run.points)}});
      else
        fmt::print("{} on {} (driver {}), {}, by `{}`; not measured here\n{}{}\n", paint.bold("RECORDED"), run.device,
                   run.driver, run.date, run.command, points_table(run.points), paint.dim(footnotes(run.points)));
      shown.push_back(run);
    }
  if (shown.empty())
    throw Unavailable(
        why_not,
        "leave out --device cuda to measure the interpreter; no run of this kernel was recorded on a GPU to "
        "show instead");
  if (o.json) fmt::print("{}\n", nlohmann::ordered_json{{"recorded", all}, {"why", why_not}}.dump());
  std::fflush(stdout);
  write_recorded(o, plan, shown);
  const std::string asked = fixed_settings(o) + sweeps_text(o);
  fmt::print(stderr, "tilescope: nothing was measured here{}: {}\n", asked.empty() ? "" : ", nor for " + asked,
             why_not);
  return exit_failed;
}

// Refuses options that do not go together, before anything is measured.
void require_sense(const BenchCommandOptions& o, const BenchPlan& plan) {
  if (!(o.measure.measure_ms >= 1)) throw Error("--ms cannot be \"nan\"", "write --ms 1..600000");
  if (!o.metric.empty() && o.plot.empty())
    throw Error("--metric says what --plot draws, and there is no --plot", "add --plot FILE.svg");
  if (!o.plot.empty() && plan.sweeps.empty())
    throw Error("--plot needs a sweep to draw", "add --sweep NAME=FIRST:LAST:xFACTOR");
  if (o.measure.recording && o.measure.device == Device::cuda)
    throw Error("--recording is of the interpreter: nothing observes a run on the GPU", "leave out --device cuda");
  for (const std::string& file : {o.csv, o.plot})
    if (!file.empty()) require_writable(file);
  const auto place_of = [](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
  };
  if (!o.csv.empty() && !o.plot.empty() && place_of(o.csv) == place_of(o.plot))
    throw Error(fmt::format("--csv and --plot both name {}", o.csv),
                "give each a file of its own: --csv points.csv --plot points.svg");
  if (o.record) require_kernels(".");
}

void print_points(const BenchCommandOptions& o, const BenchPlan& plan, const std::string& device,
                  const std::vector<Point>& points) {
  if (o.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"device", device},
                                              {"date", today()},
                                              {"command", command_text(o)},
                                              {"stopped", stop_requested().load()},
                                              {"points", points_json(points)}}
                           .dump());
  } else {
    const Paint paint = paint_of(stdout);
    fmt::print("{}\n", paint.bold(device));
    if (plan.points.size() == plan.kernels.size())
      for (const PlannedPoint& w : plan.points)
        fmt::print("{}{} {}\n", w.problem->name, w.is_tuned ? tuned_suffix : "", settings_text(*w.problem, w.settings));
    else if (const std::string fixed = fixed_settings(o); !fixed.empty()) fmt::print("{}\n", fixed);
    fmt::print("\n{}{}", points_table(points), paint.dim(footnotes(points, o.measure.recording)));
  }
}

int bench(const BenchCommandOptions& o) {
  BenchPlan plan = bench_plan(o.words, o.sweeps);
  require_sense(o, plan);
  std::string why_not;
  if (o.measure.device == Device::cuda && !cuda::available(&why_not)) return show_recorded(o, plan, why_not);
  if (o.tuned) add_tuned(o, plan);
  take_fast_settings(plan, o.measure);
  const std::string device = device_text(o);
  const auto [points, failure, failed] = measure_all(plan, o.measure);
  const bool stopped = stop_requested();
  if (points.empty() && failure) std::rethrow_exception(failure);
  if (points.empty()) return interrupted("nothing was measured yet");

  print_points(o, plan, device, points);
  if (!o.csv.empty()) write_file(o.csv, points_csv(points, device));
  if (!o.plot.empty()) write_file(o.plot, pictures().plot(plot_of(o, plan, points, device)));
  if (failure) {
    std::fflush(stdout);
    fmt::print(stderr, "tilescope: {} of {} points were measured, then {} failed:\n", points.size(), plan.points.size(),
               failed);
    std::rethrow_exception(failure);
  }
  if (o.record && !stopped)
    fmt::print(stderr, "recorded in {}\n", keep_recorded(recorded_run(o, points), ".").string());
  if (stopped) return interrupted(fmt::format("{} of {} points were measured", points.size(), plan.points.size()));
  const bool right = std::all_of(points.begin(), points.end(), [](const Point& p) { return p.is_right; });
  return right ? exit_ok : exit_failed;
}

}  // namespace

void add_bench_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<BenchCommandOptions>();
  CLI::App* command = program.add_subcommand("bench", "timings beside somebody else's code");
  command->add_option("kernels", o->words, "one or several kernels, and settings for those that have them")
      ->type_name("KERNEL ... name=value ...")
      ->required();
  add_case_options(*command, o->words);
  add_device_option(*command, o->measure.device);
  command
      ->add_option("--sweep", o->sweeps,
                   "n=256:12672:+128, n=1024:65536:x2, block=64,128,256 or m=n=k=256:4096:x2; several make a grid")
      ->allow_extra_args(false)
      ->type_name("RANGE");
  command->add_flag("--tuned", o->tuned,
                    "beside each kernel as it is, the config that `tilescope tune` found, or the model finds now");
  command->add_option("--csv", o->csv, "write the points as a table for other programs")->type_name("FILE");
  command->add_option("--plot", o->plot, "draw the sweep as SVG")->type_name("FILE");
  command->add_option("--metric", o->metric, "what the plot shows; default: what limits the kernel")
      ->check(CLI::IsMember({"gbps", "tflops", "ms"}).description(""))
      ->type_name("gbps|tflops|ms");
  command->add_option("--ms", o->measure.measure_ms, "how long to measure each side of a point; default 300")
      ->check(CLI::Range(1., 600000.).description(""))
      ->type_name("1..600000");
  command->add_option("--threads", o->measure.threads, "of the interpreter and of its peer; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  add_seed_option(*command, o->measure.seed, "of the random inputs");
  command->add_flag("--generic", o->measure.generic, "on the GPU: nothing newer than sm_80");
  command->add_flag("--recording", o->measure.recording,
                    "beside it, in the peer's place, the same run with all values of its first program recorded: what "
                    "debugging costs");
  command->add_flag("--record", o->record, "keep the run in kernels/recorded/, for those who have no GPU");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "The peer is Eigen or a plain loop on the same threads, cuBLAS or a device copy on the GPU; both sides take "
      "turns in one process.\n"
      "On the interpreter dots and sums are plain, as the peer's: --arith fp32 of `tilescope run`.\n"
      "On a Hopper GPU a matrix product's tiles, warps and stages are chosen by its size where none is named.\n"
      "Of outputs above 64 elements only a sample is compared with the reference.\n"
      "With --device cuda and no GPU, recorded runs are shown, labelled as such, and the exit code is 1: those built "
      "in, and those in\n"
      "kernels/recorded/ here. --plot and --csv take those of the sweep that is asked for.\n\n"
      "Examples:\n"
      "  tilescope bench matmul m=1024 n=1024 k=1024 dtype=f32\n"
      "  tilescope bench softmax unfused_softmax --sweep cols=256:12672:+128 --plot softmax.svg --csv softmax.csv\n"
      "  tilescope bench matmul --sweep m=n=k=256:1024:x2 --sweep bm=32,64\n"
      "  tilescope bench unfused_softmax softmax --tuned --sweep cols=256:12672:+128 --plot softmax.svg\n"
      "  tilescope bench matmul --recording\n"
      "  tilescope bench add --device cuda --sweep n=2^12:2^28:x2");
  command->callback([o, &exit_code] { exit_code = bench(*o); });
}

}  // namespace tl::cli
