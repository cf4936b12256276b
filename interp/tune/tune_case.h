// A kernel tuned for its sizes: the space modelled, the best checked and measured, the winner kept.
#pragma once

#include <exception>
#include <set>

#include "interp/machine/access/banks.h"
#include "interp/run/measure.h"
#include "interp/tune/descend.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"
#include "interp/tune/tuned.h"

namespace tl::tune {

struct TuneOptions {
  Device device = Device::model;
  std::string gpu = "h200";                                  // that the model is of
  double top_k = 0;                                          // as Tuning has it; 0: as declared, else usual_top_k
  bool compiles = false;                                     // for the model: registers and spills known, not estimated
  machine::Placement placement = machine::Placement::xored;  // that the model takes: a winner by another is not kept
  bool checks = true;
  bool descends = false;
  DescentOptions descent = {};
  bool reads_cache = true;
  run::MeasureOptions measure = {};  // threads, time of each config, generic
};

struct Tuned {
  Space space;
  Device device = Device::model;
  std::string machine;         // that times are of
  std::string model;           // and the model's
  std::vector<Trial> trials;   // the best first, what was refused last
  std::optional<Winner> kept;  // an earlier session's winner: nothing was tried then
  std::string checked_at;      // the sizes of the checks
  std::set<std::string> notes;
  std::string why_not_kept;  // the winner; "": it is, where it was checked
  problems::Config descended_from = {};
  double descended_from_ms = 0;
  bool is_recorded = false;              // on another machine: recorded_trials.h
  bool is_stopped = false;               // by Ctrl-C
  std::exception_ptr failure = nullptr;  // the GPU is gone: what was measured before is here

  const Trial* winner() const;
  problems::Config config() const;  // of the winner, kept or found
};

// Throws Error: an empty space, a top_k of 0 configs, no GPU where one is asked for. If all configs were refused, the
// trials say so.
Tuned tune(const SpaceRequest& request, const TuneOptions& options);
// Times `configs` in rounds, without model or checks: other sizes' winners at these sizes.
std::vector<Trial> measured(const Space& space, const std::vector<problems::Config>& configs,
                            const TuneOptions& options);

}  // namespace tl::tune
