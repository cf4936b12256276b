// tilescope run KERNEL: runs, compares with the reference, shows the output; on a mismatch says why. repro: such a run
// as one file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/case/npy.h"
#include "interp/case/repro.h"
#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/file_name.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/prove/prove.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/interrupt.h"
#include "interp/run/run_case.h"
#include "interp/run/triton_check.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct RunCommandOptions {
  KernelOptions kernel;
  Device device = Device::cpu;
  std::string order, show;
  std::optional<std::string> print;
  std::vector<std::string> checks, saved;  // y=y.npy
  int threads = 0;
  Arithmetic arithmetic = Arithmetic();
  std::string sources;
  bool generic = false, tuned = false, json = false, prove = false;
};

RunRequest request_of(const RunCommandOptions& o, const problems::Instance& instance) {
  cpu::RunOptions run;
  for (const auto& [name, order] :
       {std::pair{"sequential", cpu::Order::sequential}, std::pair{"reversed", cpu::Order::reversed},
        std::pair{"shuffled", cpu::Order::shuffled}})
    if (o.order == name) run.order = order;
  run.seed = o.kernel.seed;
  run.threads = o.threads;
  std::vector<std::string> checks = o.checks;  // of the run: beside triton all are as by default
  std::erase(checks, "triton");
  if (!checks.empty()) run.checks = parse_checks(checks);
  else if (!instance.reference_at)
    run.checks = {.uninitialized = true, .race = true, .undefined_lane = true};  // NaN: in a repeat
  if (problems::names_file(o.kernel.kernel))
    run.op_limit = 30'000'000;  // an endless loop is reported; other kernels take fewer
  run.stop = &stop_requested();
  return {o.device, run, o.arithmetic, !checks.empty(), o.generic, o.print, o.json ? stderr : stdout};
}

// Only the interpreter has an order, threads and checks: with --device cuda these options are refused.
void refuse_on_cuda(const RunCommandOptions& o) {
  for (const auto& [name, is_given] :
       {std::pair{"--order", !o.order.empty()}, std::pair{"--threads", o.threads != 0},
        std::pair{"--check", !o.checks.empty()}, std::pair{"--print", o.print.has_value()},
        std::pair{"--arith", o.arithmetic.name() != Arithmetic().name()}})
    if (is_given)
      throw Error(fmt::format("{} is the interpreter's; the GPU has none", name),
                  fmt::format("leave out {} or --device cuda", name));
}

// `--check race uninit`: the second word would be taken for a setting.
void require_one_list(const RunCommandOptions& o) {
  static const std::vector<std::string> names{"all", "none", "uninit", "race", "undef", "hints", "nan", "triton"};
  for (const std::string& word : o.kernel.settings)
    if (!o.checks.empty() && std::ranges::count(names, word))
      throw Error(fmt::format("\"{}\" stands apart from what --check has", word),
                  fmt::format("put commas between them: --check {},{}", fmt::join(o.checks, ","), word));
}

// y=y.npy: the tensor, the file.
std::pair<std::string, std::string> name_and_file(const std::string& saved) {
  const std::size_t equals = saved.find('=');
  if (equals == std::string::npos || !saved.ends_with(".npy"))
    throw Error(fmt::format("--save {}: this is not TENSOR=FILE.npy", saved), "--save y=y.npy");
  return {saved.substr(0, equals), saved.substr(equals + 1)};
}

Case case_of(RunCommandOptions& o) {
  require_one_list(o);
  if (o.device == Device::cuda) refuse_on_cuda(o);
  if (!o.sources.empty()) use_sources(o.sources, problems::find(o.kernel.kernel).source);
  if (o.tuned) o.kernel.settings = use_tuned(o.kernel, tuned_for(o.device));
  Case c = make_case(o.kernel);
  if (o.device != Device::cuda) require_built_in_text(c.instance);
  return c;
}

