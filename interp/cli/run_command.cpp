// tilescope run KERNEL: runs, compares with the reference, shows the output; on a mismatch says why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "interp/report/terminal.h"
#include "interp/run/execute.h"
#include "interp/run/interrupt.h"
#include "interp/run/print_programs.h"
#include "interp/sources/sources.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

constexpr std::int64_t most_json_elems = 4096;

struct RunCommandOptions {
  KernelOptions kernel;
  Device device = Device::cpu;
  std::string order, show;
  std::optional<std::string> print;
  std::vector<std::string> checks;
  int threads = 0;
  std::string sources;
  bool generic = false, json = false;
};

struct Outcome {
  Execution execution;
  std::optional<problems::Verdict> verdict;  // none after a fault
  std::optional<Explanation> why;
  std::string finished;  // what the problem left behind
  bool ok() const { return execution.ok() && verdict && verdict->ok; }
};

cpu::RunOptions cpu_options(const RunCommandOptions& o) {
  cpu::RunOptions run;
  run.order = o.order == "sequential" ? cpu::Order::sequential
              : o.order == "reversed" ? cpu::Order::reversed
              : o.order == "shuffled" ? cpu::Order::shuffled
                                      : cpu::Order::parallel;
  run.seed = o.kernel.seed;
  run.threads = o.threads;
  if (!o.checks.empty()) run.checks = parse_checks(o.checks);
  run.stop = &stop_requested();
  return run;
}

// Only the interpreter has an order, threads and checks: with the GPU these are a misunderstanding.
void refuse_on_cuda(const RunCommandOptions& o) {
  const char* what = !o.order.empty()    ? "--order"
                     : o.threads         ? "--threads"
                     : !o.checks.empty() ? "--check"
                     : o.print           ? "--print"
                                         : nullptr;
  if (what)
    throw Error(fmt::format("{} is the interpreter's; the GPU has none", what),
                fmt::format("leave out {} or --device cuda", what));
}

// `--check race uninit`: the second word would be taken for a setting.
void require_one_list(const RunCommandOptions& o) {
  static const std::vector<std::string> names{"all", "none", "uninit", "race", "undef", "hints", "nan"};
  for (const std::string& word : o.kernel.settings)
    if (!o.checks.empty() && std::ranges::count(names, word))
      throw Error(fmt::format("\"{}\" stands apart from what --check has", word),
                  fmt::format("put commas between them: --check {},{}", fmt::join(o.checks, ","), word));
}

const Tensor& shown_tensor(const problems::Instance& instance, const std::string& name) {
  if (name.empty()) return instance.outputs.back();
  std::vector<std::string> names;
  for (const auto* group : {&instance.outputs, &instance.inputs})
    for (const Tensor& t : *group) {
      if (t.name == name) return t;
      names.push_back(t.name);
    }
  throw Error(fmt::format("there is no tensor \"{}\" to show", name),
              fmt::format("choose from {}", fmt::join(names, ", ")));
}

