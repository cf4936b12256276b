// tilescope tune KERNEL: which config is fastest, by the model or measured, and why; the winners kept.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/lang/unavailable.h"
#include "interp/report/sweep.h"
#include "interp/report/terminal.h"
#include "interp/run/interrupt.h"
#include "interp/run/pictures.h"
#include "interp/tune/recorded_trials.h"
#include "interp/tune/tune_report.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct TuneCommandOptions {
  tune::SpaceRequest space;
  tune::TuneOptions tune;
  std::vector<std::string> configs;
  std::string sweep, top_k, plot, placement = "xor";
  bool no_cache = false, no_checks = false, show = false, forget = false, record = false, json = false;
};

// 10, or a share: 25%, 0.25.
double top_k_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_share = rest + 1 == end && *rest == '%';
  const bool is_sense = is_share ? value <= 100 : value <= 1 || value == std::floor(value);
  if (is_share) value = std::min(value / 100, 0.999999);
  if (error != std::errc{} || (rest != end && !is_share) || !(value > 0) || !is_sense)
    throw Error(fmt::format("--top-k cannot be \"{}\"", text),
                "write how many configs are checked and timed, 1 or more, or a share of them: --top-k 25%");
  return value;
}

int show_kept(const TuneCommandOptions& o) {
  std::vector<tune::Winner> winners = tune::kept_winners();
  if (!o.space.kernel.kernel.empty())
    std::erase_if(winners, [&](const tune::Winner& w) { return w.kernel != o.space.kernel.kernel; });
  const std::vector<Fields> kept = tune::kept_fields(winners);
  if (o.json) fmt::print("{}\n", json_of(kept).dump());
  else if (kept.empty()) fmt::print("no winner is kept yet: `tilescope tune matmul` finds one\n");
  else fmt::print("{}", table_of(kept).text(0));
  return exit_ok;
}

int forget(const TuneCommandOptions& o) {
  fmt::print("{} forgotten\n", plural(tune::forget_winners(o.space.kernel.kernel), "winner"));
  return exit_ok;
}

std::string command_text(const TuneCommandOptions& o) {
  std::string text =
      fmt::format("tilescope tune {} {}", o.space.kernel.kernel, fmt::join(o.space.kernel.settings, " "));
  if (!o.configs.empty()) text += fmt::format(" --configs '{}'", fmt::join(o.configs, " "));
  if (!o.sweep.empty()) text += " --sweep " + o.sweep;
  if (o.tune.descends) text += " --descend";
  return text + " --device cuda";
}

void record(const TuneCommandOptions& o, const std::vector<tune::Tuned>& points) {
  const cuda::DeviceInfo gpu = cuda::device_info();
  const RecordedRun run{gpu.name,        gpu.driver,        fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                        command_text(o), TILESCOPE_VERSION, tune::points_of(points)};
  fmt::print(stderr, "recorded in {}\n", keep_recorded(run, ".").string());
}

// Without a GPU: sessions on another machine, named as such, with the model's times beside them.
int show_recorded(const TuneCommandOptions& o, const std::string& why_not) {
  const Paint paint = paint_of(stdout);
  std::vector<tune::Tuned> all;
  auto json = nlohmann::ordered_json::array();
  for (const RecordedRun& run : recorded_tunings(o.space.kernel.kernel)) {
    if (!o.json)
      fmt::print("{} on {} (driver {}), {}, by `{}`; not measured here\n\n", paint.bold("RECORDED"), run.device,
                 run.driver, run.date, run.command);
    for (tune::Tuned& t : tune::tuned_of(run, o.tune.gpu)) {
      if (o.json) json.push_back(tune::tuned_json(t));
      else fmt::print("{}\n", tune::tuned_text(t, paint, columns_of(stdout)));
      all.push_back(std::move(t));
    }
  }
  if (all.empty())
    throw Unavailable(why_not,
                      "leave out --device cuda: the model ranks the configs; no tuning of this kernel was recorded on "
                      "a GPU to show instead");
  if (o.json) fmt::print("{}\n", nlohmann::ordered_json{{"recorded", json}, {"why", why_not}}.dump());
  if (!o.plot.empty()) write_file(o.plot, pictures().plot(tune::trials_plot(all)));
  std::fflush(stdout);
  fmt::print(stderr, "tilescope: nothing was measured here: {}\n", why_not);
  return exit_failed;
}

