#include "viz/app/preferences.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/user_folders.h"

namespace tl::viz {

namespace fs = std::filesystem;

fs::path preferences_file() {
  const fs::path folder = config_home();
  return folder.empty() ? folder : folder / "tilescope/window.json";
}

Preferences load_preferences(const fs::path& file, std::string& warning) {
  Preferences p;
  const auto text = regular_file_if_any(file);
  if (!text) return p;
  try {
    const auto json = nlohmann::json::parse(*text);
    p.preset = json.value("preset", p.preset);
    p.theme = json.value("theme", p.theme);
    p.scale_percent = json.value("scale_percent", 0);
    if (p.scale_percent != 0) p.scale_percent = std::clamp(p.scale_percent, 50, 300);
    p.ratios = json.value("ratios", p.ratios);
  } catch (const nlohmann::json::exception&) {
    std::error_code error;
    fs::rename(file, file.string() + ".damaged", error);
    warning = file.string() + " could not be read; it was set aside as window.json.damaged, and the defaults are used";
    return Preferences();
  }
  return p;
}

std::string save_preferences(const Preferences& preferences, const fs::path& file) {
  if (file.empty()) return "";
  nlohmann::ordered_json json;
  json["preset"] = preferences.preset;
  json["theme"] = preferences.theme;
  json["scale_percent"] = preferences.scale_percent;
  json["ratios"] = preferences.ratios;
  std::error_code error;  // writing will report the reason
  fs::create_directories(file.parent_path(), error);
  try {
    write_file(file.string(), json.dump(2) + "\n");
  } catch (const Error& e) {
    return std::string("the window's layout could not be saved: ") + e.what();
  }
  return "";
}

}  // namespace tl::viz
