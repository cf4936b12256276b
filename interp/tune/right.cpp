#include "interp/tune/right.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/explanation.h"
#include "interp/run/interrupt.h"

namespace tl::tune {

namespace {

using problems::Setting;

constexpr std::int64_t least_block = 64;
constexpr std::int64_t op_limit = 100'000'000;
constexpr double most_bytes_as_asked = 64e6, most_ops_as_asked = 5e8;

// Sizes are what the key has as plain numbers; a head's elements or a block are not, nor is a grid.
bool is_size(const Setting& s) {
  return s.kind == Setting::Kind::integer && !s.power_of_two && !is_of_launch(s.name) && s.name != "grid";
}

// The settings that the problem calls blocks, and all that a config sets.
std::int64_t largest_block(const problems::Problem& problem, const Trial& trial) {
  std::int64_t largest = least_block;
  for (const Setting& s : problem.settings)
    if (s.kind == Setting::Kind::integer && s.power_of_two && !is_of_launch(s.name))
      largest = std::max(largest, trial.settings.integer(s.name));
  for (const auto& [name, value] : trial.config)
    if (!is_of_launch(name) && is_whole_number(value)) largest = std::max(largest, trial.settings.integer(name));
  return largest;
}

// Halved, so that blocks still divide it, as long as it is several of them.
std::int64_t smaller(std::int64_t size, std::int64_t block) {
  while (size > 2 * block && size % 2 == 0) size /= 2;
  return size;
}

std::string fault_of(const run::Execution& e) {
  const Fault& f = e.faults.front();
  return f.headline + (f.detail.empty() ? "" : ": " + f.detail);
}

std::string compared(const problems::Instance& instance, problems::Tf32 tf32) {
  const problems::Verdict verdict =
      problems::check(instance, instance.outputs, problems::affordable_samples(instance), tf32);
  return verdict.ok ? "" : run::mismatch_text(instance, verdict, instance.outputs);
}

}  // namespace

RightConfigs::RightConfigs(const Space& space, bool on_gpu, bool generic)
    : space_(space), on_gpu_(on_gpu), generic_(generic) {
  // A kernel that is wrong at odd sizes with its own settings was written for others.
  const std::string why = why_wrong(at_check_sizes({.config = {}, .settings = space.sizes}, true));
  if (!has_reference_)
    note_ = fmt::format("{} has no reference: its configs are checked for bounds and races alone; --expect gives one",
                        space.problem->name);
  if (why.empty()) return;
  odd_ = false;
  note_ = fmt::format("at odd sizes {} is wrong with its own settings ({}), so its configs are checked at round ones",
                      space.problem->name, why);
}

// Each size a little more than the largest block, no two alike; or round ones, as they are multiples of blocks.
problems::Settings RightConfigs::at_check_sizes(const Trial& trial, bool odd) const {
  const problems::Settings& settings = trial.settings;
  problems::Settings small = settings;
  std::int64_t more = 3;
  for (const std::string& name : space_.key) {
    const auto setting = std::ranges::find(space_.problem->settings, name, &Setting::name);
    if (!is_size(*setting) || settings.text(name).empty()) continue;
    const std::int64_t asked = settings.integer(name), block = largest_block(*space_.problem, trial),
                       most = block + more;
    if (!odd) small.values[name] = std::to_string(smaller(asked, block));
    else if (asked > most || (asked % 2 == 0 && asked > 2)) {
      small.values[name] = std::to_string(std::min(asked - 1, most));
      more += 2;
    }
  }
  return small;
}

// "": it is right.
std::string RightConfigs::why_wrong(const problems::Settings& settings) {
  try {
    const problems::Instance instance = run::make_instance(*space_.problem, settings, space_.seed);
    has_reference_ = static_cast<bool>(instance.reference_at);
    cpu::RunOptions options;
    options.checks = run::parse_checks({"uninit", "race", "undef", "hints"});
    options.op_limit = op_limit;
    options.stop = &run::stop_requested();
    const run::Execution e = run::run_on_cpu(instance, options);
    if (e.was_stopped()) return "";
    if (!e.ok()) return fault_of(e);
    if (std::string why = compared(instance, e.tf32); !why.empty() || !on_gpu_) return why;
    instance.reset();
    const run::Execution there = run::run_on_cuda(instance, generic_);
    return there.ok() ? compared(instance, there.tf32) : "on the GPU: " + fault_of(there);
  } catch (const FaultError& e) {
    return e.fault.headline;
  }
}

void RightConfigs::compile_ahead(std::span<const Trial> trials) const {
  if (!on_gpu_) return;
  const report::Progress progress(
      fmt::format("compiling {} to check them", report::plural(std::ssize(trials), "config")));
  const cuda::Target target{.arch = cuda::device_info().arch(), .generic = generic_};
  const auto count = std::ssize(trials);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::ptrdiff_t i = 0; i < count; ++i) try {
      const ShapesOnly no_data;
      const auto settings = at_check_sizes(trials[static_cast<std::size_t>(i)], odd_);
      for (const Launch& launch : space_.problem->make(settings, space_.seed).launches)
        cuda::compile(launch, cpu::facts_of(launch), target);
    } catch (const std::exception&) {  // told where it is checked
    }
}

void RightConfigs::check(Trial& trial) { check(trial, at_check_sizes(trial, odd_)); }

void RightConfigs::check_as_asked(Trial& trial) {
  if (trial.bytes <= most_bytes_as_asked && trial.model.ops <= most_ops_as_asked) check(trial, trial.settings);
}

void RightConfigs::check(Trial& trial, const problems::Settings& settings) {
  std::string alike, sizes;
  for (const auto& [name, value] : settings.values)
    if (on_gpu_ || !is_of_launch(name)) alike += name + "=" + value + " ";
  for (const std::string& name : space_.key)
    if (settings.values.at(name) != trial.settings.values.at(name))
      sizes += (sizes.empty() ? "" : " ") + name + "=" + settings.values.at(name);
  auto it = known_.find(alike);
  if (it == known_.end()) {
    std::string why;
    try {
      why = why_wrong(settings);
    } catch (const CompileError&) {
      throw;
    } catch (const Error& e) {
      why = e.what();
    }
    it = known_.emplace(alike, why).first;
  }
  trial.is_checked = true;
  if (!it->second.empty())
    trial.refuse(fmt::format("wrong at {}: {}", sizes.empty() ? "these sizes" : sizes, it->second));
  else if (sizes_.empty()) sizes_ = sizes;
}

}  // namespace tl::tune
