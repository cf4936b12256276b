#include "interp/run/run_case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "interp/run/interrupt.h"
#include "interp/run/print_programs.h"
#include "interp/sources/sources.h"

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
  return paint.good("ok:") +
         (device == Device::cuda ? " it ran on the GPU" : " no fault, by every check of the interpreter") +
         fmt::format("; whether {} {} right, --expect '{} = ...' or --like KERNEL would tell\n", fmt::join(names, ", "),
                     names.size() > 1 ? "are" : "is", names.front());
}

std::string verdict_text(const Case& c, const problems::Verdict& v, Paint paint) {
  if (!v.ok) return paint.bad("wrong:") + " " + mismatch_text(c.instance, v, c.instance.outputs) + "\n";
  std::int64_t elems = 0;
  for (const Tensor& t : c.instance.outputs) elems += t.elems();
  const std::string checked = v.checked < elems ? fmt::format("; {} checked", plural(v.checked, "element")) : "";
  return paint.good("ok:") +
         fmt::format(" agrees with the reference (max abs error {}{})\n", error_text(v.max_abs_error), checked);
}

}  // namespace

Outcome run_case(const Case& c, const RunRequest& o) {
  Outcome out;
  Progress progress(o.print ? "" : "running " + c.problem->name + " (Ctrl-C stops it, a second one at once)");
  if (o.device == Device::cuda) out.execution = run_on_cuda(c.instance, o.generic);
  else {
    const KeepOnInterrupt keep;  // tells how far it came
    out.execution = o.print ? run_and_print(c.instance, o.cpu, o.arithmetic, *o.print, o.print_to)
                            : run_on_cpu(c.instance, o.cpu, o.arithmetic);
  }
  if (stop_requested() || !out.execution.ok()) return out;
  progress.show(
      fmt::format("comparing with the reference of {}", c.problem->name));  // gigabytes take as long as the run
  out.verdict =
      problems::check(c.instance, c.instance.outputs, problems::affordable_samples(c.instance), out.execution.tf32);
  if (c.instance.finish) out.finished = c.instance.finish();
  return out;
}

void add_explanation(Outcome& out, const Case& c, Device device) {
  for (const Launch& launch : c.instance.launches)  // the interpreter would repeat another kernel
    if (sources::differs_from_built_in(launch.source)) return;
  if (out.verdict && !out.verdict->ok) out.why = explain(c.instance, *out.verdict->first);
  // A fault on the GPU says little; the interpreter's checks say where.
  else if (!out.execution.ok() && device == Device::cuda && !out.execution.was_stopped())
    out.why = explain(c.instance, {c.instance.outputs.size() - 1, 0, 0, 0});
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
  if (out.verdict)
    text += c.instance.reference_at ? verdict_text(c, *out.verdict, paint) : unchecked_text(c, device, paint);
  for (const Fault& f : out.execution.faults) text += fault_text(f, paint);
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
  if (!out.execution.faults.empty()) {
    j["faults"] = nlohmann::ordered_json::array();
    for (const Fault& f : out.execution.faults) j["faults"].push_back(fault_json(f));
  }
  if (out.why) j["why"] = explanation_json(*out.why);
  if (!out.execution.notes.empty()) j["notes"] = out.execution.notes;
  return j;
}

}  // namespace tl::run
