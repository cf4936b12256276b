// The occupancy calculator against the CUDA runtime of an H200: a sweep of registers, shared memory and threads, and
// our own kernels.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interp/machine/limits/occupancy.h"

using namespace tl::machine;

namespace {

nlohmann::json recorded(const std::string& name) {
  std::ifstream in(std::string(TEST_RECORDED) + "/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace

TEST_CASE("occupancy: CTAs an SM as an H200's runtime gives them over registers, shared memory and threads") {
  const Device h200 = find_device("h200");
  const auto all = recorded("occupancy-nvidia-h200.json");
  CHECK(all["rows"].size() > 1000);
  for (const auto& row : all["rows"]) {
    INFO(row.dump());
    CHECK(occupancy_of({row[2], row[0], row[1], 0}, h200).ctas == row[3]);
  }
}

TEST_CASE("occupancy: of every launch of ours that was measured") {
  const Device h200 = find_device("h200");
  int launches = 0;
  for (const auto& file : std::filesystem::directory_iterator(TEST_RECORDED)) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with(".json")) continue;
    const auto all = recorded(name);
    if (!all.is_object() || !all.contains("runs") || all.value("device", "").find("H200") == std::string::npos)
      continue;
    for (const auto& run : all["runs"])
      for (const auto& l : run["launches"]) {
        if (!l.contains("programs_per_sm")) continue;
        ++launches;
        INFO(run["run"].get<std::string>() << " " << l["kernel"].get<std::string>());
        const std::int64_t shared =
            l["static_shared_bytes"].get<std::int64_t>() + l["dynamic_shared_bytes"].get<std::int64_t>();
        CHECK(occupancy_of({l["threads"], l["registers"], shared, 0}, h200).ctas == l["programs_per_sm"]);
      }
  }
  CHECK(launches >= 57);
}