void require_sense(const TuneCommandOptions& o) {
  if (o.space.kernel.kernel.empty())
    throw Error("`tilescope tune` needs to know which kernel", "tilescope tune matmul m=1024 n=1024 k=1024");
  if (!o.plot.empty() && o.tune.device == tune::Device::model)
    throw Error("--plot draws the model against what was measured, and --device model measures nothing",
                "add --device cpu or --device cuda");
  if (!o.plot.empty()) require_writable(o.plot);
  if (o.record && o.tune.device != tune::Device::cuda)
    throw Error("--record keeps what was timed on a GPU, and --device is another", "add --device cuda");
  if (o.record) require_kernels(".");
}

// One point, or those of the sweep.
std::vector<tune::Tuned> tuned_points(const TuneCommandOptions& o) {
  if (o.sweep.empty()) return {tune::tune(o.space, o.tune)};
  const Sweep sweep = parse_sweep(o.sweep);
  std::vector<tune::Tuned> all;
  for (const std::int64_t value : sweep.values) {
    tune::SpaceRequest request = o.space;
    request.kernel.settings.push_back(fmt::format("{}={}", sweep.name, value));
    for (const std::string& name : sweep.also) request.kernel.settings.push_back(fmt::format("{}={}", name, value));
    all.push_back(tune::tune(request, o.tune));
    if (all.back().is_stopped || all.back().failure) break;
  }
  return all;
}

void print(const TuneCommandOptions& o, const std::vector<tune::Tuned>& points, const tune::Regret& regret) {
  if (o.json) {
    nlohmann::ordered_json j = tune::tuned_json(points.front());
    if (points.size() > 1) {
      j = {{"points", nlohmann::ordered_json::array()}, {"regret", tune::regret_json(regret)}};
      for (const tune::Tuned& t : points) j["points"].push_back(tune::tuned_json(t));
    }
    fmt::print("{}\n", j.dump());
    return;
  }
  const Paint paint = paint_of(stdout);
  for (const tune::Tuned& t : points) fmt::print("{}\n", tune::tuned_text(t, paint, columns_of(stdout)));
  fmt::print("{}", tune::regret_text(regret, paint, columns_of(stdout)));
}

int tune_kernel(TuneCommandOptions o) {
  if (o.show) return show_kept(o);
  if (o.forget) return forget(o);
  require_sense(o);
  o.space.configs = fmt::format("{}", fmt::join(o.configs, " "));
  if (!o.top_k.empty()) o.tune.top_k = top_k_of(o.top_k);
  o.tune.reads_cache = !o.no_cache;
  o.tune.checks = !o.no_checks;
  o.tune.placement = machine::placement_named(o.placement);
  if (std::string why_not; o.tune.device == tune::Device::cuda && !cuda::available(&why_not))
    return show_recorded(o, why_not);
  const std::vector<tune::Tuned> points = tuned_points(o);
  const tune::Tuned& last = points.back();
  tune::Regret regret;
  if (points.size() > 1 && !last.is_stopped && !last.failure) regret = tune::regret_of(points, o.tune);
  print(o, points, regret);
  if (!o.plot.empty()) write_file(o.plot, pictures().plot(tune::trials_plot(points)));
  if (o.record && !last.is_stopped && !last.failure) record(o, points);
  std::fflush(stdout);
  if (last.failure) std::rethrow_exception(last.failure);
  if (last.is_stopped) return interrupted("what was measured is shown; no winner is kept");
  for (const tune::Tuned& t : points)
    if (t.config().empty()) {
      std::fflush(stdout);
      fmt::print(stderr,
                 "tilescope: all configs were refused\n  fix: each line above says why; give others: --configs\n");
      return exit_failed;
    }
  return exit_ok;
}

}  // namespace

