// tilescope schedule KERNEL: who runs where and when, what L2 keeps, what DRAM moves: the machine model's answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/counters/measured_timeline.h"
#include "interp/run/schedule_case.h"
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
  bool measure = false, json = false;
};

// The settings with one of them changed.
ScheduleRequest changed(ScheduleRequest request, const std::string& assignment) {
  const auto name = assignment.substr(0, assignment.find('='));
  if (name.empty() || assignment.find('=') == std::string::npos)
    throw Error("--compare takes a setting, not \"" + assignment + "\"", "for example --compare group_size=1");
  std::erase_if(request.kernel.settings, [&](const std::string& s) { return s.substr(0, s.find('=')) == name; });
  request.kernel.settings.push_back(assignment);
  return request;
}

std::string speed_text(const machine::Schedule& s) {
  const auto accesses = s.tile_accesses + s.line_accesses;
  return fmt::format("\n  simulated in {}: {} {} accesses, {:.3g} million a second\n", time_text(s.wall_ms),
                     count_text(accesses), s.by_lines ? "line" : "tile",
                     static_cast<double>(accesses) / std::max(1e-6, s.wall_ms * 1e3));
}

int schedule(const ScheduleOptions& o) {
  if (o.measure) {
    if (!o.compare.empty()) throw Error("--measure runs one launch; --compare is the model's", "leave one of them out");
    fmt::print("{}", measured_schedule(make_case(o.request.kernel), o.json, paint_of(stdout)));
    return exit_ok;
  }
  ScheduleRequest request = o.request;
  if (o.files.any()) request.step_limit = steps_in_files;
  std::vector<ScheduledCase> cases{schedule_case(request)};
  std::vector<std::string> names{"model"};
  for (const std::string& assignment : o.compare) {
    cases.push_back(schedule_case(changed(request, assignment)));
    const auto name = assignment.substr(0, assignment.find('='));
    const bool is_same = cases.back().settings.values == cases.front().settings.values;
    names.push_back(assignment + (is_same ? " (the same)" : ""));
    names.front() = name + "=" + cases.front().settings.values.at(name);
  }
  const auto written = write_schedule_files(cases, o.compare, o.files);
  if (o.json) {
    auto j = schedule_json(cases.front());
    for (std::size_t i = 1; i < cases.size(); ++i)
      j["compare"].push_back(schedule_json(cases[i])), j["compare"].back()["changed"] = names[i];
    return fmt::print("{}\n", j.dump(2)), exit_ok;
  }
  const Paint paint = paint_of(stdout);
  const int columns = columns_of(stdout);
  const ScheduledCase& c = cases.front();
  fmt::print("{} {}\n{}\n", paint.bold(c.problem->name), settings_text(*c.problem, c.settings),
             paint.dim(wrapped(
                 c.device.title + ", model: every figure is predicted, none measured; L2 is empty when a launch begins",
                 columns)));
  if (const std::string assumed = assumed_text(c.device); !assumed.empty())
    fmt::print("{}\n", paint.dim(wrapped(assumed, columns)));
  std::vector<const ScheduledCase*> all;
  for (const ScheduledCase& each : cases) all.push_back(&each);
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const ScheduledLaunch& l = c.launches[i];
    const std::string by = o.request.ctas_per_sm > 0 ? "--ctas-per-sm" : "limited by " + l.occupancy.limited_by;
    const std::string takes =
        fmt::format("{}: {} an SM ({}), {} threads, {} registers, {} shared: {}", l.kernel,
                    plural(l.schedule.resident_programs_per_sm, "program"), by, l.resources.cta.threads,
                    l.resources.cta.registers_per_thread, bytes_text(static_cast<double>(l.resources.cta.shared_bytes)),
                    l.resources.how);
    fmt::print("\n{}\n\n{}", wrapped(takes, columns), schedule_table(all, i, names));
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::string grid = order_grid(all[k]->launches[i], columns, paint);
      if (!grid.empty()) fmt::print("\n{}{}", all.size() > 1 ? "  " + names[k] + "\n" : "", grid);
    }
    fmt::print("\n{}", sm_rows(l.schedule, columns));
    for (const std::string& line : explanations(l)) fmt::print("\n{}\n", wrapped(line, columns));
    fmt::print("{}", paint.dim(speed_text(l.schedule)));
  }
  if (c.launches.size() > 1) {
    double ms = 0, read = 0, stored = 0;
    for (const ScheduledLaunch& l : c.launches)
      ms += l.schedule.model_ms, read += l.schedule.dram_read_bytes, stored += l.schedule.dram_write_bytes;
    fmt::print("\n{}\n", wrapped(fmt::format("All {} launches, one after the other: {}, {} read from DRAM, {} written.",
                                             c.launches.size(), time_text(ms), bytes_text(read), bytes_text(stored)),
                                 columns));
  }
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
  command->add_flag("--lines", o->request.by_lines,
                    "follow every line of L2 by itself, not whole tiles: slower. Each then has its own partition, way "
                    "and sharers: look-ups differ by up to some 7 %, DRAM bytes by some 2 %, and where rows begin at "
                    "no sector what crosses between the partitions by much more");
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
