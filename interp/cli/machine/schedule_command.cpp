// tilescope schedule KERNEL: who runs where and when, what L2 keeps, what DRAM moves: the machine model's answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/run/counters/measured_timeline.h"
#include "interp/run/schedule_files.h"
#include "interp/run/schedule_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct ScheduleOptions {
  ScheduleRequest request;
  ScheduleFiles files;
  std::vector<std::string> compare;  // name=value
  std::string placement = "xor";
  bool measure = false, json = false;
};

int schedule(const ScheduleOptions& o) {
  if (o.measure) {
    if (!o.compare.empty()) throw Error("--measure runs one launch; --compare is the model's", "leave one of them out");
    fmt::print("{}", measured_schedule(make_case(o.request.kernel), o.json, paint_of(stdout)));
    return exit_ok;
  }
  ScheduleRequest request = o.request;
  request.placement = machine::placement_named(o.placement);
  if (o.files.any()) request.step_limit = steps_in_files;
  const ComparedCases c = compared_cases(request, o.compare);
  const auto written = write_schedule_files(c.cases, o.compare, o.files);
  if (o.json) return fmt::print("{}\n", schedules_json(c).dump(2)), exit_ok;
  fmt::print("{}", schedules_text(c, o.request.ctas_per_sm > 0, paint_of(stdout), columns_of(stdout)));
  for (const std::string& file : written) fmt::print("\n{}\n", file);
  return exit_ok;
}

void add_schedule_file_options(CLI::App& command, ScheduleFiles& files) {
  command
      .add_option("--svg", files.svg, "draw it into FILE: SM rows over time, what reads found, the order of programs")
      ->type_name("FILE");
  command
      .add_option("--chrome", files.chrome,
                  "a trace for https://ui.perfetto.dev: SMs as threads, programs and their steps, flows, counters")
      ->type_name("FILE");
}

}  // namespace

void add_schedule_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<ScheduleOptions>();
  CLI::App* command = program.add_subcommand(
      "schedule", "who runs where and when, what L2 keeps and DRAM moves: a model, no GPU needed");
  add_kernel_options(*command, o->request.kernel);
  const auto positive = CLI::PositiveNumber.description("");
  add_gpu_option(*command, o->request.gpu);
  command
      ->add_option("--ctas-per-sm", o->request.ctas_per_sm,
                   "programs an SM holds at once; default: as the compiled kernel's occupancy says")
      ->check(positive)
      ->type_name("N, from 1");
  command->add_option("--programs", o->request.programs, "count distinct block loads after the first N programs too")
      ->check(positive)
      ->type_name("N, from 1");
  command
      ->add_option("--compare", o->compare,
                   "the same launch with one setting changed, beside it; may be given several times")
      ->allow_extra_args(false)  // else it takes the settings that follow
      ->type_name("name=value");
  add_schedule_file_options(*command, o->files);
  add_placement_option(*command, o->placement);
  command->add_flag("--lines", o->request.by_lines,
                    "follow every line of L2 by itself, not whole tiles: slower. Each then has its own partition, way "
                    "and sharers: look-ups differ by up to some 7 %, DRAM bytes by some 2 %, and where rows begin at "
                    "no sector what crosses between the partitions by much more");
  command->add_flag(
      "--benched", o->request.benched,
      "as `bench` times it: between two events, after a flush that leaves L2 full of others' lines; below "
      "10 us in a graph of launches, L2 warm");
  command->add_flag("--baselines", o->request.with_lru,
                    "ask a cache of nominal size, least recently used, as well; twice the time");
  command->add_flag("--measure", o->measure,
                    "run it on the GPU, and show when and where its programs ran beside the model");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "Distinct block loads are what an infinite cache would fetch. A logical hit found its line in either L2 "
      "partition;\n"
      "the raw rate counts the look-ups of both partitions, as ncu's headline does. The wave count is the closed form "
      "that\n"
      "lectures use: each wave reads its distinct tiles from DRAM, and nothing stays for the next. Sectors requested "
      "are\n"
      "each tile's different ones; `tilescope coalesce` counts those of every request.\n\n"
      "Examples:\n"
      "  tilescope schedule grouped_matmul m=1152 n=1152 k=576 bm=128 bn=128 bk=64 group_size=3 --programs 9 --compare "
      "group_size=1\n"
      "  tilescope schedule matmul m=8192 n=8192 k=8192 bm=128 bn=256 bk=64 warps=8 --gpu a100_80\n"
      "  tilescope schedule softmax rows=32768 cols=4096 --gpu my_gpu.json --json\n"
      "  tilescope schedule grouped_matmul m=2048 n=2048 k=2048 --svg schedule.svg --chrome schedule.json\n"
      "  tilescope schedule grouped_matmul m=4096 n=4096 k=4096 bm=128 bn=128 bk=64 warps=8 --measure");
  command->callback([o, &exit_code] { exit_code = schedule(*o); });
}

}  // namespace tl::cli
