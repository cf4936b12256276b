#include "interp/run/kernel_case.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "interp/lang/error.h"
#include "interp/report/terminal.h"

namespace tl::cli {

namespace {

nlohmann::ordered_json setting_json(const problems::Setting& setting, const problems::Settings& settings) {
  switch (setting.kind) {
    case problems::Setting::Kind::integer: return settings.integer(setting.name);
    case problems::Setting::Kind::real: return settings.real(setting.name);
    case problems::Setting::Kind::boolean: return settings.boolean(setting.name);
    default: return settings.text(setting.name);
  }
}

}  // namespace

void add_kernel_options(CLI::App& command, KernelOptions& options) {
  command.add_option("kernel", options.kernel, "which kernel: `tilescope list` names them")
      ->required()
      ->type_name("KERNEL");
  command.add_option("settings", options.settings, "its settings: `tilescope list KERNEL` explains them")
      ->type_name("name=value");
  add_seed_option(command, options.seed, "of the random inputs, and of --order shuffled");
}

void add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  const auto is_seed = [](const std::string& text) {  // CLI11 would wrap -1 and cut 2^64
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? "" : "no seed";
  };
  command.add_option("--seed", seed, help)->check(CLI::Validator(is_seed, ""))->type_name("0..2^64-1");
}

void require_interpreter(Device device) {
  if (device == Device::cuda)
    throw Error("a GPU keeps no record of what it did",
                "leave --device out: the interpreter records the same kernel; `tilescope compare KERNEL` holds the "
                "GPU's result beside its");
}

void add_device_option(CLI::App& command, Device& device, const std::string& help) {
  command.add_option("--device", device, help)
      ->transform(
          CLI::Transformer(std::map<std::string, Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}).description(""))
      ->type_name("cpu|cuda");
}

problems::Instance make_instance(const problems::Problem& problem, const problems::Settings& settings,
                                 std::uint64_t seed) {
  problems::Instance instance;
  const Progress progress("making the tensors of " + problem.name);  // gigabytes take a while
  try {
    instance = problem.make(settings, seed);
  } catch (const std::bad_alloc&) {
    throw Error(
        "the tensors of " + problem.name + " with " + settings_text(problem, settings) + " do not fit in memory",
        "choose smaller sizes");
  }
  for (const Launch& launch : instance.launches)
    if (launch.grid.x < 1 || launch.grid.y < 1 || launch.grid.z < 1)
      throw Error(fmt::format("the grid of {} is {} x {} x {}: it holds no program", problem.name, launch.grid.x,
                              launch.grid.y, launch.grid.z),
                  "choose sizes of at least 1");
  return instance;
}

Case make_case(const KernelOptions& options) {
  Case c;
  c.problem = &problems::find(options.kernel);
  c.settings = problems::parse(*c.problem, options.settings);
  c.instance = make_instance(*c.problem, c.settings, options.seed);
  return c;
}

std::string settings_text(const problems::Problem& problem, const problems::Settings& settings) {
  std::string out;
  for (const auto& s : problem.settings)
    if (!settings.text(s.name).empty()) out += (out.empty() ? "" : " ") + s.name + "=" + settings.text(s.name);
  return out;
}

nlohmann::ordered_json settings_json(const problems::Problem& problem, const problems::Settings& settings) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& s : problem.settings) out[s.name] = setting_json(s, settings);
  return out;
}

std::int64_t programs_of(const problems::Instance& instance) {
  std::int64_t n = 0;
  for (const Launch& launch : instance.launches) n += launch.grid.programs();
  return n;
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "CPU";
}

int thread_count(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace tl::cli
