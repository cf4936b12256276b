#include "kernels/problems/tuning.h"

#include <algorithm>
#include <set>

namespace tl::problems {

std::vector<Config> product(const std::vector<std::pair<std::string, std::vector<std::string>>>& choices) {
  std::vector<Config> configs{{}};
  for (const auto& [name, values] : choices) {
    std::vector<Config> longer;
    for (const Config& begun : configs)
      for (const std::string& value : values) {
        longer.push_back(begun);
        longer.back().emplace_back(name, value);
      }
    configs = std::move(longer);
  }
  return configs;
}

std::vector<Config> without_duplicates(const std::vector<Config>& configs) {
  std::vector<Config> unique;
  std::set<Config> seen;
  for (const Config& config : configs) {
    Config sorted = config;
    std::ranges::sort(sorted);
    if (seen.insert(std::move(sorted)).second) unique.push_back(config);
  }
  return unique;
}

std::string config_text(const Config& config) {
  std::string text;
  for (const auto& [name, value] : config) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

}  // namespace tl::problems
