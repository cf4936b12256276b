#include "interp/tune/tuned.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/sources.h"
#include "interp/lang/cache.h"
#include "interp/lang/error.h"
#include "interp/report/numbers.h"
#include "interp/run/counters/predicted.h"

namespace tl::tune {

namespace {

constexpr const char* shelf = "tuned";
constexpr const char* configs_line = "configs ";

using Json = nlohmann::ordered_json;

// i32, and by what it is divisible, as a kernel is compiled for what it is given.
std::string type_of(const Argument& argument) {
  const auto known_of = [](std::int64_t n) {
    return fmt::format(":{}{}", cuda::known_divisibility(n), n == 1 ? "!" : "");
  };
  const auto tensor = [&](const Tensor& t) {
    std::string text = tl::name_of(t.dtype);
    for (const std::int64_t n : t.strides) text += known_of(n);
    return text;
  };
  if (const auto* t = std::get_if<TensorArgument>(&argument)) return tensor(t->tensor);
  if (const auto* d = std::get_if<DescriptorArgument>(&argument)) return "tiles of " + tensor(d->tensor);
  if (const auto* i = std::get_if<IntArgument>(&argument)) return tl::name_of(i->dtype) + known_of(i->value);
  return std::holds_alternative<FloatArgument>(argument) ? "f32" : "constant";
}

// All but the configs, one fact a line.
std::string recipe_of(const Space& space, Device device, const std::string& machine) {
  std::string recipe =
      fmt::format("tuned 1\n{}\n{}\n{}\n{}\n", space.problem->name, key_text(space), name_of(device), machine);
  const ShapesOnly no_data;
  for (const Launch& launch : space.problem->make(space.sizes, space.seed).launches) {
    for (const Argument& a : launch.arguments) recipe += type_of(a) + " ";
    for (const auto& [name, text] : cuda::gather_sources({launch.source}))
      recipe += "\n" + name + " " + fingerprint(text);
    recipe += "\n";
  }
  return recipe;
}

std::string with_configs(const std::string& recipe, const Space& space) {
  std::string all;
  for (const problems::Config& config : space.configs) {
    const problems::Settings settings = settings_of(space, config);
    if (space.tuning.refuse && !space.tuning.refuse(settings).empty()) continue;
    all += problems::config_text(config) + "\n";
    if (!space.tuning.model_ms) continue;
    if (const double ms = space.tuning.model_ms(settings); !std::isnan(ms)) all += fmt::format("{}\n", ms);
  }
  return recipe + configs_line + fingerprint(all) + "\n";
}

std::string text_of(const Winner& w) {
  Json config = Json::object();
  for (const auto& [name, value] : w.config) config[name] = value;
  return Json{{"kernel", w.kernel},
              {"key", w.key},
              {"machine", w.machine},
              {"device", name_of(w.device)},
              {"date", w.date},
              {"config", config},
              {"ms", w.ms},
              {"configs", w.configs},
              {"measured", w.measured},
              {"key_names", w.key_names},
              {"descended", w.is_descended}}
      .dump();
}

// Nothing for a text that this program did not write.
std::optional<Winner> winner_of(const std::string& text) try {
  const Json j = Json::parse(text);
  Winner w{.kernel = j.at("kernel"), .key = j.at("key"), .machine = j.at("machine"), .date = j.at("date")};
  for (const Device device : {Device::cpu, Device::cuda})
    if (j.at("device") == name_of(device)) w.device = device;
  for (const auto& [name, value] : j.at("config").items()) w.config.emplace_back(name, value.get<std::string>());
  w.is_descended = j.at("descended");
  w.key_names = j.at("key_names").get<std::vector<std::string>>();
  w.ms = j.at("ms");
  w.configs = j.at("configs");
  w.measured = j.at("measured");
  return w;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace

std::string name_of(Device device) {
  return device == Device::model ? "model" : device == Device::cpu ? "cpu" : "cuda";
}

std::string modelled_gpu(Device device) {
  if (device != Device::cuda || !cuda::available()) return "h200";
  const auto known = run::device_like(cuda::device_info().name);
  return known ? known->name : "h200";
}

std::string machine_text(Device device, const std::string& gpu, int threads) {
  if (device == Device::model) return "the model of " + gpu;
  if (device == Device::cpu) return run::cpu_name() + ", " + report::plural(run::thread_count(threads), "thread");
  const cuda::DeviceInfo info = cuda::device_info();
  return fmt::format("{}, driver {}, CUDA {}", info.name, info.driver, cuda::toolkit_version());
}

std::optional<Winner> kept_winner(const Space& space, Device device, const std::string& machine) {
  const auto fields = read_cache(with_configs(recipe_of(space, device, machine), space), 1, shelf);
  return fields ? winner_of(fields->front()) : std::nullopt;
}

std::optional<Winner> latest_winner(const run::KernelOptions& kernel, Device device, const std::string& machine) {
  std::optional<Winner> latest;
  for (const CacheEntry& entry : cache_entries(1, shelf)) {
    auto w = winner_of(entry.fields.front());
    if (!w || w->kernel != kernel.kernel || (latest && w->date <= latest->date)) continue;
    try {
      const Space space =
          space_of({.kernel = kernel, .configs = problems::config_text(w->config), .refuse = "", .key = w->key_names});
      if (entry.recipe.starts_with(recipe_of(space, device, machine) + configs_line)) latest = std::move(w);
    } catch (const Error&) {  // its config is no choice any more, or one of its values is given
    }
  }
  return latest;
}

void keep_winner(const Space& space, const Winner& winner) {
  Winner dated = winner;
  dated.key_names = space.key;
  dated.date = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  write_cache(with_configs(recipe_of(space, winner.device, winner.machine), space), {text_of(dated)}, shelf);
}

std::string winner_time(const Winner& winner) { return winner.ms > 0 ? report::time_text(winner.ms) : "not timed"; }

std::vector<Winner> kept_winners() {
  std::vector<Winner> all;
  for (const CacheEntry& entry : cache_entries(1, shelf))
    if (auto w = winner_of(entry.fields.front())) all.push_back(std::move(*w));
  std::ranges::sort(all, {}, [](const Winner& w) { return std::tie(w.kernel, w.device, w.machine, w.date); });
  return all;
}

std::int64_t forget_winners(const std::string& kernel) {
  std::int64_t forgotten = 0;
  for (const CacheEntry& entry : cache_entries(1, shelf)) {
    const auto w = winner_of(entry.fields.front());
    if (!w || (!kernel.empty() && w->kernel != kernel)) continue;
    forget_cache(entry.recipe, shelf);
    ++forgotten;
  }
  return forgotten;
}

}  // namespace tl::tune