void add_tune_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<TuneCommandOptions>();
  CLI::App* command = program.add_subcommand("tune", "which config of a kernel is fastest, and why");
  command
      ->add_option("kernel", o->space.kernel.kernel,
                   "which kernel: one of `tilescope list`, or a file of your own, relu.h")
      ->type_name("KERNEL|FILE.h|FILE.py");
  command->add_option("settings", o->space.kernel.settings, "its sizes; what is given here is no longer a choice")
      ->type_name("name=value");
  add_case_options(*command, o->space.kernel.settings);
  add_seed_option(*command, o->space.kernel.seed, "of the random inputs");
  command
      ->add_option("--device", o->tune.device,
                   "model: ranked by the machine model, nothing measured (default); cpu: the best of them timed on the "
                   "interpreter; cuda: on the GPU")
      ->transform(CLI::Transformer(std::map<std::string, tune::Device>{{"model", tune::Device::model},
                                                                       {"cpu", tune::Device::cpu},
                                                                       {"cuda", tune::Device::cuda}})
                      .description(""))
      ->type_name("model|cpu|cuda");
  add_gpu_option(*command, o->tune.gpu, "h200; with --device cuda the GPU at hand, where it is one of them");
  command
      ->add_option(
          "--configs", o->configs,
          "the choices instead of those that the kernel declares: bm=64,128 warps=4,8 is four; with ; between "
          "them, alternatives; or pointwise(BLOCK=n), reduction(...), persistent_reduction(...), template(...)")
      ->type_name("name=A,B ...");
  command->add_option("--refuse", o->space.refuse, "leave out configs where this holds: 'bm * bn > 16384'")
      ->type_name("EXPRESSION");
  command->add_option("--key", o->space.key, "settings that a winner holds for; default: all that no config sets")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      ->add_option("--top-k", o->top_k,
                   "how many of the ranked configs are checked and timed, or a share: 25%; default 10")
      ->type_name("N|N%");
  command
      ->add_option("--sweep", o->sweep, "tune at each size, and tell what one winner for all costs: m=n=k=512:4096:x2")
      ->type_name("RANGE");
  command->add_flag("--descend", o->tune.descends, "go on from the best: one value at a time to its neighbours");
  command->add_option("--radius", o->tune.descent.radius, "of --descend: how many steps to either side; default 1")
      ->check(CLI::Range(1, 8).description(""))
      ->type_name("1..8");
  command->add_flag("--all-directions", o->tune.descent.all_directions,
                    "of --descend: several values at once where no single one helps");
  command->add_flag("--compile", o->tune.compiles,
                    "compile each config for the model's GPU: registers and spills are known");
  add_placement_option(*command, o->placement);
  command->add_option("--ms", o->tune.measure.measure_ms, "how long to time each config at most; default 300")
      ->check(CLI::Range(1., 600000.).description(""))
      ->type_name("1..600000");
  command->add_option("--threads", o->tune.measure.threads, "of the interpreter; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  command->add_flag("--generic", o->tune.measure.generic, "on the GPU: nothing newer than sm_80");
  command->add_option("--plot", o->plot, "draw the model's times against the measured ones as SVG")->type_name("FILE");
  command->add_flag("--record", o->record,
                    "keep what was timed on the GPU in kernels/recorded/, for those who have none");
  command->add_flag("--no-cache", o->no_cache, "tune anew, also where a winner is kept");
  command->add_flag("--no-checks", o->no_checks, "do not compare the configs with the reference first");
  command->add_flag("--show", o->show, "the winners that are kept, of all kernels or of one");
  command->add_flag("--forget", o->forget, "forget them");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "The model ranks all configs. Of one that it would follow for long, and that takes longer than those at the top\n"
      "and than twice the fastest, it says just this: > 452 us, and why. Those at the top are compared with the\n"
      "reference at odd sizes, with every check of the interpreter, then timed in turn, in rounds that drop\n"
      "those clearly behind. > in front won, = is tied with it.\n"
      "The winner is kept for `run`, `bench` and `view` with --tuned: for these sizes, types and divisibility, this\n"
      "device, toolkit, text and these configs.\n"
      "With --device cuda and no GPU, recorded sessions are shown, labelled as such, and the exit code is 1.\n\n"
      "Examples:\n"
      "  tilescope tune matmul m=2048 n=2048 k=2048\n"
      "  tilescope tune matmul m=512 n=512 k=512 --configs bm=64,128 bn=64,128 bk=32 warps=4,8\n"
      "  tilescope tune softmax rows=4096 cols=1000 --device cpu --top-k 4\n"
      "  tilescope tune grouped_matmul --sweep m=n=k=512:4096:x2 --descend\n"
      "  tilescope tune relu.h n=2^20 --configs 'pointwise(BLOCK=n)'\n"
      "  tilescope tune transposed_matmul m=1024 n=512 k=768 dtype=f32 --gpu t4 --placement none\n"
      "  tilescope tune --show");
  command->callback([o, command, &exit_code] {
    if (command->count("--gpu") == 0) o->tune.gpu = tune::modelled_gpu(o->tune.device);
    exit_code = tune_kernel(*o);
  });
}

}  // namespace tl::cli
