// tilescope counters: what a GPU's hardware counters say of a kernel, by ncu, beside what the machine model says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measure_counters.h"
#include "interp/run/counters/predicted.h"

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

std::string value_text(const std::string& key, double value) {
  if (key.ends_with("_bytes")) return bytes_text(value);
  if (key.ends_with("_ns")) return time_text(value * 1e-6);
  if (key.ends_with("_percent")) return fmt::format("{:.1f} %", value);
  if (key.ends_with("_rate")) return fmt::format("{:.1f} %", 100 * value);
  return count_text(static_cast<std::int64_t>(value));
}

// +3.1 %, or points where both are per cent already.
std::string difference_text(const std::string& key, double measured, double model) {
  if (key.ends_with("_percent")) return fmt::format("{:+.1f} points", model - measured);
  if (key.ends_with("_rate")) return fmt::format("{:+.1f} points", 100 * (model - measured));
  return measured == 0 ? "" : fmt::format("{:+.1f} %", 100 * (model / measured - 1));
}

// The model's figures are dim as well as named, so that nobody takes them for measured ones.
std::string launch_text(const MeasuredLaunch& l, const Prediction* model, Paint paint) {
  Table table{.header = {"", "measured"}, .left = {0}};
  if (model) table.header.insert(table.header.end(), {"model", "model - measured"});
  table.header.push_back("");
  table.left.push_back(table.header.size() - 1);
  const auto add = [&](const std::string& key, std::optional<double> measured, const char* meaning) {
    if (!measured) return;
    std::vector<std::string> row{key, value_text(key, *measured)};
    if (model) {
      const auto value = model->get(key);
      row.push_back(value ? value_text(key, *value) : "");
      row.push_back(value ? difference_text(key, *measured, *value) : "");
    }
    row.push_back(meaning);
    table.rows.push_back(std::move(row));
  };
  for (const Counter& c : counters()) add(c.key, l.get(c.key), c.meaning);
  add("logical_hit_rate", l.logical_hit_rate(), "reads that found their data in L2, near or far: (H + Fh) / T");
  std::string text =
      fmt::format("{}: {} x {} x {} programs of {} threads, {} registers, {} of shared memory, {} on an SM\n{}",
                  l.kernel, l.grid[0], l.grid[1], l.grid[2], l.threads, l.registers,
                  bytes_text(l.static_shared_bytes + l.dynamic_shared_bytes), l.programs_per_sm, table.text());
  if (model && model->dram_read_high > model->dram_read_low)
    text += paint.dim(fmt::format("  the model states {} to {} for what is read from DRAM\n",
                                  bytes_text(model->dram_read_low), bytes_text(model->dram_read_high)));
  if (l.get("duration_ns").value_or(1e9) < 20e3)
    text += paint.hint("  under 20 us: too short to be measured well; choose larger sizes\n");
  return text;
}

int measure(const CountersOptions& o) {
  const auto cases = chosen_cases(o);
  const Measurements m = measure_counters(cases, o.rounds, command_text(o));
  std::vector<ModelOfRun> models(m.runs.size());
  if (o.cases.empty()) models.front() = model_of(cases.front(), m.runs.front(), m.device);
  bool all = true;
  for (const MeasuredRun& r : m.runs) all = all && r.error.empty();
  if (o.json) {
    auto j = measurements_json(m);
    for (std::size_t l = 0; l < models.front().launches.size(); ++l)
      j["runs"][0]["launches"][l]["model"] = prediction_json(models.front().launches[l]);
    return fmt::print("{}\n", j.dump(1)), all ? exit_ok : exit_failed;
  }
  const Paint paint = paint_of(stdout);
  fmt::print("{} (driver {}), ncu {}: each kernel once, with a cold L2\n", paint.bold(m.device), m.driver, m.ncu);
  for (std::size_t i = 0; i < m.runs.size(); ++i) {
    const MeasuredRun& r = m.runs[i];
    fmt::print("\n{}\n", paint.bold(r.run));
    for (std::size_t l = 0; l < r.launches.size(); ++l)
      fmt::print("{}",
                 launch_text(r.launches[l], l < models[i].launches.size() ? &models[i].launches[l] : nullptr, paint));
    if (!models[i].why_not.empty()) fmt::print("{} {}\n", paint.hint("no model:"), models[i].why_not);
    if (!r.error.empty()) fmt::print("{} {}\n", paint.bad("not measured:"), r.error);
  }
  return all ? exit_ok : exit_failed;
}

// What would be measured, as the model says it: needs no GPU.
int show_model(const CountersOptions& o) {
  const machine::Device device = machine::find_device(o.gpu);
  nlohmann::ordered_json j{{"model_of", device.title}, {"runs", nlohmann::ordered_json::array()}};
  Progress progress;
  for (const MeasuredCase& c : chosen_cases(o)) {
    progress.show("modelling " + c.run);
    nlohmann::ordered_json run{{"run", c.run}, {"set", c.set}, {"launches", nlohmann::ordered_json::array()}};
    for (const PredictedLaunch& l : predict_case(c, device))
      run["launches"].push_back({{"kernel", l.kernel},
                                 {"programs_per_sm", l.programs_per_sm},
                                 {"resources", l.resources},
                                 {"model", prediction_json(l.model)}});
    j["runs"].push_back(std::move(run));
  }
  progress.clear();
  if (o.json) return fmt::print("{}\n", j.dump(1)), exit_ok;
  Table table{
      .header = {"model of " + device.title, "DRAM read", "DRAM written", "sectors into L2", "hit rate", "time"}};
  for (const auto& run : j["runs"])
    for (const auto& l : run["launches"]) {
      const auto& v = l["model"];
      table.rows.push_back({run["run"], bytes_text(v["dram_read_bytes"]), bytes_text(v["dram_write_bytes"]),
                            value_text("tex_sectors", v["tex_sectors"]),
                            value_text("logical_hit_rate", v["logical_hit_rate"]),
                            value_text("duration_ns", v["duration_ns"])});
    }
  fmt::print("{}", table.text());
  std::set<std::string> estimates;
  for (const auto& run : j["runs"])
    for (const auto& l : run["launches"])
      if (const std::string how = l["resources"]; how.starts_with("an estimate") && estimates.insert(how).second)
        fmt::print("what a program takes of its SM: {}\n", how);
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