int run(RunCommandOptions o) {
  const Case c = case_of(o);
  if (o.prove) {
    const prove::Proof proof = prove::prove_case(c);
    if (o.json) fmt::print("{}\n", prove::proof_json(proof).dump());
    else fmt::print("{}", prove::proof_text(proof, o.kernel.kernel, paint_of(stdout)));
    return proof.is_wrong() ? exit_failed : exit_ok;
  }
  if (!o.show.empty()) shown_tensor(c.instance, o.show);  // a wrong name is refused before the work
  for (const std::string& s : o.saved) {
    shown_tensor(c.instance, name_and_file(s).first);
    require_writable(name_and_file(s).second);
  }
  if (o.device != Device::cuda) watch_for_triton(c.instance.launches, o.checks);
  const RunRequest request = request_of(o, c.instance);
  Outcome out = run_case(c, request);
  for (std::string& note : triton_notes(c.instance.launches, o.json ? Paint() : paint_of(stdout)))
    out.execution.notes.push_back(std::move(note));
  if (stop_requested())
    return interrupted(fmt::format("{} of {} had run", count_text(out.execution.programs),
                                   plural(programs_of(c.instance), "program")));
  // What the failed run left is shown, not what the repeat with all checks leaves.
  const auto json = o.json ? outputs_json(c.instance, o.show) : nlohmann::ordered_json();
  const std::string tensor = out.execution.ok() || !o.show.empty() ? shown_text(c.instance, o.show) : "";
  for (const std::string& s : o.saved)
    if (out.execution.ok()) cases::write_npy(shown_tensor(c.instance, name_and_file(s).first), name_and_file(s).second);
  look_closer(out, c, request);
  if (o.json) fmt::print("{}\n", outcome_json(c, o.device, out, json).dump());
  else fmt::print("{}", outcome_text(c, o.device, out, tensor, paint_of(stdout)));
  return out.ok() ? exit_ok : exit_failed;
}

// The command that repeats the run from `file`, with the options that the case does not hold.
std::string command_line(const RunCommandOptions& o, const std::string& file) {
  std::string line = "tilescope run " + file;
  if (o.device == Device::cuda) line += std::string(" --device cuda") + (o.generic ? " --generic" : "");
  if (!o.order.empty()) line += " --order " + o.order;
  if (o.order == "shuffled") line += fmt::format(" --seed {}", o.kernel.seed);
  if (o.threads) line += fmt::format(" --threads {}", o.threads);
  if (!o.checks.empty()) line += fmt::format(" --check {}", fmt::join(o.checks, ","));
  return line;
}

// The file is there before the run, which may end the program.
int repro(RunCommandOptions o, const std::string& file) {
  if (!problems::names_file(file))
    throw Error(fmt::format("--out {}: this is not a kernel's file", file), "end its name in .h, or in .py: -o bug.h");
  if (const bool from_python = is_python(file_in(o.kernel.kernel)); is_python(file) != from_python)
    throw Error(fmt::format("--out {}: the text of {} is {}", file, o.kernel.kernel, from_python ? "Python" : "C++"),
                fmt::format("end its name in {}", from_python ? ".py: -o bug.py" : ".h: -o bug.h"));
  const Case c = case_of(o);
  const std::string again = command_line(o, file);
  const cases::Repro made = cases::repro_of(*c.problem, c.settings, o.kernel.seed, again);
  if (std::filesystem::exists(std::filesystem::symlink_status(file)) && read_regular_file(file) != made.text)
    throw Error(file + " is there already", "choose another name, or move that file away");
  write_file(file, made.text);
  fmt::print("wrote {}: the kernel, its case, its inputs\n", file);
  for (const std::string& f : made.beside) fmt::print("it needs {} beside it\n", f);
  std::fflush(stdout);
  const RunRequest request = request_of(o, c.instance);
  Outcome out = run_case(c, request);
  if (stop_requested()) return interrupted(fmt::format("{} has what there is to run again: {}", file, again));
  const std::string tensor = out.execution.ok() ? shown_text(c.instance, "") : "";
  look_closer(out, c, request);
  if (out.ok()) {
    std::filesystem::remove(file);
    throw Error(fmt::format("{} does not fail so: there is nothing to reproduce, and {} is removed again",
                            o.kernel.kernel, file),
                "give the settings, --device, --seed, --order and --check of the run that does");
  }
  fmt::print("\n{}\n`{}` fails likewise\n", outcome_text(c, o.device, out, tensor, paint_of(stdout)), again);
  return exit_ok;
}

