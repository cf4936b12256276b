// A kernel's configs with the machine model's times and those that were measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tl::viz {

struct TuningDot {
  std::vector<std::pair<std::string, std::string>> config;  // bm, 128
  double model_ms = NAN, measured_ms = NAN;
  bool is_least = false;  // the model's time is more, and was followed no further
  double waves = 0;
  std::int64_t ctas_per_sm = 0;
  std::string limited_by;  // "": not followed far enough to tell
  bool is_open = false;    // the settings that are open
  bool is_winner = false;  // of `tilescope tune`, kept

  std::string limit_text() const { return limited_by.empty() ? "not followed further" : "limited by " + limited_by; }
  std::string text() const {  // bm=128 bn=64 warps=4
    std::string all;
    for (const auto& [name, value] : config) all.append(all.empty() ? "" : " ").append(name).append("=").append(value);
    return all;
  }
};

struct TuningRun {
  std::string key;          // m=512 n=512 k=512: what the configs are for
  std::string measured_on;  // "": nothing is measured at these sizes
  std::vector<TuningDot> dots;
  std::vector<std::string> refused;  // a config and why, each

  // Marks the config whose values these settings of the kernel have.
  void open(const std::map<std::string, std::string>& settings) {
    for (TuningDot& d : dots)
      d.is_open = std::ranges::all_of(d.config, [&](const auto& value) {
        const auto set = settings.find(value.first);
        return set != settings.end() && set->second == value.second;
      });
  }
};

}  // namespace tl::viz
