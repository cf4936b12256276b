#include "viz/scene/scene_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/addresses.h"
#include "interp/lang/swizzle.h"
#include "interp/lang/text.h"
#include "interp/machine/access/rows.h"
#include "interp/machine/limits/occupancy.h"
#include "interp/run/coalesce_case.h"
#include "interp/run/cuda_config.h"
#include "interp/run/limits_text.h"
#include "interp/run/record.h"
#include "interp/trace/access_builder.h"
#include "kernels/problems/build.h"

namespace tl::viz {

namespace {

bool is_same_order(const trace::AccessRecord& a, const trace::AccessRecord& b) {
  for (std::size_t p = 0; p < a.programs.size() && p < b.programs.size(); ++p)
    if (!trace::same_accesses(a, a.programs[p], b, b.programs[p])) return false;
  return a.programs.size() == b.programs.size();
}

// A row-major launch as swizzle2d would order it: program p does what the program of that block did.
trace::AccessRecord grouped(trace::AccessRecord record, std::int64_t blocks_m, std::int64_t blocks_n,
                            std::int64_t group) {
  const std::vector<trace::ProgramAccesses> by_rows = record.programs;
  for (std::size_t p = 0; p < by_rows.size(); ++p) {
    const auto id = static_cast<std::int64_t>(p);
    const auto at = swizzle2d<std::int64_t>(id / blocks_n, id % blocks_n, blocks_m, blocks_n, group);
    const ProgramId keeps = record.programs[p].id;
    record.programs[p] = by_rows[at.i * blocks_n + at.j];
    record.programs[p].id = keeps;
  }
  return record;
}

std::vector<StoredAt> last_stores_of(const trace::AccessRecord& record) {
  std::vector<machine::Rows> rows;
  for (const trace::AccessPattern& p : record.patterns) rows.push_back(machine::rows_of(p));
  std::vector<StoredAt> stores;
  for (const trace::ProgramAccesses& program : record.programs) {
    stores.emplace_back();
    for (std::uint32_t s = program.first; s < program.first + program.size; ++s)
      for (std::uint32_t a = record.segments[s].first; a < record.segments[s].first + record.segments[s].size; ++a) {
        const trace::PlacedAccess& access = record.accesses[a];
        const trace::AccessPattern& p = record.patterns[access.pattern];
        if (p.kind == trace::AccessKind::load || rows[access.pattern].empty()) continue;
        const std::int64_t first =
            access.base + (record.segments[s].iterations - 1) * access.step + rows[access.pattern].lowest;
        const std::int64_t stride = std::max<std::int64_t>(1, record.tensors[p.tensor].strides.front());
        stores.back() = {first / stride, first % stride};
      }
  }
  return stores;
}

}  // namespace

std::string name_of_launch(const problems::Problem& problem, const problems::Instance& instance, std::size_t launch) {
  const std::string name =
      problems::names_file(problem.name) ? short_name(instance.launches[launch].kernel) : problem.name;
  if (instance.launches.size() < 2) return name;
  return fmt::format("{} (launch {} of {}, {})", name, launch + 1, instance.launches.size(),
                     short_name(instance.launches[launch].kernel));
}

run::ModelOptions model_options(std::int64_t resident, Compiling compiling, const std::atomic<bool>* stop) {
  return {.why_not = resident > 0 || compiling == Compiling::never ? "not asked for" : "",
          .compiles_later = compiling == Compiling::later,
          .ctas_per_sm = resident,
          .stop = stop};
}

std::vector<machine::LinePlans> line_plans_of(const run::KernelOptions& kernel, const std::string& gpu,
                                              const std::atomic<bool>* stop) {
  const problems::LaidOutFor chip(run::chip_of(machine::find_device(gpu)));
  const problems::Problem& problem = problems::find(kernel.kernel);
  return line_plans_of(problem, problems::parse(problem, kernel.settings), kernel.seed, gpu, stop);
}

std::vector<machine::LinePlans> line_plans_of(const problems::Problem& problem, const problems::Settings& settings,
                                              std::uint64_t seed, const std::string& gpu,
                                              const std::atomic<bool>* stop) {
  const machine::Device device = machine::find_device(gpu);
  const problems::LaidOutFor chip(run::chip_of(device));
  return cpu::without_data_if_possible([&] {
    std::vector<machine::LinePlans> plans;
    for (const Launch& launch : run::make_instance(problem, settings, seed).launches)
      plans.push_back(run::recorded_plans_of(launch, device, false, stop).plans);
    return plans;
  });
}

ModelRun model_of(const run::KernelOptions& kernel, const std::string& gpu, std::int64_t resident, Compiling compiling,
                  const std::atomic<bool>* stop) {
  const problems::LaidOutFor chip(run::chip_of(machine::find_device(gpu)));
  const problems::Problem& problem = problems::find(kernel.kernel);
  return model_of(problem, problems::parse(problem, kernel.settings), kernel.seed, gpu,
                  model_options(resident, compiling, stop));
}

ModelRun model_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
                  const std::string& gpu, const run::ModelOptions& options) {
  const machine::Device device = machine::find_device(gpu);
  const problems::LaidOutFor chip(run::chip_of(device));
  ModelRun run;
  run.l2_bytes = device.l2_bytes;
  for (const problems::Setting& s : problem.settings)
    if (s.kind == problems::Setting::Kind::integer && !settings.text(s.name).empty())
      run.sizes[s.name] = settings.integer(s.name);
  const auto modelled = [&](const problems::Settings& with, const run::ModelOptions& options) {
    return cpu::without_data_if_possible(
        [&] { return run::model_of(run::make_instance(problem, with, seed).launches.front(), device, options); });
  };
  run::Model own = modelled(settings, options);
  run.awaits_compiler = own.resources.awaits_compiler;
  run::Figures figures = run::figures_of(own, device);
  run.limits = {own.occupancy, figures.roofline, figures.roofline.ridge(device), run::cause_text(figures.cause)};
  run.own = std::move(figures.schedule);
  run.last_stores = last_stores_of(own.record);
  const auto size = [&](const char* name) { return run.sizes.contains(name) ? run.sizes.at(name) : 0; };
  std::string group_size = "group_size";
  for (const char* name : {"GROUP_SIZE_M", "GROUP_M", "GROUP_SIZE", "group_sz"})  // as tutorials name it
    if (size(group_size.c_str()) < 1) group_size = name;
  const std::int64_t group = size(group_size.c_str());
  if (group < 1) return run;
  problems::Settings by_rows = settings;
  by_rows.values[group_size] = "1";  // groups of one row: row by row
  trace::AccessRecord rows = modelled(by_rows, {.why_not = "the same but for the order", .may_not_fit = true}).record;
  run::route_as_compiled(rows, own.config);
  run.is_grouped = !is_same_order(own.record, rows);
  if (run.is_grouped) run.other_order = machine::simulate(rows, device, own.options);
  else if (const std::int64_t bm = size("bm"), bn = size("bn"); bm > 0 && bn > 0) {
    const std::int64_t blocks_m = problems::cdiv(size("m"), bm), blocks_n = problems::cdiv(size("n"), bn);
    if (blocks_m * blocks_n == static_cast<std::int64_t>(own.record.programs.size())) {
      own.record = grouped(std::move(own.record), blocks_m, blocks_n, std::min(group, blocks_m));
      run.other_order = machine::simulate(own.record, device, own.options);
    }
  }
  if (run.other_order) run.other_cause = run::cause_text(run::figures_of(own, device, *run.other_order).cause);
  return run;
}