// The options that say how a kernel is run.
void add_run_options(CLI::App& command, RunCommandOptions& o) {
  add_kernel_options(command, o.kernel);
  add_device_option(command, o.device);
  command.add_option("--order", o.order, "of the programs; default: all threads at once")
      ->check(CLI::IsMember({"sequential", "reversed", "shuffled"}).description(""))
      ->type_name("sequential|reversed|shuffled");
  command.add_option("--threads", o.threads, "of the interpreter; default: all")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("1..4096");
  command
      .add_option("--check", o.checks,
                  "beyond bounds: uninit, race, undef, hints, nan, all, none; default all, those that cost in a repeat "
                  "of at most the same time. triton: what Triton refuses in a .py")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  add_arithmetic_option(command, o.arithmetic);
  command.add_flag("--generic", o.generic, "on the GPU: nothing newer than sm_80");
}

}  // namespace

void add_run_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<RunCommandOptions>();
  CLI::App* command = program.add_subcommand("run", "run a kernel and compare it with its reference");
  add_run_options(*command, *o);
  command->add_option("--print", o->print, "a line for each program that COND holds for: '' all, '=0', ',>1', '>1,=0'")
      ->type_name("COND");
  command->add_option("--show", o->show, "print this tensor instead of the outputs")->type_name("TENSOR");
  command->add_option("--save", o->saved, "write a tensor as a file of NumPy's, after the run: y=y.npy")
      ->allow_extra_args(false)
      ->type_name("TENSOR=FILE.npy");
  command
      ->add_option(
          "--sources", o->sources,
          "on the GPU: take kernels/NAME.h from this folder instead of the program; or set TILESCOPE_SOURCES. "
          "The interpreter refuses a text it was not built with. Of a file's kernel: what it includes, on both")
      ->type_name("FOLDER");
  command->add_flag("--prove", o->prove,
                    "instead: for every size of the case, whether each access is inside its tensor and each program "
                    "stores to elements of its own, by z3");
  add_tuned_flag(*command, o->tuned);
  command->add_flag("--json", o->json,
                    "one JSON object; outputs above 4096 elements are null, NaN and infinities the strings \"nan\", "
                    "\"inf\", \"-inf\"");
  command->footer(
      "Exit code: 0 the output agrees with the reference, 1 it does not or the run failed, 2 wrong use.\n"
      "Where the reference in double would take long, some thousand elements, drawn at random, are compared, and their "
      "number is printed.\n\n"
      "Examples:\n"
      "  tilescope run copy_wrong_offsets n=6 block=2\n"
      "  tilescope run add n=10 block=4 --print '>0'\n"
      "  tilescope run matmul m=100 n=90 k=70 --device cuda\n"
      "  tilescope run relu.h x=@x.npy --expect 'y = maximum(x, 0)' --save y=y.npy\n"
      "  tilescope run relu.h --prove\n"
      "  tilescope run sum --order shuffled --seed 7 --check race,uninit");
  command->callback([o, &exit_code] { exit_code = run(*o); });
}

void add_repro_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<RunCommandOptions>();
  auto file = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("repro", "one file of a run that fails, which `run` takes: to pass on");
  add_run_options(*command, *o);
  command
      ->add_option("-o,--out", *file,
                   "the file, NAME.h or NAME.py as the kernel's: with its case, and inputs that are small")
      ->required()
      ->type_name("FILE.h|FILE.py");
  command->footer(
      "Exit code: 0 the run fails and the file is there, 2 it does not fail.\n\n"
      "Examples:\n"
      "  tilescope repro relu.h n=4097 x=@x.npy -o bug.h\n"
      "  tilescope repro copy_wrong_stride -o bug.h\n"
      "  tilescope repro softmax.py n=4097 -o bug.py\n"
      "  tilescope run bug.h");
  command->callback([o, file, &exit_code] { exit_code = repro(*o, *file); });
}

}  // namespace tl::cli
