#include "interp/run/schedule_case.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "interp/cpu/addresses.h"
#include "interp/cpu/facts.h"
#include "interp/cuda/host/bench.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/access/operand_tiles.h"
#include "interp/machine/dot_rate.h"
#include "interp/machine/schedule/baselines.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/cuda_config.h"

namespace tl::run {

using namespace report;

namespace {

// Registers hold the largest block of a program, 4 bytes an element, and a quarter of it once more, beside 20 for
// addresses (what NVRTC takes for kernels by element, by row and of tiles, mostly within a quarter), or are all that an
// SM has where warps pass them on; shared memory holds every stage's tiles, and one of each where none is copied ahead.
KnownResources estimate(const Launch& launch, const trace::AccessRecord& record, const machine::CudaConfig& config,
                        const machine::Device& device) {
  KnownResources known;
  machine::CtaResources& cta = known.cta;
  cta.threads = rules::threads_of(config);
  const bool copies_ahead = config.tensor_maps || config.copies_ahead;
  const auto is_staged = [](const trace::AccessPattern& p) {
    return p.kind == trace::AccessKind::load && p.route != trace::Route::registers;
  };
  const auto is_operand = [&](const trace::Segment& s, const trace::AccessPattern& p) {
    return is_staged(p) ||
           (!copies_ahead && s.dot_flops > 0 && p.kind == trace::AccessKind::load && p.is_tile && p.shape.rank == 2);
  };
  const auto lanes = [](const trace::AccessPattern& p) { return p.shape.product(); };
  std::int64_t largest = 0, staged = 0;
  for (const trace::AccessPattern& p : record.patterns)
    if (!is_staged(p)) largest = std::max(largest, lanes(p));
  for (const trace::Segment& s : record.segments) {
    std::map<std::tuple<int, int, int>, std::int64_t>
        tiles;  // tensor, line, column -> bytes: a short loop's iterations are all in one segment
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const auto& p = record.patterns[record.accesses[a].pattern];
      if (is_operand(s, p))
        tiles[{p.tensor, p.site.line, p.site.column}] = lanes(p) * size_in_bytes(record.tensors[p.tensor].dtype);
    }
    std::int64_t bytes = 0;
    for (const auto& [where, tile] : tiles) bytes += tile;
    staged = std::max(staged, bytes);
  }
  const bool takes_all = copies_ahead && rules::moves_registers(config);
  const std::int64_t wanted = 20 + largest * 5 / 4 / (32 * config.num_warps),
                     most = launch.options.max_registers > 0 ? launch.options.max_registers : 255;
  cta.registers_per_thread = std::min(takes_all ? device.registers_per_sm / cta.threads / 8 * 8 : wanted, most);
  if (wanted > most)
    known.spills = fmt::format(
        "a thread's values take about {} registers, and it has {}: what is spilled to memory the model does not count; "
        "more warps share a block, smaller blocks need less",
        wanted, most);
  cta.shared_bytes = staged * (copies_ahead ? launch.options.num_stages : 1);
  return known;
}

// LANGUAGE.md says what makes a kernel so.
constexpr const char* without_formulas = ", without formulas: offsets and masks are blocks in registers";

KnownResources of_compiled(const cuda::Resources& r, const std::string& how) {
  KnownResources known{{r.threads, r.registers, r.static_shared_bytes + r.dynamic_shared_bytes, 0},
                       how + (r.is_plain ? without_formulas : ""),
                       false};
  if (r.spill_store_bytes + r.spill_load_bytes > 0)
    known.spills = fmt::format(
        "a thread's values do not fit its registers: {} are spilled to memory and {} loaded back, which the model does "
        "not count; more warps share a block, smaller blocks need less",
        bytes_text(r.spill_store_bytes), bytes_text(r.spill_load_bytes));
  return known;
}

// The shape of every access, at its line.
std::string tiles_of(const trace::AccessRecord& record) {
  std::set<std::string> tiles;
  for (const trace::AccessPattern& p : record.patterns)
    tiles.insert(fmt::format("{}:{} {} {} {} of {}\n", p.site.line, p.site.column, static_cast<int>(p.kind),
                             static_cast<int>(p.route), fmt::join(p.shape.span(), "x"), p.tensor));
  return fmt::format("{}", fmt::join(tiles, ""));
}

// Those of `settings`, written name=value name=value ..., that `others` lack.
std::string differing(const std::string& settings, const std::string& others) {
  const auto cut = [](const std::string& text) {
    std::istringstream in(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const auto theirs = cut(others);
  std::vector<std::string> found;
  for (const std::string& s : cut(settings))
    if (std::ranges::find(theirs, s) == theirs.end()) found.push_back(s);
  return fmt::format("{}", fmt::join(found, " "));
}

// `config`: as far as is known before it is compiled.
KnownResources resources_of(const Launch& launch, const trace::AccessRecord& record, const machine::CudaConfig& config,
                            const machine::Device& device, const ResourceOptions& options) {
  const std::string& settings = options.settings;
  const auto not_compiled = [&](const std::string& why) {
    KnownResources estimated = estimate(launch, record, config, device);
    estimated.how = "an estimate, not compiled: " + why, estimated.is_estimate = true;
    estimated.config = config;
    estimated.config.formulas = expects_formulas(launch, record, config, options.stop);
    if (!estimated.config.formulas) estimated.how += "; the model expects it" + std::string(without_formulas);
    return estimated;
  };
  if (!options.why_not.empty()) return not_compiled(options.why_not);
  if (const std::string why = why_no_cuda_path(device); !why.empty()) return not_compiled(why);
  const cuda::Target target = target_of(device, options.generic);
  const std::string compiled_for = "compiled for " + target.arch, tiles = settings.empty() ? "" : tiles_of(record);
  std::optional<cuda::Resources> known = cuda::known_resources(launch, target);
  if (!known && !settings.empty())
    if (const auto example = cuda::example_of(launch, target, tiles)) {
      KnownResources alike = of_compiled(
          example->resources,
          fmt::format("{} with {}, which has the same tiles; `tilescope compile` with these settings makes it exact",
                      compiled_for, differing(example->settings, settings)));
      alike.is_estimate = true;
      alike.config = config;
      alike.config.formulas = !example->resources.is_plain;
      return alike;
    }
  if (std::string why; !known && !cuda::toolkit_available(&why)) return not_compiled(why);
  if (!known && options.compiles_later) {
    KnownResources estimated = not_compiled("not yet");
    estimated.awaits_compiler = true;
    return estimated;
  }
  const bool was_known = known.has_value();
  try {
    if (!known) {
      const Progress progress(fmt::format("compiling {} for {}", short_name(launch.kernel), target.arch));
      known = cuda::compile(launch, cpu::facts_of(launch), target)->resources;
    }
  } catch (const Error& e) {
    const std::string words = e.what();
    return not_compiled(words.substr(0, words.find('\n')));  // without the line and its caret
  }
  if (!settings.empty()) cuda::keep_example(launch, target, tiles, {*known, settings});
  KnownResources compiled = of_compiled(*known, compiled_for);
  compiled.config = was_known ? config : cuda_config_of(launch, device, options.generic);
  return compiled;
}

}  // namespace

namespace {

// What the launch's dots do in shared memory: each operand is stored once and read by every warp, or warpgroup, that
// needs it. The first program's dots, in proportion to all flops.
void find_shared_memory(const Launch& launch, const trace::AccessRecord& record, const machine::Device& device,
                        machine::Placement placement, ModelledLaunch& m) {
  double all = 0;
  for (const auto& p : record.programs) all += record.dot_flops(p);
  const double first = record.programs.empty() ? 0 : record.dot_flops(record.programs.front());
  if (first <= 0 || !record.needed_values.empty()) return;
  machine::OperandTiles tiles;
  cpu::watch_addresses(launch, tiles, {.first_programs = 1});
  if (!machine::dot_rate(record, device).on_tensor_cores) {
    m.options.dot_shared_cycles =
        machine::shared_cycles_a_flop(tiles.tiles(), launch.options.num_warps, placement, device);
    m.shared_bytes = m.options.dot_shared_cycles * all * device.shared_bytes_a_clock;
    return;
  }
  for (const auto& t : tiles.tiles()) {
    if (!t.dot_m) continue;
    const auto readers = rules::dot_readers(m.resources.config, t.dot_m, t.dot_n);
    m.shared_bytes += static_cast<double>(t.times) * t.rows * t.cols * size_in_bytes(t.dtype) *
                      (1 + (t.is_left ? readers.a : readers.b)) * all / first;
  }
}

}  // namespace

KnownResources resources_and_routes(const Launch& launch, trace::AccessRecord& record, const machine::Device& device,
                                    const ResourceOptions& options) {
  const auto as_written = record.patterns;
  const machine::CudaConfig config = cuda_config_of(launch, device, options.generic);
  auto by_elements = route_as_compiled(record, config);
  KnownResources known = resources_of(launch, record, config, device, options);
  if (!known.config.formulas || !known.is_estimate) {  // the compiler may have had reasons of its own
    record.patterns = as_written;
    by_elements = route_as_compiled(record, known.config);
  }
  known.by_elements = std::move(by_elements);
  return known;
}

ModelledLaunch modelled(const Launch& launch, trace::AccessRecord& record, const machine::Device& device,
                        std::int64_t ctas_per_sm, const ResourceOptions& options) {
  ModelledLaunch m;
  m.resources = resources_and_routes(launch, record, device, options);
  m.occupancy = machine::occupancy_of(m.resources.cta, device);
  m.options.ctas_per_sm = ctas_per_sm > 0 ? ctas_per_sm : m.occupancy.ctas;
  if (m.options.ctas_per_sm < 1)
    throw Error(
        fmt::format("no SM of {} holds a CTA of {}: {}", device.title, short_name(launch.kernel), m.occupancy.why_none),
        m.occupancy.fix +
            (m.occupancy.fix == "smaller blocks" && options.settings.find(" stages=") != std::string::npos
                 ? ", or fewer stages"
                 : "") +
            options.or_else);
  m.options.threads_per_cta = m.resources.cta.threads;
  m.options.stages = m.resources.config.num_stages;
  find_shared_memory(launch, record, device, options.placement, m);
  for (const std::string& tensor : m.resources.by_elements)
    m.notes.push_back(
        fmt::format("{} is loaded an element a lane, not copied by cp.async: its rows begin at no multiple of 16 "
                    "elements; pad them, and `tilescope coalesce` shows the difference",
                    tensor));
  if (!m.resources.spills.empty()) m.notes.push_back(m.resources.spills);
  return m;
}

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

void refuse_more_than_memory(const trace::AccessRecord& record, const std::string& kernel, const machine::Device& d) {
  double bytes = 0;
  std::set<std::string> counted;  // a tensor may come twice, by pointer and by descriptor
  for (const auto& t : record.tensors)
    if (counted.insert(t.name).second) bytes += static_cast<double>(t.storage_elems) * size_in_bytes(t.dtype);
  if (bytes > static_cast<double>(d.dram_bytes))
    throw Error(fmt::format("the tensors of {} take {}, and {} has {} of memory", kernel, bytes_text(bytes), d.title,
                            bytes_text(static_cast<double>(d.dram_bytes))),
                "choose smaller sizes, or another device by --gpu");
}

// As cuda::bench times a launch: after a flush and between two events, or where that is short and nothing is to be
// restored before each launch, in a graph of many.
machine::Schedule benched(const trace::AccessRecord& record, const machine::Device& device,
                          machine::ScheduleOptions options, bool restores) {
  options.l2_before = machine::L2Before::dirty;
  machine::Schedule schedule = machine::simulate(record, device, options);
  schedule.model_ms += device.events_ns * 1e-6;
  if (restores || 1e3 * schedule.model_ms >= cuda::BenchOptions{}.graph_below_us) {
    schedule.notes.push_back(
        fmt::format("as `bench` times it: {:.1f} us for two events, and {:.1f} MB of others' that L2 held",
                    device.events_ns * 1e-3, schedule.others_written_bytes * 1e-6));
    return schedule;
  }
  options.l2_before = machine::L2Before::warm, options.in_graph = true;
  schedule = machine::simulate(record, device, options);
  schedule.notes.push_back("as `bench` times it: in a graph of launches, L2 warm");
  return schedule;
}

ScheduledLaunch scheduled(const Launch& launch, const ScheduleRequest& request, const ScheduledCase& of) {
  const machine::Device& device = of.device;
  const std::string settings = settings_text(*of.problem, of.settings);
  ScheduledLaunch l;
  l.kernel = short_name(launch.kernel);
  refuse_huge_grids(launch);
  const Progress progress(fmt::format("following {} of {}", plural(launch.grid.programs(), "program"), l.kernel));
  if (request.ctas_per_sm > 0) refuse_more_than_an_sm_holds(request.ctas_per_sm, launch, device);
  l.record = cpu::record_accesses(launch);
  refuse_more_than_memory(l.record, l.kernel, device);
  auto [resources, occupancy, options, shared_bytes, notes] =
      modelled(launch, l.record, device, request.ctas_per_sm,
               {.settings = settings,
                .why_not = request.ctas_per_sm > 0 ? "--ctas-per-sm leaves nothing to compile for" : "",
                .or_else = "; or --ctas-per-sm N to assume N",
                .placement = request.placement});
  options.first_programs = request.programs;
  options.step_limit = request.step_limit;
  options.by_lines = request.by_lines;

  l.resources = std::move(resources), l.occupancy = std::move(occupancy), l.shared_bytes = shared_bytes;
  l.schedule = request.benched ? benched(l.record, device, options, of.problem->tuning.resets_outputs)
                               : machine::simulate(l.record, device, options);
  l.schedule.notes.insert(l.schedule.notes.end(), notes.begin(), notes.end());
  l.roofline = machine::roofline_of(l.record, l.schedule, device, shared_bytes);
  l.cause = machine::cause_of(l.roofline, l.schedule.model_ms);
  if (request.with_lru)
    l.lru_read_bytes = machine::simulate(l.record, machine::with_nominal_lru(device), options).dram_read_bytes;
  return l;
}

}  // namespace

problems::Chip chip_of(const machine::Device& d) {
  return {.sms = d.sms,
          .registers = d.registers_per_sm,
          .threads = d.threads_per_sm,
          .programs = d.ctas_per_sm,
          .shared_bytes = d.shared_bytes_per_cta};
}

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