trace::RecordedTrace steps_of(const run::KernelOptions& kernel, const std::string& gpu, const std::string& condition) {
  const problems::LaidOutFor chip(run::chip_of(machine::find_device(gpu)));
  return cpu::without_data_if_possible([&] {
    const run::Case c = run::make_case(kernel);
    const Launch& launch = c.instance.launches.front();
    const Grid& grid = launch.grid;
    constexpr std::int64_t few = 64;  // programs: a page walks them all
    trace::RecorderOptions options;
    options.others = trace::Keep::nothing;
    options.values_programs = few;
    options.values = PidCondition::parse(!condition.empty() || grid.programs() <= few
                                             ? condition
                                             : fmt::format("={},={},={}", grid.x - 1, grid.y - 1, grid.z - 1));
    options.load_source = run::kernel_text;
    trace::Recorder recorder(options);
    cpu::watch_addresses(launch, recorder);
    trace::RecordedTrace steps = recorder.take();
    steps.notes.clear();              // that the others were not recorded
    if (steps.launches.size() > 1) {  // begun without data, and again with it: the second holds
      const int last = static_cast<int>(steps.launches.size()) - 1;
      std::erase_if(steps.programs, [&](const trace::RecordedProgram& p) { return p.launch != last; });
      for (trace::RecordedProgram& p : steps.programs) p.launch = 0;
      steps.launches.erase(steps.launches.begin(), steps.launches.end() - 1);
    }
    return steps;
  });
}

ModelRun model_of(const trace::RecordedTrace& trace, const std::string& gpu) {
  const machine::Device device = machine::find_device(gpu);
  const machine::CtaResources guess{.threads = 128, .registers_per_thread = 64};
  const trace::AccessRecord record = trace::accesses_of(trace);
  if (static_cast<std::int64_t>(record.programs.size()) != programs_of(trace.launches.front()))
    throw Error("the recording does not hold every program", "record it again with a larger --budget");
  ModelRun run;
  run.l2_bytes = device.l2_bytes;
  run.own = machine::simulate(record, device,
                              {.ctas_per_sm = std::max<std::int64_t>(1, machine::occupancy_of(guess, device).ctas),
                               .threads_per_cta = guess.threads});
  return run;
}

}  // namespace tl::viz
