// The model's time of every config of a space, without running one on a GPU: what ranks them cheaply.
#pragma once

#include "interp/machine/access/banks.h"
#include "interp/machine/device.h"
#include "interp/run/interrupt.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

struct PredictOptions {
  bool compiles =
      false;  // for the device, so that registers, shared memory and spills are known; else they are estimated
  machine::Placement placement = machine::Placement::xored;  // of operands in shared memory, of dots by multiply-adds
  // How many of the fastest get an exact time. A config that is slower than these and than twice the fastest gets a
  // lower bound (Prediction::is_least) if simulating it would take long. 0: all get an exact time.
  std::size_t exact = 0;
};

// A config that no SM holds is refused with its figure, one whose launch cannot be made with the reason. Trials after
// `stop` have no time. The same trials get the same figures on any number of threads.
void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials,
             const PredictOptions& options = {}, const std::atomic<bool>& stop = run::stop_requested());

}  // namespace tl::tune
