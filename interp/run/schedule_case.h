// A kernel's launches on a modelled device, one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/run/model.h"

namespace tl::run {

struct ScheduledLaunch : Model, Figures {
  std::string kernel;                    // the functor, without its namespaces
  std::optional<double> lru_read_bytes;  // DRAM reads behind a cache of nominal size
};

struct ScheduleRequest {
  KernelOptions kernel;
  std::string gpu = "h200";
  std::int64_t ctas_per_sm = 0;  // 0: as occupancy says
  std::int64_t programs = 0;     // how many the distinct loads are counted after; 0: all
  std::int64_t step_limit = 0;
  bool benched = false;   // as cuda::bench times it
  bool by_lines = false;  // follow each line of L2, also where whole tiles would do
  machine::Placement placement = machine::Placement::xored;
  std::string why_not_compiled = {};  // "": it is, where that can be done
  bool with_lru = false;              // also ask a cache of nominal size, least recently used: baselines.h
};

struct ScheduledCase {
  const problems::Problem* problem = nullptr;
  problems::Settings settings;
  machine::Device device;
  std::vector<ScheduledLaunch> launches;  // each from an empty L2, but where `benched`
  bool benched = false;                   // as cuda::bench times it
};

// Throws Error: an unknown kernel, setting or device; a CTA that no SM holds; addresses that depend on data.
ScheduledCase schedule_case(const ScheduleRequest& request);
// The same for a problem that need not have a name: the request's kernel and settings are not asked.
ScheduledCase schedule_case(const problems::Problem& problem, const problems::Settings& settings,
                            const ScheduleRequest& request);

// The request's case, then it with one setting changed at a time, each with what tells it from the others.
struct ComparedCases {
  std::vector<ScheduledCase> cases;
  std::vector<std::string> names;
};
ComparedCases compared_cases(const ScheduleRequest& request, const std::vector<std::string>& changes);

}  // namespace tl::run
