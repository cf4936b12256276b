#include "interp/cli/counters/measured_timeline.h"

#include <cmath>

namespace tl::cli {

namespace {

// Nanoseconds, as the GPU's clock counts them.
double rounded(double us) { return std::round(us * 1e3) / 1e3; }

}  // namespace

nlohmann::ordered_json timeline_json(const cuda::MeasuredTimeline& t, const std::string& gpu) {
  const Grid& g = t.facts.grid;
  nlohmann::ordered_json j{{"gpu", gpu},
                           {"kernel", t.facts.kernel},
                           {"grid", {g.x, g.y, g.z}},
                           {"resident_programs_per_sm", t.facts.programs_per_sm},
                           {"total_us", rounded(t.total_us)},
                           {"tick_us", rounded(t.tick_us)}};
  j["programs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < t.programs.size(); ++i) {
    const auto& p = t.programs[i];
    j["programs"].push_back({{"program", i}, {"sm", p.sm}, {"start_us", rounded(p.start_us)}, {"end_us", rounded(p.end_us)}});
  }
  j["loops"] = nlohmann::ordered_json::array();
  for (const auto& s : t.stretches)
    j["loops"].push_back({{"program", s.program}, {"start_us", rounded(s.start_us)}, {"end_us", rounded(s.end_us)}});
  if (t.stretches_cut) j["loops_cut"] = true;
  return j;
}

}  // namespace tl::cli