Outcome carry_out(const RunCommandOptions& o, const Case& c) {
  Outcome out;
  Progress progress(o.print ? "" : "running " + c.problem->name);
  if (o.device == Device::cuda) out.execution = run_on_cuda(c.instance, o.generic);
  else {
    const KeepOnInterrupt keep;  // tells how far it came
    out.execution = o.print ? run_and_print(c.instance, cpu_options(o), *o.print, o.json ? stderr : stdout)
                            : run_on_cpu(c.instance, cpu_options(o));
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
  for (const Launch& launch : c.instance.launches)  // what the interpreter would repeat is another kernel
    if (sources::differs_from_built_in(launch.source)) return;
  if (out.verdict && !out.verdict->ok) out.why = explain(c.instance, *out.verdict->first);
  // A fault on the GPU says little; the interpreter's checks say where.
  else if (!out.execution.ok() && device == Device::cuda && !out.execution.was_stopped())
    out.why = explain(c.instance, {c.instance.outputs.size() - 1, 0, 0, 0});
}

nlohmann::ordered_json outcome_json(const RunCommandOptions& o, const Case& c, const Outcome& out,
                                    const nlohmann::ordered_json& outputs) {
  nlohmann::ordered_json j;
  j["kernel"] = c.problem->name;
  j["device"] = o.device == Device::cuda ? "cuda" : "cpu";
  j["settings"] = settings_json(*c.problem, c.settings);
  j["ok"] = out.ok();
  if (out.verdict) {
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

nlohmann::ordered_json outputs_json(const problems::Instance& instance, const std::string& show) {
  auto all = nlohmann::ordered_json::object();
  const auto add = [&](const Tensor& t) {
    all[t.name] = t.elems() <= most_json_elems ? tensor_json(t) : nlohmann::ordered_json(nullptr);
  };
  for (const Tensor& t : instance.outputs) add(t);
  if (!show.empty()) add(shown_tensor(instance, show));
  return all;
}

std::string head_text(const RunCommandOptions& o, const Case& c, const Outcome& out, Paint paint) {
  std::string device = o.device == Device::cuda ? "GPU" : "interpreter";
  std::string time = time_text(out.execution.wall_ms);
  if (std::isfinite(out.execution.gpu_ms))
    time = fmt::format("{} (kernels alone {})", time, time_text(out.execution.gpu_ms));
  return paint.bold(c.problem->name) + " " + settings_text(*c.problem, c.settings) + "\n" +
         paint.dim(fmt::format("{}, {}, {}", device, plural(out.execution.programs, "program"), time)) + "\n";
}

std::string verdict_text(const Case& c, const problems::Verdict& v, Paint paint) {
  if (!v.ok) return paint.bad("wrong:") + " " + mismatch_text(c.instance, v, c.instance.outputs) + "\n";
  std::int64_t elems = 0;
  for (const Tensor& t : c.instance.outputs) elems += t.elems();
  const std::string checked = v.checked < elems ? fmt::format("; {} checked", plural(v.checked, "element")) : "";
  return paint.good("ok:") +
         fmt::format(" agrees with the reference (max abs error {}{})\n", error_text(v.max_abs_error), checked);
}

void print_outcome(const RunCommandOptions& o, const Case& c, const Outcome& out, const std::string& tensor) {
  const Paint paint = paint_of(stdout);
  std::string text = head_text(o, c, out, paint) + tensor;
  for (const std::string& note : out.execution.notes) text += paint.dim("note: " + note) + "\n";
  if (!out.finished.empty()) text += out.finished + "\n";
  if (out.verdict) text += verdict_text(c, *out.verdict, paint);
  for (const Fault& f : out.execution.faults) text += fault_text(f, paint);
  if (out.why) text += explanation_text(*out.why, paint);
  if (!out.ok() && c.instance.wrong_on_purpose)
    text += paint.hint("This kernel is wrong on purpose") +
            fmt::format(": `tilescope debug {}` steps through it.\n", c.problem->name);
  fmt::print("{}", text);
}

std::string shown_text(const problems::Instance& instance, const std::string& show) {
  const Tensor& t = shown_tensor(instance, show);
  const std::string text = tensor_text(t);
  const bool cut = text.find("...") != std::string::npos;
  return fmt::format("{}{} ={}{}\n", t.name, cut ? " " + type_text(t) : "",
                     text.find('\n') == std::string::npos ? " " : "\n", text);
}

int run(const RunCommandOptions& o) {
  require_one_list(o);
  if (o.device == Device::cuda) refuse_on_cuda(o);
  if (!o.sources.empty()) use_sources(o.sources, problems::find(o.kernel.kernel).source);
  const Case c = make_case(o.kernel);
  if (o.device != Device::cuda) require_built_in_text(c.instance);
  shown_tensor(c.instance, o.show);  // a wrong name is refused before the work
  Outcome out = carry_out(o, c);
  if (stop_requested())
    return interrupted(fmt::format("{} of {} had run", count_text(out.execution.programs),
                                   plural(programs_of(c.instance), "program")));
  // What the failed run left is shown, not what the repeat with all checks leaves.
  const auto json = o.json ? outputs_json(c.instance, o.show) : nlohmann::ordered_json();
  const std::string tensor = out.execution.ok() || !o.show.empty() ? shown_text(c.instance, o.show) : "";
  add_explanation(out, c, o.device);
  if (o.json) fmt::print("{}\n", outcome_json(o, c, out, json).dump());
  else print_outcome(o, c, out, tensor);
  return out.ok() ? exit_ok : exit_failed;
}

}  // namespace

void add_run_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<RunCommandOptions>();
  CLI::App* command = program.add_subcommand("run", "run a kernel and compare it with its reference");
  add_kernel_options(*command, o->kernel);
  add_device_option(*command, o->device);
  command->add_option("--print", o->print, "a line for each program that COND holds for: '' all, '=0', ',>1', '>1,=0'")
      ->type_name("COND");
  command->add_option("--order", o->order, "of the programs; default: all threads at once")
      ->check(CLI::IsMember({"sequential", "reversed", "shuffled"}).description(""))
      ->type_name("sequential|reversed|shuffled");
  command->add_option("--threads", o->threads, "of the interpreter; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  command->add_option("--show", o->show, "print this tensor instead of the last output")->type_name("TENSOR");
  command->add_option("--check", o->checks, "beyond bounds: uninit, race, undef, hints, nan, all, none; default hints")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      ->add_option("--sources", o->sources,
                   "on the GPU: take kernels/NAME.h from this folder instead of the program; or set TILESCOPE_SOURCES. "
                   "The interpreter refuses a text it was not built with")
      ->type_name("FOLDER");
  command->add_flag("--generic", o->generic, "on the GPU: nothing newer than sm_80");
  command->add_flag("--json", o->json,
                    "one JSON object; outputs above 4096 elements are null, NaN and infinities the strings \"nan\", "
                    "\"inf\", \"-inf\"");
  command->footer(
      "Exit code: 0 the output agrees with the reference, 1 it does not or the run failed, 2 wrong use.\n"
      "Where the reference in double would take long, some thousand elements are compared, drawn at random; the count "
      "is told.\n\n"
      "Examples:\n"
      "  tilescope run copy_wrong_offsets n=6 block=2\n"
      "  tilescope run add n=10 block=4 --print '>0'\n"
      "  tilescope run matmul m=100 n=90 k=70 --device cuda\n"
      "  tilescope run sum --order shuffled --seed 7 --check race,uninit");
  command->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace tl::cli
