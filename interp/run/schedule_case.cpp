#include "interp/run/schedule_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/cpu/addresses.h"
#include "interp/cuda/host/bench.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"

namespace tl::run {

using namespace report;

namespace {

void refuse_more_than_an_sm_holds(std::int64_t ctas_per_sm, const Launch& launch, const machine::Device& d) {
  const std::int64_t threads = 32 * launch.options.num_warps,
                     most = std::min(d.ctas_per_sm, d.threads_per_sm / threads);
  if (ctas_per_sm > most)
    throw Error(
        fmt::format(
            "--ctas-per-sm is {}, and an SM of {} holds {} at most: {} CTAs and {} threads, of which {} takes {}",
            ctas_per_sm, d.title, plural(most, "program"), d.ctas_per_sm, d.threads_per_sm, short_name(launch.kernel),
            threads),
        most < 1 ? "choose fewer warps" : fmt::format("choose --ctas-per-sm from 1 to {}", most));
}

void refuse_more_than_memory(const Launch& launch, const machine::Device& d) {
  double bytes = 0;
  std::set<std::string> counted;  // a tensor may come twice, by pointer and by descriptor
  for (const Tensor& t : tensors_of(launch))
    if (counted.insert(t.name).second) bytes += static_cast<double>(t.storage_bytes());
  if (bytes > static_cast<double>(d.dram_bytes))
    throw Error(fmt::format("the tensors of {} take {}, and {} has {} of memory", short_name(launch.kernel),
                            bytes_text(bytes), d.title, bytes_text(static_cast<double>(d.dram_bytes))),
                "choose smaller sizes, or another device by --gpu");
}

// As cuda::bench times a launch: after a flush and between two events, or if it is short and nothing is to be
// restored before each launch, in a graph of many.
machine::Schedule benched(const Model& model, const machine::Device& device, bool restores) {
  machine::ScheduleOptions options = model.options;
  options.l2_before = machine::L2Before::dirty;
  machine::Schedule schedule = machine::simulate(model.record, device, options);
  schedule.model_ms += device.events_ns * 1e-6;
  if (restores || 1e3 * schedule.model_ms >= cuda::BenchOptions{}.graph_below_us) {
    schedule.notes.push_back(
        fmt::format("as `bench` times it: {:.1f} us for two events, and {:.1f} MB of others' that L2 held",
                    device.events_ns * 1e-3, schedule.others_written_bytes * 1e-6));
    return schedule;
  }
  options.l2_before = machine::L2Before::warm;
  options.in_graph = true;
  schedule = machine::simulate(model.record, device, options);
  schedule.notes.push_back("as `bench` times it: in a graph of launches, L2 warm");
  return schedule;
}

ScheduledLaunch scheduled(const Launch& launch, const ScheduleRequest& request, const ScheduledCase& of) {
  const machine::Device& device = of.device;
  const std::string kernel = short_name(launch.kernel);
  refuse_huge_grids(launch);
  const Progress progress(fmt::format("following {} of {}", plural(launch.grid.programs(), "program"), kernel));
  if (request.ctas_per_sm > 0) refuse_more_than_an_sm_holds(request.ctas_per_sm, launch, device);
  refuse_more_than_memory(launch, device);
  Model model = model_of(
      launch, device,
      {.why_not = request.ctas_per_sm > 0 ? "--ctas-per-sm leaves nothing to compile for" : request.why_not_compiled,
       .ctas_per_sm = request.ctas_per_sm,
       .or_else = "; or --ctas-per-sm N to assume N",
       .placement = request.placement});
  model.options.first_programs = request.programs;
  model.options.step_limit = request.step_limit;
  model.options.by_lines = request.by_lines;
  Figures figures = request.benched
                        ? figures_of(model, device, benched(model, device, of.problem->tuning.resets_outputs))
                        : figures_of(model, device);
  figures.schedule.notes.insert(figures.schedule.notes.end(), model.notes.begin(), model.notes.end());
  ScheduledLaunch l{std::move(model), std::move(figures), kernel, std::nullopt};
  if (request.with_lru)
    l.lru_read_bytes = machine::simulate(l.record, machine::with_nominal_lru(device), l.options).dram_read_bytes;
  return l;
}

}  // namespace

ScheduledCase schedule_case(const ScheduleRequest& request) {
  const machine::Device device = machine::find_device(request.gpu);
  const problems::LaidOutFor chip(chip_of(device));
  const problems::Problem& problem = problems::find(request.kernel.kernel);
  return schedule_case(problem, problems::parse(problem, request.kernel.settings), request);
}

ScheduledCase schedule_case(const problems::Problem& problem, const problems::Settings& settings,
                            const ScheduleRequest& request) {
  ScheduledCase out{&problem, settings, machine::find_device(request.gpu), {}, request.benched};
  const problems::LaidOutFor chip(chip_of(out.device));
  out.launches = cpu::without_data_if_possible([&] {
    std::vector<ScheduledLaunch> launches;
    for (const Launch& launch : make_instance(*out.problem, out.settings, request.kernel.seed).launches)
      launches.push_back(scheduled(launch, request, out));
    return launches;
  });
  return out;
}

ComparedCases compared_cases(const ScheduleRequest& request, const std::vector<std::string>& changes) {
  ComparedCases all{{schedule_case(request)}, {"model"}};
  for (const std::string& change : changes) {
    const auto name = change.substr(0, change.find('='));
    if (name.empty() || name == change)
      throw Error("--compare takes a setting, not \"" + change + "\"", "for example --compare group_size=1");
    ScheduleRequest changed = request;
    std::erase_if(changed.kernel.settings, [&](const std::string& s) { return s.substr(0, s.find('=')) == name; });
    changed.kernel.settings.push_back(change);
    all.cases.push_back(schedule_case(changed));
    const bool is_same = all.cases.back().settings.values == all.cases.front().settings.values;
    all.names.push_back(change + (is_same ? " (the same)" : ""));
    all.names.front() = name + "=" + all.cases.front().settings.values.at(name);
  }
  return all;
}

}  // namespace tl::run
