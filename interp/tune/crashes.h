// A config whose plain C++ crashes would end the process, and with it the results of the others.
#pragma once

#include <vector>

#include "interp/machine/device.h"
#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

// Runs the first program of each config for its addresses, in a process of its own, and refuses those that crash, exit
// or do not come to an end within `seconds` of processor time. No kernel that is built in does.
void refuse_crashing(const Space& space, const machine::Device& device, std::vector<Trial>& trials, int seconds = 20);

}  // namespace tl::tune
