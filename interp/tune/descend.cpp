#include "interp/tune/descend.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace tl::tune {

namespace {

constexpr double least_gain = 0.001;  // less is noise
constexpr std::int64_t registers_a_step = 8;

const problems::Setting* setting_of(const Space& space, const std::string& name) {
  const auto it = std::ranges::find(space.problem->settings, name, &problems::Setting::name);
  return it == space.problem->settings.end() ? nullptr : &*it;
}

// Keeps the fastest config seen.
class Descent {
 public:
  Descent(problems::Config from, const std::function<double(const problems::Config&)>& time)
      : best_(std::move(from)), ms_(time(best_)), time_(time) {
    seen_[problems::config_text(best_)] = ms_;
  }

  const problems::Config& best() const { return best_; }
  bool is_better(const problems::Config& config) {
    const auto [it, is_new] = seen_.try_emplace(problems::config_text(config));
    if (is_new) it->second = time_(config);
    if (!(it->second < ms_ * (1 - least_gain))) return false;
    best_ = config;
    ms_ = it->second;
    return true;
  }

 private:
  problems::Config best_;
  double ms_;
  const std::function<double(const problems::Config&)>& time_;
  std::map<std::string, double> seen_;
};

}  // namespace

std::vector<std::string> neighbours(const problems::Setting& setting, const std::string& text, int radius) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  if (setting.kind != problems::Setting::Kind::integer || std::from_chars(text.data(), end, value).ptr != end)
    return {};
  const std::int64_t step = setting.name == "stages" ? 1 : setting.name == "registers" ? registers_a_step : 0;
  const auto stepped = [&](std::int64_t v, bool up) { return step ? v + (up ? step : -step) : up ? v * 2 : v / 2; };
  std::vector<std::string> all;
  for (const bool up : {true, false}) {
    std::int64_t v = value;
    for (int i = 0; i < radius; ++i) {
      v = stepped(v, up);
      const bool is_power = v > 0 && (v & (v - 1)) == 0;
      if (v < 1 || static_cast<double>(v) < setting.min || static_cast<double>(v) > setting.max ||
          (setting.power_of_two && !is_power))
        break;
      all.push_back(std::to_string(v));
    }
  }
  return all;
}

problems::Config descend(const Space& space, const problems::Config& from, const DescentOptions& options,
                         const std::function<double(const problems::Config&)>& time) {
  Descent descent(from, time);
  const auto values_near = [&](std::size_t i) {
    const auto& [name, value] = descent.best()[i];
    const problems::Setting* const setting = setting_of(space, name);
    return setting ? neighbours(*setting, value, options.radius) : std::vector<std::string>{};
  };
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t i = 0; i < from.size(); ++i)
      for (const std::string& value : values_near(i)) {
        problems::Config next = descent.best();
        next[i].second = value;
        improved |= descent.is_better(next);
      }
    if (improved || !options.all_directions) continue;
    std::vector<std::pair<std::string, std::vector<std::string>>> choices;
    for (std::size_t i = 0; i < from.size(); ++i) {
      choices.emplace_back(from[i].first, values_near(i));
      choices.back().second.push_back(descent.best()[i].second);
    }
    for (const problems::Config& next : problems::product(choices)) improved |= descent.is_better(next);
  }
  return descent.best();
}

}  // namespace tl::tune
