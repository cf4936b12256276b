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
  // How many of the fastest need their time. Of a config that takes longer than these, and than twice the fastest, it
  // is enough to know so: Prediction::is_least, where following it would take long. 0: all have their time.
  std::size_t exact = 0;
};

// A config that no SM holds is refused with its figure, and one whose launch cannot be made with the reason. What
// `stop` comes before has no time. The same trials get the same figures, however many threads there are.
void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials,
             const PredictOptions& options = {}, const std::atomic<bool>& stop = run::stop_requested());

}  // namespace tl::tune
