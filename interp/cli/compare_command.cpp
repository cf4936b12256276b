// tilescope compare KERNEL: interpreter, GPU and reference side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/cuda/host/device.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/tensor_text.h"
#include "interp/run/execute.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct CompareOptions {
  KernelOptions kernel;
  int threads = 0;
  std::optional<Device> device;  // none: both
  bool json = false;
};

// One executor's side of the comparison.
struct Side {
  std::string name;
  Execution execution;
  std::vector<Tensor> outputs;
  std::optional<problems::Verdict> verdict;
  std::optional<Explanation> why;
  bool ok() const { return execution.ok() && verdict && verdict->ok; }
};

Side side_of(std::string name, const problems::Instance& instance, Execution execution) {
  Side s{std::move(name), std::move(execution), {}, {}, {}};
  for (const Tensor& t : instance.outputs) s.outputs.push_back(clone(t));
  if (s.execution.ok())
    s.verdict = problems::check(instance, s.outputs, problems::affordable_samples(instance), s.execution.tf32);
  return s;
}

struct Comparison {
  std::vector<Side> sides;
  std::string no_gpu;                        // why there is none
  std::optional<double> executors_max_diff;  // between interpreter and GPU
};

double max_difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double most = 0;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::int64_t i = 0; i < a[t].elems(); ++i) {
      const double x = get(a[t], i), y = get(b[t], i), d = std::abs(x - y);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(d <= most)) most = d;
    }
  return most;
}

Comparison carry_out(const CompareOptions& o, const Case& c) {
  Comparison all;
  cpu::RunOptions options;
  options.threads = o.threads;
  if (o.device != Device::cuda) {
    require_built_in_text(c.instance);
    all.sides.push_back(side_of("interpreter", c.instance, run_on_cpu(c.instance, options)));
  }
  if (o.device != Device::cpu && (o.device == Device::cuda || cuda::available(&all.no_gpu))) {
    c.instance.reset();
    all.sides.push_back(side_of("GPU", c.instance, run_on_cuda(c.instance)));
    if (all.sides.size() > 1 && all.sides[0].execution.ok() && all.sides[1].execution.ok())
      all.executors_max_diff = max_difference(all.sides[0].outputs, all.sides[1].outputs);
  }
  for (Side& s : all.sides)
    if (s.verdict && !s.verdict->ok) s.why = explain(c.instance, *s.verdict->first);
  return all;
}

std::string accumulation_text(const problems::Instance& i) { return i.accumulates ? name_of(*i.accumulates) : "-"; }

std::string dtypes_text(const std::vector<Tensor>& tensors) {
  std::string out;
  for (const Tensor& t : tensors) out += (out.empty() ? "" : ", ") + t.name + " " + type_text(t);
  return out.empty() ? "none" : out;
}

void print_comparison(const Case& c, const Comparison& all) {
  const Paint paint = paint_of(stdout);
  const DType out_dtype = c.instance.outputs.back().dtype;
  fmt::print("{} {}\n  inputs     {}\n  outputs    {}\n", paint.bold(c.problem->name),
             settings_text(*c.problem, c.settings), dtypes_text(c.instance.inputs), dtypes_text(c.instance.outputs));
  const auto print_tolerances = [&](const std::vector<problems::Tolerance>& tolerances, const char* whose) {
    for (std::size_t i = 0; i < tolerances.size(); ++i)
      fmt::print("  tolerance  |{} - ref| <= {} + {} |ref|{}\n", c.instance.outputs[i].name,
                 error_text(tolerances[i].absolute), error_text(tolerances[i].relative), whose);
  };
  print_tolerances(c.instance.tolerances, "");
  for (const Side& s : all.sides)
    if (s.execution.tf32 == problems::Tf32::truncated)
      print_tolerances(c.instance.truncated_tolerances, ", on this GPU: its tensor cores truncate f32 to tf32");
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
  table.rows.push_back({"reference", "f64", "f64", "-", "-", "-", "-", "-"});
  fmt::print("\n{}", table.text());
  if (std::isfinite(all.sides.back().execution.gpu_ms))
    fmt::print("  GPU time: the kernels alone, once, cold; `tilescope bench` times them properly\n");
  if (all.executors_max_diff)
    fmt::print("  interpreter and GPU differ by at most {}\n", error_text(*all.executors_max_diff));
  if (!all.no_gpu.empty()) fmt::print("\n{} {}\n", paint.hint("no GPU compared:"), all.no_gpu);
  for (const Side& s : all.sides) {
    if (s.ok()) continue;
    fmt::print("\n{} ", paint.bad(s.name + ":"));
    for (const Fault& f : s.execution.faults) fmt::print("{}", fault_text(f, paint));
    if (s.verdict) fmt::print("{}\n", mismatch_text(c.instance, *s.verdict, s.outputs));
    if (s.why) fmt::print("{}", explanation_text(*s.why, paint));
  }
  for (const Side& s : all.sides)
    for (const std::string& note : s.execution.notes) fmt::print("{}\n", paint.dim("note: " + note));
}

nlohmann::ordered_json comparison_json(const Case& c, const Comparison& all) {
  nlohmann::ordered_json j{{"kernel", c.problem->name}, {"settings", settings_json(*c.problem, c.settings)}};
  bool ok = true;
  for (const Side& s : all.sides) ok = ok && s.ok();
  j["ok"] = ok;
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
  for (const Side& s : all.sides) {
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
    j["sides"].push_back(side);
  }
  if (all.executors_max_diff) j["executors_max_diff"] = number_json(*all.executors_max_diff);
  if (!all.no_gpu.empty()) j["no_gpu"] = all.no_gpu;
  return j;
}

int compare(const CompareOptions& o) {
  const Case c = make_case(o.kernel);
  const Comparison all = [&] {
    const Progress progress("comparing " + c.problem->name);
    return carry_out(o, c);
  }();
  if (c.instance.finish && !o.json)
    fmt::print("note: nothing is written to a file here: `tilescope run {}` does\n", c.problem->name);
  if (o.json) fmt::print("{}\n", comparison_json(c, all).dump());
  else print_comparison(c, all);
  for (const Side& s : all.sides)
    if (!s.ok()) return exit_failed;
  return exit_ok;
}

}  // namespace

void add_compare_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand("compare", "interpreter, GPU and reference side by side");
  add_kernel_options(*command, o->kernel);
  command->add_option("--threads", o->threads, "of the interpreter; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  command
      ->add_option_function<Device>(
          "--device", [o](const Device& d) { o->device = d; }, "only this one beside the reference; default: both")
      ->transform(
          CLI::Transformer(std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}).description(""))
      ->type_name("cpu|cuda");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "Without a GPU the interpreter is compared alone. Exit code: 0 all agree, 1 one does not, 2 wrong use.\n\n"
      "Examples:\n"
      "  tilescope compare softmax rows=37 cols=781\n"
      "  tilescope compare matmul m=256 n=256 k=256 dtype=bf16");
  command->callback([o, &exit_code] { exit_code = compare(*o); });
}

}  // namespace tl::cli
