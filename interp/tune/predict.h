// The model's time of every config of a space, without running one on a GPU: what ranks them cheaply.
#pragma once

#include "interp/machine/device.h"
#include "interp/run/interrupt.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

// `compiles`: for the device, so that registers, shared memory and spills are known; else they are estimated.
// A config that no SM holds is refused with its figure, and one whose launch cannot be made with the reason.
// What `stop` comes before has no time.
void predict(const Space& space, const machine::Device& device, std::vector<Trial>& trials, bool compiles,
             const std::atomic<bool>& stop = run::stop_requested());

}  // namespace tl::tune
