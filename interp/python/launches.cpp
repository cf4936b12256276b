#include "interp/python/launches.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/python/interruptible.h"
#include "interp/run/execute.h"
#include "interp/run/pictures.h"
#include "interp/run/record.h"
#include "interp/run/schedule_text.h"
#include "interp/run/triton_check.h"
#include "kernels/problems/problem.h"

namespace tl::python {

namespace {

DType dtype_named(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  throw Error("there is no dtype \"" + name + "\"", "");
}

std::vector<Tensor*> tensors_of(Launch& launch) {
  std::vector<Tensor*> found;
  for (Argument& a : launch.arguments) {
    if (auto* t = std::get_if<TensorArgument>(&a)) found.push_back(&t->tensor);
    if (auto* d = std::get_if<DescriptorArgument>(&a)) found.push_back(&d->tensor);
  }
  return found;
}

// Everything that is asked of a case with a name, for the launch at hand.
problems::Problem problem_of(const NamedLaunch& named) {
  problems::Problem problem{named.kernel, "", named.launch.source, {}, {}};
  for (const std::string& p : named.parameters) problem.settings.push_back({p, "", problems::Setting::Kind::text});
  problem.make = [launch = named.launch](const problems::Settings&, std::uint64_t) {
    // Copies without data, as long as data decides nothing; else the interpreter would write into what is not ours.
    problems::Instance instance;
    instance.launches = {launch};
    std::map<const std::byte*, Tensor> copies;  // one of a tensor that is passed twice
    for (Tensor* t : tensors_of(instance.launches.front())) {
      std::optional<ShapesOnly> no_data;
      if (!t->holds_data) no_data.emplace();
      const Tensor copy = copies.try_emplace(t->data(), clone(*t)).first->second;
      t->storage = copy.storage;
      t->holds_data = copy.holds_data;
    }
    return instance;
  };
  return problem;
}

}  // namespace

std::string word_of(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a); t && t->tensor.is_none) return "None";
  if (const auto* t = std::get_if<TensorArgument>(&a))
    return fmt::format("{}[{}]", name_of(t->tensor.dtype), fmt::join(t->tensor.shape, ", "));
  if (const auto* d = std::get_if<DescriptorArgument>(&a))
    return fmt::format("{}[{}]:tile[{}]", name_of(d->tensor.dtype), fmt::join(d->tensor.shape, ", "),
                       fmt::join(d->block_shape, ", "));
  return text_of(a);
}

Tensor tensor_at(std::string name, std::uintptr_t address, const std::string& dtype, std::vector<std::int64_t> shape,
                 std::vector<std::int64_t> strides, bool is_on_gpu, std::optional<std::int64_t> storage_elems) {
  Tensor t{
      .name = std::move(name), .dtype = dtype_named(dtype), .shape = std::move(shape), .strides = std::move(strides)};
  t.storage_elems = t.elems() > 0;
  for (std::size_t i = 0; i < t.shape.size() && t.storage_elems > 0; ++i)
    t.storage_elems += (t.shape[i] - 1) * t.strides[i];
  if (storage_elems) t.storage_elems = *storage_elems;
  t.storage = {reinterpret_cast<std::byte*>(address), [](std::byte*) {}};
  t.holds_data = !is_on_gpu;
  return t;
}

std::vector<std::string> run(const Launch& launch, const std::vector<std::string>& checks,
                             run::KnownArithmetic& arithmetic) {
  cpu::RunOptions options;
  if (!checks.empty()) options.checks = run::parse_checks(checks);
  options.stop = &Interruptible::stop();
  arithmetic.apply(options, launch);
  const bool for_triton = !checks.empty() && run::wants_triton(checks);
  if (for_triton) run::watch_for_triton({&launch, 1}, checks);
  const cpu::RunResult result = cpu::run(launch, options);
  if (!result.faults.empty()) throw FaultError(result.faults.front());
  return for_triton ? run::triton_notes({&launch, 1}, {}) : std::vector<std::string>();
}

trace::RecordedTrace record(NamedLaunch named, const std::string& programs, std::int64_t budget_mb) {
  const problems::Problem problem = problem_of(named);
  run::Case c{&problem, {}, {}};
  c.instance.launches = {named.launch};
  for (const Tensor* t : tensors_of(named.launch)) c.instance.inputs.push_back(*t);
  run::RecordingOptions options;
  options.values = programs;
  options.budget_mb = budget_mb;
  options.stop = &Interruptible::stop();
  options.shows_progress = false;
  return run::record(c, options);
}

Scheduled schedule(const NamedLaunch& named, const std::string& gpu) {
  const problems::Problem problem = problem_of(named);
  problems::Settings settings;
  for (std::size_t i = 0; i < problem.settings.size(); ++i)
    settings.values[problem.settings[i].name] = word_of(named.launch.arguments[i]);
  run::ScheduleRequest asked;
  asked.gpu = gpu;
  const run::ScheduledCase scheduled = run::schedule_case(problem, settings, asked);
  const run::ScheduledLaunch& l = scheduled.launches.front();
  return {run::schedules_json({{scheduled}, {"model"}}).dump(),
          run::pictures().schedule(l.schedule, l.record, l.kernel, run::settings_text(problem, settings))};
}

}  // namespace tl::python
