// The model of a launch on a device, a function of the two and of nothing else. Schedule, limits, film, timeline,
// counters and tuning ask it, so that two that show one figure show the same.
#pragma once

#include <atomic>
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
struct CtaFigures {
  machine::CtaResources cta;
  std::string how;
  bool is_estimate = false;
  bool awaits_compiler = false;  // ModelOptions::compiles_later
  std::string spills = {};       // what does not fit into its registers; "": all does
};

struct ModelOptions {
  bool generic = false;         // nothing newer than sm_80
  std::string why_not = {};     // why it is not compiled; "": it is, where the CUDA toolkit is there and knows the chip
  bool compiles_later = false;  // an estimate for now, unless it was compiled before
  std::int64_t ctas_per_sm = 0;                              // that an SM holds at once; 0: as occupancy says
  bool may_not_fit = false;                                  // no error where no SM holds a CTA
  std::string or_else = {};                                  // what else helps where no SM holds a CTA
  machine::Placement placement = machine::Placement::xored;  // of operands in shared memory, where no tensor core reads
  const std::atomic<bool>* stop = nullptr;
};

struct Model {
  trace::AccessRecord record;  // its accesses routed as the kernel is compiled
  machine::CudaConfig config;  // as compiled; as it is expected to be where it is not
  CtaFigures resources;
  machine::Occupancy occupancy;
  machine::ScheduleOptions options;
  double shared_bytes = 0;         // that all programs together store to and read from shared memory
  std::vector<std::string> notes;  // what a reader of its schedule should know
};
// Throws Error: no SM holds a CTA; a grid too large to be followed.
Model model_of(const Launch& launch, const machine::Device& device, const ModelOptions& options = {});
// With the launch's record, if the caller has it.
Model model_of(const Launch& launch, trace::AccessRecord record, const machine::Device& device,
               const ModelOptions& options = {});

// The model's schedule of a launch, and what bounds it.
struct Figures {
  machine::Schedule schedule;
  machine::Roofline roofline;
  machine::Cause cause;  // of the schedule's time
};
Figures figures_of(const Model& model, const machine::Device& device);
// The figures of a schedule that was simulated in another way.
Figures figures_of(const Model& model, const machine::Device& device, machine::Schedule schedule);

// How many programs a persistent kernel launches there, and how many stages fit: for problems::LaidOutFor.
problems::Chip chip_of(const machine::Device& device);

}  // namespace tl::run
