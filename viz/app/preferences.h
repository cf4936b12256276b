// The user's settings: preset, ratios, theme, scale. Kept as JSON in XDG_CONFIG_HOME/tilescope/window.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tl::viz {

struct Preferences {
  std::string preset = "Debug";
  std::string theme = "dark";
  int scale_percent = 0;                             // 0: the monitor's
  std::map<std::string, std::vector<float>> ratios;  // of a preset's splitters
};

std::filesystem::path preferences_file();
// Missing: the defaults. Damaged: set aside as window.json.damaged, the defaults, and `warning` says so.
Preferences load_preferences(const std::filesystem::path& file, std::string& warning);
// "" or what went wrong; then the file is as it was.
std::string save_preferences(const Preferences& preferences, const std::filesystem::path& file);

}  // namespace tl::viz
