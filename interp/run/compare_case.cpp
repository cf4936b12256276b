#include "interp/run/compare_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/gpu.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/tensor_text.h"

namespace tl::run {

using namespace report;

namespace {

// Without a reference the interpreter's result stands for it: what a GPU computes differs by roundings alone.
void refer_to(problems::Instance& instance, const std::vector<Tensor>& outputs) {
  instance.reference_at = [outputs = packed(outputs)](std::size_t output, std::span<const std::int64_t> elements) {
    std::vector<double> expected;
    for (const std::int64_t i : elements) expected.push_back(get(outputs[output], i));
    return expected;
  };
}

Side side_of(std::string name, const problems::Instance& instance, Execution execution) {
  Side s{std::move(name), std::move(execution), {}, {}, {}};
  for (const Tensor& t : instance.outputs) s.outputs.push_back(clone(t));
  if (s.execution.ok())
    s.verdict = problems::check(instance, s.outputs, problems::affordable_samples(instance), s.execution.tf32);
  return s;
}

std::string accumulation_text(const problems::Instance& i) { return i.accumulates ? name_of(*i.accumulates) : "-"; }

std::string dtypes_text(const std::vector<Tensor>& tensors) {
  std::string out;
  for (const Tensor& t : tensors) out += (out.empty() ? "" : ", ") + t.name + " " + type_text(t);
  return out.empty() ? "none" : out;
}

std::string errors_table(const Case& c, const Comparison& all) {
  const DType out_dtype = c.instance.outputs.back().dtype;
  Table table{
      .header = {"", "output", "accumulates", "max abs error", "max rel error", "wrong", "of those compared", "time"},
      .left = {0, 1, 2}};
  for (const Side& s : all.sides) {
    const double ms = std::isfinite(s.execution.gpu_ms) ? s.execution.gpu_ms : s.execution.wall_ms;
    if (s.verdict)
      table.rows.push_back({s.name, name_of(out_dtype), accumulation_text(c.instance),
                            error_text(s.verdict->max_abs_error), error_text(s.verdict->max_rel_error),
                            count_text(s.verdict->wrong), count_text(s.verdict->checked), time_text(ms)});
    else
      table.rows.push_back(
          {s.name, name_of(out_dtype), accumulation_text(c.instance), "-", "-", "failed", "-", time_text(ms)});
  }
  if (c.instance.reference_at) table.rows.push_back({"reference", "f64", "f64", "-", "-", "-", "-", "-"});
  return table.text();
}

nlohmann::ordered_json side_json(const Side& s) {
  nlohmann::ordered_json side{
      {"name", s.name}, {"ok", s.ok()}, {"programs", s.execution.programs}, {"wall_ms", s.execution.wall_ms}};
  if (std::isfinite(s.execution.gpu_ms)) side["gpu_ms"] = s.execution.gpu_ms;
  if (s.verdict) {
    side["max_abs_error"] = number_json(s.verdict->max_abs_error);
    side["max_rel_error"] = number_json(s.verdict->max_rel_error);
    side["checked"] = s.verdict->checked;
    side["wrong"] = s.verdict->wrong;
    if (s.verdict->first)
      side["first_mismatch"] = {{"cell", cell_text(s.outputs[s.verdict->first->output], s.verdict->first->offset)},
                                {"got", number_json(s.verdict->first->got)},
                                {"expected", number_json(s.verdict->first->expected)}};
  }
  for (const Fault& f : s.execution.faults) side["faults"].push_back(fault_json(f));
  if (s.why) side["why"] = explanation_json(*s.why);
  return side;
}

}  // namespace

bool Comparison::ok() const { return std::ranges::all_of(sides, &Side::ok); }

Comparison compare_case(Case c, std::optional<Device> only, int threads, const Arithmetic& arithmetic) {
  const Progress progress("comparing " + c.problem->name);
  Comparison all;
  cpu::RunOptions options;
  options.threads = threads;
  const bool on_gpu = only != Device::cpu && (only == Device::cuda || cuda::available(&all.no_gpu));
  if (only != Device::cuda) {
    require_built_in_text(c.instance);
    if (on_gpu)  // how it is compiled decides which instruction multiplies
      for (const Launch& launch : c.instance.launches)
        cuda::compile(launch, cpu::facts_of(launch), {.arch = cuda::the_gpu().info.arch()});
    all.sides.push_back(side_of("interpreter", c.instance, run_on_cpu(c.instance, options, arithmetic)));
    if (!c.instance.reference_at && all.sides.back().ok()) refer_to(c.instance, all.sides.back().outputs);
  }
  if (on_gpu) {
    c.instance.reset();
    all.sides.push_back(side_of("GPU", c.instance, run_on_cuda(c.instance)));
    if (all.sides.size() > 1 && all.sides[0].execution.ok() && all.sides[1].execution.ok())
      all.bits = bit_equality(all.sides[0].outputs, all.sides[1].outputs, c.instance.launches, arithmetic,
                              cuda::the_gpu().info.arch());
  }
  for (Side& s : all.sides)
    if (s.verdict && !s.verdict->ok) s.why = explain(c.instance, *s.verdict->first, {.was_on_gpu = s.name == "GPU"});
  return all;
}

std::string comparison_text(const Case& c, const Comparison& all, Paint paint) {
  std::string text = fmt::format("{} {}\n  inputs     {}\n  outputs    {}\n", paint.bold(c.problem->name),
                                 settings_text(*c.problem, c.settings), dtypes_text(c.instance.inputs),
                                 dtypes_text(c.instance.outputs));
  const auto print_tolerances = [&](const std::vector<problems::Tolerance>& tolerances, const char* whose) {
    for (std::size_t i = 0; i < tolerances.size(); ++i)
      text += fmt::format("  tolerance  |{} - ref| <= {} + {} |ref|{}\n", c.instance.outputs[i].name,
                          error_text(tolerances[i].absolute), error_text(tolerances[i].relative), whose);
  };
  if (c.instance.reference_at) print_tolerances(c.instance.tolerances, "");
  else if (all.sides.size() > 1) print_tolerances(c.instance.tolerances, ", ref the interpreter's: no other is known");
  for (const Side& s : all.sides)
    if (s.execution.tf32 == problems::Tf32::truncated)
      print_tolerances(c.instance.truncated_tolerances,
                       ", on this GPU: its tensor cores truncate f32 to tf32, and sums of fp8 to 13 bits");
  text += "\n" + errors_table(c, all);
  if (std::isfinite(all.sides.back().execution.gpu_ms))
    text += fmt::format("  GPU time: the kernels alone, once, cold; `tilescope bench` times them properly\n");
  if (all.bits) text += fmt::format("  interpreter and GPU {}\n", bit_equality_text(*all.bits));
  if (!all.no_gpu.empty()) text += fmt::format("\n{} {}\n", paint.hint("no GPU compared:"), all.no_gpu);
  for (const Side& s : all.sides) {
    if (s.ok()) continue;
    text += fmt::format("\n{} ", paint.bad(s.name + ":"));
    for (const Fault& f : s.execution.faults) text += fmt::format("{}", fault_text(f, paint));
    if (s.verdict) text += fmt::format("{}\n", mismatch_text(c.instance, *s.verdict, s.outputs));
    if (s.why) text += fmt::format("{}", explanation_text(*s.why, paint));
  }
  for (const Side& s : all.sides)
    for (const std::string& note : s.execution.notes) text += fmt::format("{}\n", paint.dim("note: " + note));
  return text;
}

nlohmann::ordered_json comparison_json(const Case& c, const Comparison& all) {
  nlohmann::ordered_json j{{"kernel", c.problem->name}, {"settings", settings_json(*c.problem, c.settings)}};
  j["ok"] = all.ok();
  j["accumulates"] =
      c.instance.accumulates ? nlohmann::ordered_json(name_of(*c.instance.accumulates)) : nlohmann::ordered_json();
  j["tolerances"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < c.instance.outputs.size(); ++i)
    j["tolerances"].push_back({{"output", c.instance.outputs[i].name},
                               {"dtype", name_of(c.instance.outputs[i].dtype)},
                               {"absolute", c.instance.tolerances[i].absolute},
                               {"relative", c.instance.tolerances[i].relative}});
  for (const Side& s : all.sides)  // on Hopper, wider
    for (std::size_t i = 0; s.execution.tf32 == problems::Tf32::truncated && i < c.instance.truncated_tolerances.size();
         ++i) {
      j["tolerances"][i]["absolute_truncated"] = c.instance.truncated_tolerances[i].absolute;
      j["tolerances"][i]["relative_truncated"] = c.instance.truncated_tolerances[i].relative;
    }
  j["sides"] = nlohmann::ordered_json::array();
  for (const Side& s : all.sides) j["sides"].push_back(side_json(s));
  if (all.bits) {
    j["executors_max_diff"] = number_json(all.bits->most);
    j["bit_equal"] = {{"elements", all.bits->all}, {"equal", all.bits->equal}, {"why_not", all.bits->why}};
  }
  if (!all.no_gpu.empty()) j["no_gpu"] = all.no_gpu;
  return j;
}

}  // namespace tl::run
