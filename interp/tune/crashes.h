// A config whose plain C++ crashes would end the process, and with it the results of the others.
#pragma once

#include <vector>

#include "interp/machine/device.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

// Runs the first program of each config for its addresses, in a process of its own, and refuses those that end it by a
// signal. Of kernels that are built in there are none.
void refuse_crashing(const Space& space, const machine::Device& device, std::vector<Trial>& trials);

}  // namespace tl::tune
