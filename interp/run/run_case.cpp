#include "interp/run/run_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "interp/run/interrupt.h"
#include "interp/run/print_programs.h"
#include "interp/sources/sources.h"
#include "interp/trace/recorded.h"

namespace tl::run {

using namespace report;

namespace {

constexpr std::int64_t most_json_elems = 4096;

std::string head_text(const Case& c, Device device, const Outcome& out, Paint paint) {
  const char* executor = device == Device::cuda ? "GPU" : "interpreter";
  std::string time = time_text(out.execution.wall_ms);
  if (std::isfinite(out.execution.gpu_ms))
    time = fmt::format("{} (kernels alone {})", time, time_text(out.execution.gpu_ms));
  return paint.bold(c.problem->name) + " " + settings_text(*c.problem, c.settings) + "\n" +
         paint.dim(fmt::format("{}, {}, {}", executor, plural(out.execution.programs, "program"), time)) + "\n";
}

std::string unchecked_text(const Case& c, Device device, Paint paint) {
  std::vector<std::string> names;
  for (const Tensor& t : c.instance.outputs) names.push_back(t.name);
  return paint.good("ok:") + (device == Device::cuda ? " it ran on the GPU" : " no fault") +
         fmt::format("; whether {} {} right, --expect '{} = ...' or --like KERNEL would tell\n", fmt::join(names, ", "),
                     names.size() > 1 ? "are" : "is", names.front());
}

// checked: bounds, races, hints; not: reads of what nothing wrote (--check all)
std::vector<std::string> words_of(const std::vector<std::string>& checks) {
  static const std::pair<const char*, const char*> words[] = {{"uninit", "reads of what nothing wrote"},
                                                              {"race", "races"},
                                                              {"undef", "undefined lanes"},
                                                              {"hints", "hints"},
                                                              {"nan", "NaN and infinities"},
                                                              {"differences", "what other tools do otherwise"}};
  std::vector<std::string> all;
  for (const auto& [name, text] : words)
    if (std::ranges::count(checks, name)) all.emplace_back(text);
  return all;
}

// checked: bounds, races, hints; not checked: reads of what nothing wrote (--check all does)
std::string checked_text(const Outcome& out, Paint paint) {
  std::vector<std::string> left = names_of(parse_checks({"all"}));
  std::erase_if(left, [&](const std::string& name) { return std::ranges::count(out.checked, name) > 0; });
  std::string line =
      fmt::format("checked: bounds{}{}", out.checked.empty() ? "" : ", ", fmt::join(words_of(out.checked), ", "));
  if (!left.empty()) line += fmt::format("; not checked: {} (--check all does)", fmt::join(words_of(left), ", "));
  for (const Unchecked& u : out.unchecked)
    line +=
        u.orders > 0
            ? fmt::format("; races in {} of programs were not looked for: that would take long (--order shuffled)",
                          plural(u.orders, "more order"))
            : fmt::format("; not so the last {} for {}: that would take more than twice the time (--check all does)",
                          plural(u.programs, "program"), fmt::join(words_of(u.checks), ", "));
  return paint.dim(line) + "\n";
}

std::string unwritten_text(const Case& c, const Outcome& out, Paint paint) {
  std::string text;
  for (const Unwritten& u : out.unwritten) {
    const Tensor& t = c.instance.outputs[u.first.output];
    text +=
        paint.bad("wrong:") + fmt::format(" nothing wrote {} of {}'s {}, {} the first\n", plural(u.count, "element"),
                                          t.name, count_text(t.elems()), cell_text(t, u.first.offset));
  }
  return text;
}

std::string verdict_text(const Case& c, const problems::Verdict& v, bool is_ok, Paint paint) {
  if (!v.ok) return paint.bad("wrong:") + " " + mismatch_text(c.instance, v, c.instance.outputs) + "\n";
  std::int64_t elems = 0;
  for (const Tensor& t : c.instance.outputs) elems += t.elems();
  const std::string checked = v.checked < elems ? fmt::format("; {} checked", plural(v.checked, "element")) : "";
  return fmt::format("{} agrees with the reference (max abs error {}{})\n",
                     is_ok ? paint.good("ok:") : paint.bad("wrong:") + " this run", error_text(v.max_abs_error),
                     checked);
}

}  // namespace

Outcome run_case(const Case& c, const RunRequest& o) {
  Outcome out;
  Progress progress(o.print ? "" : "running " + c.problem->name + " (Ctrl-C stops it, a second one at once)");
  if (o.device == Device::cuda) out.execution = run_on_cuda(c.instance, o.generic);
  else {
    const KeepOnInterrupt keep(KeepOnInterrupt::Second::comes_alone);  // tells how far it came
    cpu::RunOptions options = o.cpu;
    options.poll_limit = 2'000;  // by turns they run if they wait for others
    out.execution = o.print ? run_and_print(c.instance, options, o.arithmetic, *o.print, o.print_to)
                            : run_on_cpu(c.instance, options, o.arithmetic);
    // As many programs ran as there are threads, and they wait for others: by turns all of them are under way.
    if (!out.execution.ok() && out.execution.faults.front().kind == FaultKind::deadlock && !o.print &&
        o.cpu.order == cpu::Order::parallel) {
      c.instance.reset();
      options.order = cpu::Order::sequential;
      out.execution = run_on_cpu(c.instance, options, o.arithmetic);
    }
  }
  if (stop_requested() || !out.execution.ok()) return out;
  progress.show(
      fmt::format("comparing with the reference of {}", c.problem->name));  // gigabytes take as long as the run
  out.verdict =
      problems::check(c.instance, c.instance.outputs, problems::affordable_samples(c.instance), out.execution.tf32);
  if (c.instance.finish) out.finished = c.instance.finish();
  if (o.device == Device::cpu) {
    out.is_judged_alone = !c.instance.reference_at;
    out.checked = names_of(o.cpu.checks);
    if (!out.checked.empty()) out.unwritten = unwritten_of(c.instance);  // `--check none` looks for nothing
  }
  return out;
}

namespace {

constexpr std::clock_t least_for_checks = CLOCKS_PER_SEC;

bool holds_nan(const problems::Instance& instance) {
  return std::ranges::any_of(instance.outputs, [](const Tensor& t) {
    if (!is_float(t.dtype)) return false;
    for (std::int64_t i = 0; i < t.storage_elems; ++i)
      if (std::isnan(trace::decode_element(t.dtype, t.data() + i * size_in_bytes(t.dtype)))) return true;
    return false;
  });
}

// Repeats the run with these checks, as far as it comes; whether an atomic orders its programs.
bool repeat_with(Outcome& out, const Case& c, const RunAsIs& as, const cpu::Checks& checks) {
  cpu::RunOptions options = as.cpu;
  options.checks = checks;
  options.checks.hints = true;
  c.instance.reset();
  Execution again = run_on_cpu(c.instance, options, as.arithmetic);
  std::erase_if(again.faults,
                [](const Fault& f) { return f.kind == FaultKind::stopped || f.kind == FaultKind::deadlock; });
  out.found = std::move(again.faults);
  if (const std::int64_t left = out.execution.programs - again.programs; left > 0 && out.found.empty()) {
    std::vector<std::string> names = names_of(checks);
    if (names.empty()) names = {"differences"};
    out.unchecked.push_back({std::move(names), left});
  }
  return again.ordered_at.has_value();
}

void look_in_other_orders(Outcome& out, const Case& c, const RunAsIs& as) {
  OtherOrders others = races_in_other_orders(c.instance, as);
  if (others.faults.empty() && others.left > 0) out.unchecked.push_back({{"race"}, 0, others.left});
  out.found = std::move(others.faults);
}

// A run without faults is repeated with the checks that it went without, for as long as it took itself. NaN beside a
// reference, and what other tools do otherwise, keep programs from being replayed: they come last.
void check_again(Outcome& out, const Case& c, RunAsIs as) {
  const cpu::Checks done = as.cpu.checks;
  const bool has_reference = c.instance.reference_at != nullptr;
  const bool is_nan_meant = has_reference && holds_nan(c.instance);  // the reference agrees
  as.cpu.deadline = std::clock() + std::max(out.execution.processor_time, least_for_checks);
  const cpu::Checks left{.uninitialized = !done.uninitialized,
                         .race = !done.race,
                         .undefined_lane = !done.undefined_lane,
                         .hints = !done.hints,
                         .nan = !done.nan && !has_reference};
  bool has_order = out.execution.ordered_at.has_value();
  if (!names_of(left).empty()) has_order |= repeat_with(out, c, as, left);
  out.checked = names_of(parse_checks({"all"}));
  if (out.found.empty() && has_order) look_in_other_orders(out, c, as);
  if (out.found.empty() && !has_order && !has_reference)
    if (std::optional<Fault> f = suspicion_of(c.instance, as)) out.found = {*std::move(f)};
  if (has_order && as.cpu.order == cpu::Order::parallel) as.cpu.order = cpu::Order::sequential;  // by turns
  if (out.found.empty())
    repeat_with(out, c, as,
                {.hints = false, .nan = !done.nan && has_reference && !is_nan_meant, .differences = !done.differences});
}

// For a run whose checks were asked for.
void check_other_orders(Outcome& out, const Case& c, RunAsIs as) {
  as.cpu.deadline = std::clock() + least_for_checks;
  if (out.execution.ordered_at) look_in_other_orders(out, c, as);
}

}  // namespace

void look_closer(Outcome& out, const Case& c, const RunRequest& o) {
  for (const Launch& launch : c.instance.launches)  // the interpreter would repeat another kernel
    if (sources::differs_from_built_in(launch.source)) return;
  const RunAsIs as{o.device == Device::cuda, o.cpu, o.arithmetic};
  if (out.verdict && !out.verdict->ok) out.why = explain(c.instance, *out.verdict->first, as);
  else if (out.verdict && out.is_judged_alone && !out.unwritten.empty())
    out.why = explain(c.instance, out.unwritten.front().first, as);
  else if (o.device == Device::cpu && !out.execution.faults.empty() &&
           out.execution.faults.front().kind == FaultKind::out_of_bounds &&
           !out.execution.faults.front().fix.starts_with("int32 offsets wrap"))
    out.wrapped = wrap_before(c.instance, as, out.execution.faults.front().program);
  // A fault on the GPU says little; the interpreter's checks say where.
  else if (!out.execution.ok() && o.device == Device::cuda && !out.execution.was_stopped())
    out.why = explain(c.instance, {c.instance.outputs.size() - 1, 0, 0, 0}, as);
  else if (out.ok() && o.device == Device::cpu && (!o.asks_checks || o.cpu.checks.race))
    o.asks_checks ? check_other_orders(out, c, as) : check_again(out, c, as);
}

const Tensor& shown_tensor(const problems::Instance& instance, const std::string& name) {
  std::vector<std::string> names;
  for (const auto* group : {&instance.outputs, &instance.inputs})
    for (const Tensor& t : *group) {
      if (t.name == name) return t;
      names.push_back(t.name);
    }
  throw Error(fmt::format("there is no tensor \"{}\" to show", name),
              fmt::format("choose from {}", fmt::join(names, ", ")));
}

namespace {
std::string shown_text(const Tensor& t) {
  const std::string text = tensor_text(t);
  const bool cut = text.find("...") != std::string::npos;
  return fmt::format("{}{} ={}{}\n", t.name, cut ? " " + type_text(t) : "",
                     text.find('\n') == std::string::npos ? " " : "\n", text);
}
}  // namespace

std::string shown_text(const problems::Instance& instance, const std::string& show) {
  if (!show.empty()) return shown_text(shown_tensor(instance, show));
  std::string all;
  for (const Tensor& t : instance.outputs) all += shown_text(t);
  return all;
}

nlohmann::ordered_json outputs_json(const problems::Instance& instance, const std::string& show) {
  auto all = nlohmann::ordered_json::object();
  const auto add = [&](const Tensor& t) {
    all[t.name] = t.elems() <= most_json_elems ? tensor_json(t) : nlohmann::ordered_json(nullptr);
  };
  for (const Tensor& t : instance.outputs) add(t);
  if (!show.empty()) add(shown_tensor(instance, show));
  return all;
}

std::string outcome_text(const Case& c, Device device, const Outcome& out, const std::string& tensor, Paint paint) {
  std::string text = head_text(c, device, out, paint) + tensor;
  for (const std::string& note : out.execution.notes) text += paint.dim("note: " + note) + "\n";
  if (!out.finished.empty()) text += out.finished + "\n";
  if (out.verdict && c.instance.reference_at) text += verdict_text(c, *out.verdict, out.ok(), paint);
  else if (out.ok()) text += unchecked_text(c, device, paint);
  else if (out.is_judged_alone) text += unwritten_text(c, out, paint);
  if (out.ok() && device == Device::cpu) text += checked_text(out, paint);
  for (const Fault& f : out.found) text += fault_text(f, paint);
  for (const Fault& f : out.execution.faults) text += fault_text(f, paint);
  if (out.wrapped) text += paint.bold("why:") + " " + fault_text(*out.wrapped, paint);
  if (out.why) text += explanation_text(*out.why, paint);
  if (!out.ok() && c.instance.wrong_on_purpose)
    text += paint.hint("This kernel is wrong on purpose") +
            fmt::format(": `tilescope debug {}` steps through it.\n", c.problem->name);
  return text;
}

nlohmann::ordered_json outcome_json(const Case& c, Device device, const Outcome& out,
                                    const nlohmann::ordered_json& outputs) {
  nlohmann::ordered_json j;
  j["kernel"] = c.problem->name;
  j["device"] = device == Device::cuda ? "cuda" : "cpu";
  j["settings"] = settings_json(*c.problem, c.settings);
  j["ok"] = out.ok();
  if (out.verdict && c.instance.reference_at) {
    j["max_abs_error"] = number_json(out.verdict->max_abs_error);
    j["max_rel_error"] = number_json(out.verdict->max_rel_error);
    j["checked"] = out.verdict->checked;
    j["wrong"] = out.verdict->wrong;
  } else {
    j["max_abs_error"] = nullptr;
  }
  j["programs"] = out.execution.programs;
  j["wall_ms"] = out.execution.wall_ms;
  if (std::isfinite(out.execution.gpu_ms)) j["gpu_ms"] = out.execution.gpu_ms;
  j["outputs"] = outputs;
  for (const auto* all : {&out.execution.faults, &out.found})
    for (const Fault& f : *all) j["faults"].push_back(fault_json(f));
  if (device == Device::cpu) j["checked"] = out.checked;
  for (const Unchecked& u : out.unchecked)
    j["unchecked"].push_back(
        {{"checks", u.checks},
         u.orders > 0 ? std::pair("orders", std::int64_t{u.orders}) : std::pair("programs", u.programs)});
  if (out.is_judged_alone && !out.unwritten.empty())
    for (const Unwritten& u : out.unwritten) j["unwritten"][c.instance.outputs[u.first.output].name] = u.count;
  if (out.wrapped) j["wrapped"] = fault_json(*out.wrapped);
  if (out.why) j["why"] = explanation_json(*out.why);
  if (!out.execution.notes.empty()) j["notes"] = out.execution.notes;
  return j;
}

}  // namespace tl::run
