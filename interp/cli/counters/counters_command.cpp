// tilescope counters: what a GPU's hardware counters say of a kernel, by ncu, beside what the machine model says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/run/counters/counters_text.h"
#include "interp/run/counters/measure_counters.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct CountersOptions {
  KernelOptions kernel;
  std::string cases;
  std::string gpu = "h200";  // of --model
  int rounds = 1;
  bool generic = false, model = false, json = false;
};

std::vector<MeasuredCase> chosen_cases(const CountersOptions& o) {
  if (o.cases.empty() == o.kernel.kernel.empty())
    throw Error("`tilescope counters` takes a kernel or a list of cases",
                "tilescope counters matmul m=4096, or tilescope counters --cases FILE");
  if (o.cases.empty()) {
    std::string run = o.kernel.kernel;
    for (const std::string& setting : o.kernel.settings) run += " " + setting;
    return {measured_case(run + (o.generic ? " --generic" : ""))};
  }
  return parse_cases(
      read_regular_file(o.cases, most_text_bytes, "give a file with {\"cases\": [{\"run\": \"matmul m=4096\"}, ...]}"));
}

std::string command_text(const CountersOptions& o) {
  std::string text = "tilescope counters";
  if (!o.cases.empty()) text += " --cases " + o.cases;
  else
    text += fmt::format(" {}{}{}{}", o.kernel.kernel, o.kernel.settings.empty() ? "" : " ",
                        fmt::join(o.kernel.settings, " "), o.generic ? " --generic" : "");
  return o.rounds == 1 ? text : fmt::format("{} --rounds {}", text, o.rounds);
}

int measure(const CountersOptions& o) {
  const auto cases = chosen_cases(o);
  const Measurements m = measure_counters(cases, o.rounds, command_text(o));
  std::vector<ModelOfRun> models(m.runs.size());
  if (o.cases.empty()) models.front() = model_of(cases.front(), m.runs.front(), m.device);
  if (o.json) {
    auto j = measurements_json(m);
    for (std::size_t l = 0; l < models.front().launches.size(); ++l)
      j["runs"][0]["launches"][l]["model"] = json_of(fields_of(models.front().launches[l]));
    fmt::print("{}\n", j.dump(1));
  } else {
    fmt::print("{}", measured_text(m, models, paint_of(stdout)));
  }
  for (const MeasuredRun& r : m.runs)
    if (!r.error.empty()) return exit_failed;
  return exit_ok;
}

// What would be measured, as the model says it: needs no GPU.
int show_model(const CountersOptions& o) {
  const machine::Device device = machine::find_device(o.gpu);
  const auto runs = predict_cases(chosen_cases(o), device);
  if (o.json) fmt::print("{}\n", predicted_json(runs, device).dump(1));
  else fmt::print("{}", predicted_text(runs, device));
  return exit_ok;
}

}  // namespace

void add_counters_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CountersOptions>();
  CLI::App* command = program.add_subcommand("counters", "what the GPU's hardware counters say of a kernel, by ncu");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--cases", o->cases, "many runs in one call: {\"cases\": [{\"run\": \"matmul m=4096\"}, ...]}")
      ->type_name("FILE");
  command->add_option("--rounds", o->rounds, "how often to measure all of it, in processes of their own; default 1")
      ->check(CLI::Range(1, 100).description(""))
      ->type_name("1..100");
  command->add_flag("--generic", o->generic, "nothing newer than sm_80");
  command->add_flag("--model", o->model, "what the machine model says instead; needs no GPU");
  command->add_option("--gpu", o->gpu, "of --model: the device, or a file that describes one; default h200")
      ->type_name("NAME|FILE");
  command->add_flag("--json", o->json, "one JSON object; with --cases the counters alone");
  command->footer(
      "Of one kernel the machine model's figures stand beside the measured ones.\n"
      "ncu runs the kernel several times, since it reads few counters at once; L2 is emptied before each, and the "
      "clocks stay as they are.\n"
      "Kernels under 20 us are measured badly: the passes differ, and rates may pass 100 %.\n\n"
      "Examples:\n"
      "  tilescope counters matmul m=4096 n=4096 k=4096 bm=128 bn=128 bk=64 warps=8\n"
      "  tilescope counters --cases cases.json --json > counters.json\n"
      "  tilescope counters --cases cases.json --model");
  command->callback([o, &exit_code] { exit_code = o->model ? show_model(*o) : measure(*o); });
}

}  // namespace tl::cli
