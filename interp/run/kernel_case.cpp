#include "interp/run/kernel_case.h"

#include <fmt/format.h>
#include <omp.h>

#include <fstream>
#include <new>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/report/terminal.h"

namespace tl::run {

using namespace report;

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
    if (const std::string& value = settings.text(s.name); !value.empty())
      out += (out.empty() ? "" : " ") + s.name + "=" +
             (value.find_first_of(" (;") == std::string::npos ? value : "'" + value + "'");  // as a shell takes it
  return out;
}

nlohmann::ordered_json settings_json(const problems::Problem& problem, const problems::Settings& settings) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& s : problem.settings) {
    const bool is_unsaid = settings.text(s.name).empty() && s.kind != problems::Setting::Kind::text;
    if (!is_unsaid) out[s.name] = setting_json(s, settings);
  }
  return out;
}

std::string heading(const problems::Problem& problem, const problems::Settings& settings, const std::string& about,
                    Paint paint, int columns) {
  return fmt::format("{} {}\n{}\n", paint.bold(problem.name), settings_text(problem, settings),
                     paint.dim(wrapped(about, columns)));
}

std::string heading(const KernelOptions& kernel, const std::string& about, Paint paint, int columns) {
  const problems::Problem& problem = problems::find(kernel.kernel);
  return heading(problem, problems::parse(problem, kernel.settings), about, paint, columns);
}

nlohmann::ordered_json model_json(const KernelOptions& kernel, const std::string& gpu) {
  const problems::Problem& problem = problems::find(kernel.kernel);
  return {{"kernel", problem.name},
          {"settings", settings_json(problem, problems::parse(problem, kernel.settings))},
          {"gpu", gpu},
          {"source", "model"}};
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

int thread_count(int threads) { return threads > 0 ? threads : omp_get_max_threads(); }

}  // namespace tl::run
