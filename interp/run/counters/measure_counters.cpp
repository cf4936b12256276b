#include "interp/run/counters/measure_counters.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/lang/shell.h"
#include "interp/lang/unavailable.h"
#include "interp/lang/unfinished.h"
#include "interp/report/terminal.h"

namespace tl::run {

using namespace report;

namespace fs = std::filesystem;

namespace {

struct Round {
  std::vector<MeasuredRun> runs;
  std::string ncu_version;
};

Round measure_round(const std::string& ncu, const std::vector<MeasuredCase>& cases, const std::string& name) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "cases.json";
  write_file(file, cases_json(cases));
  std::vector<nlohmann::json> facts;
  Progress progress;
  const auto show = [&] {
    if (facts.size() < cases.size())
      progress.show(
          fmt::format("profiling {} of {}{}: {}", facts.size() + 1, cases.size(), name, cases[facts.size()].run));
  };
  show();
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const Profile p = profile(ncu, shell_quoted(self) + " launch-once " + shell_quoted(file), metrics_of_all_counters(),
                            [&](const std::string& line) {
                              if (!line.starts_with("{") || !nlohmann::json::accept(line))
                                return fmt::print(stderr, "{}\n", line);
                              facts.push_back(nlohmann::json::parse(line));
                              show();
                            });
  progress.clear();
  if (facts.size() < cases.size())
    throw Error(fmt::format("the run under ncu ended after {} of {} cases", facts.size(), cases.size()),
                fmt::format("see whether it runs alone: tilescope run {} --device cuda", cases[facts.size()].run));
  Round round{{}, p.version};
  std::size_t taken = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    round.runs.push_back(measured_run(facts[i], p, taken));
    round.runs.back().run = cases[i].run;
    round.runs.back().set = cases[i].set;
  }
  return round;
}

}  // namespace

Measurements measure_counters(const std::vector<MeasuredCase>& cases, int rounds, const std::string& command) {
  if (std::string why_not; !cuda::available(&why_not))
    throw Unavailable("counters are a GPU's: " + why_not,
                      "run it where an NVIDIA GPU and ncu are, or see what the model says: --model");
  const std::string ncu = find_ncu();
  const cuda::DeviceInfo device = cuda::device_info();
  Measurements m{
      device.name, device.driver, "", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))), command, {}, {}, {},
      {}};
  for (int i = 0; i < rounds; ++i) {
    std::vector<MeasuredCase> order = cases;
    if (i % 2 == 1) std::ranges::reverse(order);
    Round round = measure_round(ncu, order, rounds == 1 ? "" : fmt::format(" in round {} of {}", i + 1, rounds));
    if (i % 2 == 1) std::ranges::reverse(round.runs);
    m.ncu = round.ncu_version;
    for (std::size_t c = 0; c < cases.size(); ++c) {
      if (i == 0) m.runs.push_back(std::move(round.runs[c]));
      else m.runs[c].add_round(std::move(round.runs[c]));
    }
  }
  return m;
}

}  // namespace tl::run
