// A kernel's launches on a modelled device: their accesses without data, what a CTA takes of its SM, and the schedule.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/machine/access/banks.h"
#include "interp/machine/access/cuda_type.h"
#include "interp/machine/limits/occupancy.h"
#include "interp/machine/limits/roofline.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/run/kernel_case.h"
#include "interp/trace/access_record.h"
#include "kernels/problems/chip.h"

namespace tl::run {

// What one CTA takes, and how that is known: "compiled for sm_90a", or an estimate and why.
struct KnownResources {
  machine::CtaResources cta;
  std::string how;
  bool is_estimate = false;
  bool awaits_compiler = false;            // ResourceOptions::compiles_later
  std::string spills = {};                 // what does not fit into its registers; "": all does
  machine::CudaConfig config = {};         // as it is compiled
  std::set<std::string> by_elements = {};  // see route_as_compiled
};
struct ResourceOptions {
  bool generic = false;
  std::string settings = {};
  std::string why_not = {};     // it shall not be compiled; "": it may be
  bool compiles_later = false;  // an estimate for now, unless what it takes is known already
  const std::atomic<bool>* stop = nullptr;
  std::string or_else = {};                                  // what also helps where no SM holds a CTA
  machine::Placement placement = machine::Placement::xored;  // of operands in shared memory, where no tensor core reads
};
// Compiles the launch for the device where the CUDA toolkit is there and knows the chip, unless that was done before;
// else estimates from the record, whose accesses are routed as the kernel is compiled. With `settings`, as the user
// would write them, the resources of a launch that differs only in constants which shape no tile may be taken: `how`
// then says so.
KnownResources resources_and_routes(const Launch& launch, trace::AccessRecord& record, const machine::Device& device,
                                    const ResourceOptions& options = {});

// How many programs a persistent kernel launches there, and how many stages fit: for problems::LaidOutFor.
problems::Chip chip_of(const machine::Device& device);

// How the model runs a launch, whose record's accesses it routes as the kernel is compiled.
struct ModelledLaunch {
  KnownResources resources;
  machine::Occupancy occupancy;
  machine::ScheduleOptions options;
  double shared_bytes = 0;         // that all programs together store to and read from shared memory
  std::vector<std::string> notes;  // what a reader of its schedule should know
};
// `ctas_per_sm`: that an SM holds at once; 0: as occupancy says. Throws Error: no SM holds one.
ModelledLaunch modelled(const Launch& launch, trace::AccessRecord& record, const machine::Device& device,
                        std::int64_t ctas_per_sm, const ResourceOptions& options = {});

struct ScheduledLaunch {
  std::string kernel;  // the functor, without its namespaces
  trace::AccessRecord record;
  KnownResources resources;
  machine::Occupancy occupancy;
  machine::Schedule schedule;
  machine::Roofline roofline;
  machine::Cause cause;  // of the schedule's time
  double shared_bytes = 0;
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
  bool with_lru = false;  // also ask a cache of nominal size, least recently used: baselines.h
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
