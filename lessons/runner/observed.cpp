#include "lessons/runner/observed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/run/arithmetic.h"
#include "interp/trace/recorder.h"
#include "lessons/runner/texts.h"

namespace tl::lessons {

const std::string& Observed::name_of(const trace::RecordedProgram& p, const trace::RecordedAccess& a) const {
  return trace_.launches[p.launch].tensors[a.tensor].name;
}

Site Observed::site(const trace::RecordedSite& s) const {
  return {s.file < 0 ? "" : trace_.files[s.file].c_str(), s.line, s.column};
}

Observed::Count Observed::count(const std::string& tensor) const {
  Count c;
  for (const trace::RecordedProgram& p : trace_.programs)
    for (const trace::RecordedAccess& a : p.accesses) {
      if (!tensor.empty() && name_of(p, a) != tensor) continue;
      const auto& t = trace_.launches[p.launch].tensors[a.tensor];
      const std::int64_t bytes = a.active * size_in_bytes(t.dtype), masked = a.lanes() - a.active;
      (a.writes() ? c.stored : c.loaded) += a.active;
      (a.writes() ? c.masked_stores : c.masked_loads) += masked;
      (a.writes() ? c.stored_bytes : c.loaded_bytes) += bytes;
    }
  return c;
}

std::vector<int> Observed::touches(const std::string& tensor, bool stored) const {
  std::vector<int> counts;
  for (const auto& launch : trace_.launches)
    for (const auto& t : launch.tensors)
      if (t.name == tensor) counts.resize(std::max(counts.size(), static_cast<std::size_t>(t.storage_elems)));
  for_each_access(tensor, [&](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    if (a.writes() != stored) return;
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t element) {
      if (element >= 0 && element < std::ssize(counts)) ++counts[element];
    });
  });
  return counts;
}

std::int64_t Observed::distinct_loads(const std::vector<std::string>& tensors, std::int64_t first,
                                      std::int64_t last) const {
  std::int64_t sum = 0;
  for (const std::string& tensor : tensors) {
    std::set<std::int64_t> seen;
    for_each_access(tensor, [&](std::int64_t program, const trace::RecordedAccess& a, const Site&) {
      if (a.writes() || program < first || program > last) return;
      trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t element) { seen.insert(element); });
    });
    sum += std::ssize(seen);
  }
  return sum;
}

std::vector<std::int64_t> Observed::touched(std::int64_t program, const std::string& tensor, bool stored) const {
  std::vector<std::int64_t> elements;
  const trace::RecordedProgram& p = trace_.programs[program];
  for (const trace::RecordedAccess& a : p.accesses)
    if (a.writes() == stored && name_of(p, a) == tensor)
      trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t element) { elements.push_back(element); });
  return elements;
}

const trace::RecordedAccess* Observed::first_access(std::int64_t program, const std::string& tensor,
                                                    bool stored) const {
  if (program >= programs()) return nullptr;
  const trace::RecordedProgram& p = trace_.programs[program];
  for (const trace::RecordedAccess& a : p.accesses)
    if (a.writes() == stored && name_of(p, a) == tensor && a.lanes() > 0) return &a;
  return nullptr;
}

std::optional<std::int64_t> Observed::first_lane(std::int64_t program, const std::string& tensor, bool stored) const {
  const trace::RecordedAccess* const a = first_access(program, tensor, stored);
  return a ? std::optional(a->offset(0)) : std::nullopt;
}

bool Observed::all_programs_alike(const std::string& tensor, bool stored) const {
  if (programs() < 2) return false;
  const auto first = touched(0, tensor, stored);
  for (std::int64_t p = 1; p < programs(); ++p)
    if (touched(p, tensor, stored) != first) return false;
  return !first.empty();
}

std::optional<Observed::LaneAccess> Observed::access_to(const std::string& tensor, std::int64_t element, bool stored,
                                                        bool last) const {
  std::optional<LaneAccess> found;
  for_each_access(tensor, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& where) {
    if (a.writes() != stored || element < a.first || element > a.last || (found && !last)) return;
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t at) {
      if (at == element) found = LaneAccess{trace_.programs[program].id, lane, where};
    });
  });
  return found;
}

std::optional<Observed::LaneAccess> Observed::last_writer(const std::string& tensor, std::int64_t element) const {
  return access_to(tensor, element, true, true);
}
std::optional<Observed::LaneAccess> Observed::first_reader(const std::string& tensor, std::int64_t element) const {
  return access_to(tensor, element, false, false);
}

std::optional<Site> Observed::first_site(const std::string& tensor, bool stored) const {
  std::optional<Site> found;
  for_each_access(tensor, [&](std::int64_t, const trace::RecordedAccess& a, const Site& where) {
    if (!found && a.writes() == stored) found = where;
  });
  return found;
}

std::optional<Site> Observed::site_of(trace::Op op) const {
  for (const trace::RecordedProgram& p : trace_.programs)
    for (const trace::Step& step : p.steps)
      if (step.op == op) return site(step.site);
  return std::nullopt;
}

std::optional<Site> Observed::last_site_of(trace::Op op) const {
  std::optional<Site> found;
  if (!trace_.programs.empty())
    for (const trace::Step& step : trace_.programs.front().steps)
      if (step.op == op) found = site(step.site);
  return found;
}

