// What a GPU's counters said of some runs: kept as JSON, so that the machine model can be compared with it where there
// is no GPU.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interp/run/counters/ncu.h"

namespace tl::run {

// A counter's key in our JSON, ncu's name, and its meaning.
struct Counter {
  const char* key;
  const char* metric;
  const char* meaning;
};
const std::vector<Counter>& counters();
std::vector<std::string> metrics_of_all_counters();

// One kernel launch: what CUDA made of it, and its counters by key, a value a round.
struct MeasuredLaunch {
  std::string kernel;
  std::int64_t grid[3] = {1, 1, 1};
  int threads = 0, registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0, programs_per_sm = 0;
  std::map<std::string, std::vector<double>> counters;

  std::optional<double> get(const std::string& key) const;  // the mean of all rounds
  double spread(const std::string& key) const;              // (largest - smallest) / mean; 0 of one round
  // Of the reads that reach L2, the share that a copy near or far had: (H + Fh) / T, since one that misses near is
  // looked up again far.
  std::optional<double> logical_hit_rate() const;
};

struct MeasuredRun {
  std::string run, set;
  std::vector<MeasuredLaunch> launches;
  std::string error;  // why there are none
  void add_round(MeasuredRun&& other);
};

struct Measurements {
  std::string device, driver, ncu, date, command;
  std::vector<std::int64_t> sm_group, sm_partition,
      group_pace_ppm;  // of this very chip, machine::Device's; empty: nobody measured it (probes/chip.cu does)
  std::vector<MeasuredRun> runs;
};

// `facts` is a line of `tilescope launch-once`; `taken` counts the launches of `profile` that earlier lines used up.
MeasuredRun measured_run(const nlohmann::json& facts, const Profile& profile, std::size_t& taken);

nlohmann::ordered_json measurements_json(const Measurements& m);
Measurements parse_measurements(const std::string& text);  // throws Error for a file of another kind

}  // namespace tl::run
