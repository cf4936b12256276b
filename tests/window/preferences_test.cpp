#include "viz/app/preferences.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace tl::viz;
namespace fs = std::filesystem;

namespace {
fs::path fresh_file() {
  const fs::path folder = fs::temp_directory_path() / "tilescope_preferences_test";
  fs::remove_all(folder);
  return folder / "tilescope/window.json";
}
}  // namespace

TEST_CASE("preferences: what is saved is found again") {
  const fs::path file = fresh_file();
  Preferences p;
  p.preset = "Compare";
  p.scale_percent = 150;
  p.ratios["Compare"] = {0.25f, 0.5f};
  REQUIRE(save_preferences(p, file) == "");
  std::string told;
  const Preferences again = load_preferences(file, told);
  CHECK(again.preset == "Compare");
  CHECK(again.scale_percent == 150);
  CHECK(again.ratios == p.ratios);
  CHECK(told.empty());
}

TEST_CASE("preferences: a damaged file is set aside and told") {
  const fs::path file = fresh_file();
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "{\"preset\": ";
  std::string told;
  CHECK(load_preferences(file, told).preset == "Debug");
  CHECK(told.find("set aside") != std::string::npos);
  CHECK(fs::exists(file.string() + ".damaged"));
}

TEST_CASE("preferences: a folder that cannot be written is told, not fatal") {
  CHECK(save_preferences({}, "/proc/nowhere/window.json").find("could not be saved") != std::string::npos);
}