bool Observed::has_op(trace::Op op) const { return site_of(op).has_value(); }

bool Observed::has_mask(const std::string& tensor, bool stored) const {
  for (const trace::RecordedProgram& p : trace_.programs)
    for (const trace::Step& step : p.steps) {
      if (step.access < 0) continue;
      const trace::RecordedAccess& a = p.accesses[step.access];
      if (a.writes() != stored || name_of(p, a) != tensor) continue;
      for (const std::int32_t operand : p.operands(step))
        if (p.values[operand].dtype == DType::int1) return true;
    }
  return false;
}

std::optional<double> Observed::masked_value(const std::string& tensor) const {
  for (const trace::RecordedProgram& p : trace_.programs)
    for (const trace::Step& step : p.steps) {
      if (step.access < 0 || step.results == 0) continue;
      const trace::RecordedAccess& a = p.accesses[step.access];
      const trace::RecordedValue& loaded = p.values[p.results(step)[0]];
      if (a.writes() || name_of(p, a) != tensor || !loaded.is_kept()) continue;
      for (std::int64_t lane = 0; lane < a.lanes(); ++lane)
        if (!a.is_active(lane)) return trace::element_as_double(loaded, lane);
    }
  return std::nullopt;
}

std::optional<Observed::LossyCast> Observed::lossy_cast(ProgramId program,
                                                        const std::function<bool(const trace::Step&)>& counts) const {
  for (const trace::RecordedProgram& p : trace_.programs) {
    if (!(p.id == program)) continue;
    for (const trace::Step& step : p.steps) {
      if (step.op != trace::Op::cast || (counts && !counts(step))) continue;
      const trace::RecordedValue &from = p.values[p.operands(step)[0]], &to = p.values[p.results(step)[0]];
      for (std::int64_t lane = 0; from.is_kept() && to.is_kept() && lane < from.shape.product(); ++lane)
        if (const double v = trace::element_as_double(from, lane), w = trace::element_as_double(to, lane);
            std::isfinite(v) && v != w)
          return LossyCast{site(step.site), to.dtype, v, w};
    }
  }
  return std::nullopt;
}

bool Observed::is_result_taken(trace::Op op) const {
  for (const trace::RecordedProgram& p : trace_.programs) {
    std::set<std::int32_t> results;
    for (const trace::Step& step : p.steps) {
      if (std::ranges::any_of(p.operands(step), [&](std::int32_t value) { return results.contains(value); }))
        return true;
      if (step.op == op) results.insert(p.results(step)[0]);
    }
  }
  return false;
}

std::optional<std::pair<double, double>> Observed::operand_range(trace::Op op) const {
  std::optional<std::pair<double, double>> range;
  for (const trace::RecordedProgram& p : trace_.programs)
    for (const trace::Step& step : p.steps) {
      if (step.op != op || step.operands == 0) continue;
      const trace::RecordedValue& given = p.values[p.operands(step)[0]];
      for (std::int64_t lane = 0; given.is_kept() && lane < given.shape.product(); ++lane) {
        const double v = trace::element_as_double(given, lane);
        if (v != v) continue;
        range = range ? std::pair(std::min(range->first, v), std::max(range->second, v)) : std::pair(v, v);
      }
    }
  return range;
}

Observed observe(const problems::Instance& instance, std::vector<Fault>& faults, std::int64_t op_limit,
                 const PidCondition& values) {
  trace::RecorderOptions options;
  options.values = values;
  options.values_programs = 64;  // the rest keep loads and stores
  options.budget_bytes = std::size_t{128} << 20;
  options.load_source = [](const std::string& file) { return std::optional<std::string>(text_of(file)); };
  trace::Recorder recorder(options);
  cpu::RunOptions run;
  run.order = cpu::Order::sequential;
  run.observer = &recorder;
  run.op_limit = op_limit;
  run.checks.uninitialized = run.checks.race = run.checks.undefined_lane = true;
  for (const Launch& launch : instance.launches) {
    bool has_failed = false;
    tl::run::Arithmetic().apply(run, launch);
    for (Fault& f : cpu::run(launch, run).faults) {
      has_failed |= f.kind != FaultKind::race;  // a race does not end the run
      faults.push_back(std::move(f));
    }
    if (has_failed) break;
  }
  return Observed(recorder.take());
}

std::int64_t ops_of(const problems::Instance& instance) {
  std::int64_t ops = 0;
  for (const Launch& launch : instance.launches) {
    trace::RecorderOptions options;
    options.values = PidCondition::parse("=0,=0,=0");
    options.others = trace::Keep::nothing;
    trace::Recorder recorder(options);
    cpu::RunOptions run;
    run.order = cpu::Order::sequential;
    run.observer = &recorder;
    run.op_limit = 200'000;
    run.only_watched = true;
    cpu::run(launch, run);
    const trace::RecordedTrace trace = recorder.take();
    for (const trace::RecordedProgram& p : trace.programs) ops += std::ssize(p.steps) * launch.grid.programs();
  }
  return ops;
}

}  // namespace tl::lessons
