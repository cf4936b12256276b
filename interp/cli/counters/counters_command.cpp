#include "interp/cli/counters/counters_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "interp/cli/commands.h"
#include "interp/cli/counters/case_list.h"
#include "interp/cli/counters/measured.h"
#include "interp/cli/counters/ncu.h"
#include "interp/cli/numbers.h"
#include "interp/cli/table.h"
#include "interp/cli/terminal.h"
#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"

namespace tl::cli {

namespace fs = std::filesystem;

namespace {

struct CountersOptions {
  KernelOptions kernel;
  std::string cases;
  bool generic = false, json = false;
};

std::vector<MeasuredCase> chosen_cases(const CountersOptions& o) {
  if (o.cases.empty() == o.kernel.kernel.empty())
    throw Error("`tilescope counters` takes a kernel or a list of cases", "tilescope counters matmul m=4096, or tilescope counters --cases FILE");
  if (o.cases.empty()) {
    std::string run = o.kernel.kernel;
    for (const std::string& setting : o.kernel.settings) run += " " + setting;
    return {measured_case(run + (o.generic ? " --generic" : ""))};
  }
  std::ifstream in(o.cases);
  if (!in) throw Error(fmt::format("\"{}\" cannot be read", o.cases), "give a file with {\"cases\": [{\"run\": \"matmul m=4096\"}, ...]}");
  return parse_cases({std::istreambuf_iterator<char>(in), {}});
}

// A file that goes when its owner does.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) : path_((fs::temp_directory_path() / "tilescope-cases-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0)
      throw Error("cannot write a temporary file in " + fs::temp_directory_path().string(), "free some space there or set TMPDIR");
    close(file);
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string command_text(const CountersOptions& o) {
  if (!o.cases.empty()) return "tilescope counters --cases " + o.cases;
  return fmt::format("tilescope counters {}{}{}{}", o.kernel.kernel, o.kernel.settings.empty() ? "" : " ", fmt::join(o.kernel.settings, " "),
                     o.generic ? " --generic" : "");
}

Measurements measure_cases(const CountersOptions& o, const std::vector<MeasuredCase>& cases) {
  const std::string ncu = find_ncu();
  const cuda::DeviceInfo device = cuda::device_info();
  const TemporaryFile file(cases_json(cases));
  std::vector<const MeasuredCase*> runs;
  for (const MeasuredCase& c : cases) runs.insert(runs.end(), static_cast<std::size_t>(c.times), &c);

  std::vector<nlohmann::json> facts;
  Progress progress;
  const auto show = [&] {
    if (facts.size() < runs.size()) progress.show(fmt::format("profiling {} of {}: {}", facts.size() + 1, runs.size(), runs[facts.size()]->run));
  };
  show();
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const Profile p = profile(ncu, shell_quoted(self) + " launch-once " + shell_quoted(file.path()), metrics_of_all_counters(),
                            [&](const std::string& line) {
                              if (!line.starts_with("{")) return fmt::print(stderr, "{}\n", line);
                              facts.push_back(nlohmann::json::parse(line));
                              show();
                            });
  progress.clear();
  if (facts.size() < runs.size())
    throw Error(fmt::format("the run under ncu ended after {} of {} cases", facts.size(), runs.size()),
                fmt::format("see whether it runs alone: tilescope run {} --device cuda", runs[facts.size()]->run));

  Measurements m{device.name, device.driver, p.version, fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))), command_text(o), {}};
  std::size_t taken = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    m.runs.push_back(measured_run(facts[i], p, taken));
    m.runs.back().run = runs[i]->run;
    m.runs.back().set = runs[i]->set;
  }
  return m;
}

std::string value_text(const Counter& c, double value) {
  const std::string key = c.key;
  if (key.ends_with("_bytes")) return bytes_text(value);
  if (key.ends_with("_ns")) return time_text(value * 1e-6);
  if (key.ends_with("_percent")) return fmt::format("{:.1f} %", value);
  return count_text(static_cast<std::int64_t>(value));
}

std::string launch_text(const MeasuredLaunch& l) {
  Table table{.header = {"", "measured", ""}, .left = {0, 2}};
  for (const Counter& c : counters())
    if (const auto value = l.get(c.key)) table.rows.push_back({c.key, value_text(c, *value), c.meaning});
  if (const auto rate = l.logical_hit_rate())
    table.rows.push_back({"logical_hit_rate", fmt::format("{:.1f} %", 100 * *rate), "reads that found their data in L2, near or far: (H + Fh) / T"});
  return fmt::format("{}: {} x {} x {} programs of {} threads, {} registers, {} of shared memory, {} on an SM\n{}", l.kernel, l.grid[0], l.grid[1],
                     l.grid[2], l.threads, l.registers, bytes_text(l.static_shared_bytes + l.dynamic_shared_bytes), l.programs_per_sm, table.text());
}

int measure(const CountersOptions& o) {
  const Measurements m = measure_cases(o, chosen_cases(o));
  bool all = true;
  for (const MeasuredRun& r : m.runs) all = all && r.error.empty();
  if (o.json) return fmt::print("{}\n", measurements_json(m).dump(1)), all ? exit_ok : exit_failed;
  const Paint paint = paint_of(stdout);
  fmt::print("{} (driver {}), ncu {}: each kernel once, with a cold L2\n", paint.bold(m.device), m.driver, m.ncu);
  for (const MeasuredRun& r : m.runs) {
    fmt::print("\n{}\n", paint.bold(r.run));
    for (const MeasuredLaunch& l : r.launches) fmt::print("{}", launch_text(l));
    if (!r.error.empty()) fmt::print("{} {}\n", paint.bad("not measured:"), r.error);
  }
  return all ? exit_ok : exit_failed;
}

}  // namespace

void add_counters_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<CountersOptions>();
  CLI::App* command = program.add_subcommand("counters", "what the GPU's hardware counters say of a kernel, by ncu");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--cases", o->cases, "many runs in one call: {\"cases\": [{\"run\": \"matmul m=4096\", \"times\": 3}, ...]}")->type_name("FILE");
  command->add_flag("--generic", o->generic, "nothing newer than sm_80");
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "ncu runs the kernel several times, since it reads few counters at once; L2 is emptied before each, and the clocks stay as they are.\n"
      "Kernels under 20 us are measured badly: the passes differ, and rates may pass 100 %.\n\n"
      "Examples:\n"
      "  tilescope counters matmul m=4096 n=4096 k=4096 bm=128 bn=128 bk=64 warps=8\n"
      "  tilescope counters --cases cases.json --json > counters.json");
  command->callback([o, &exit_code] { exit_code = measure(*o); });
}

}  // namespace tl::cli
