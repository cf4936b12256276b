// Ctrl-C: the first asks the work at hand to end in order, the second ends the program; so does the first where nothing
// asks for it.
#pragma once

#include <atomic>
#include <string>

#include "interp/lang/error.h"

namespace tl::run {

// From here on the program says that it was interrupted when it is.
void catch_interrupts();
// From the first call on, the first Ctrl-C only sets it: for work of which a part is worth keeping. Whoever keeps
// nothing leaves it alone, and ends at once.
const std::atomic<bool>& stop_requested();

// To be thrown where Ctrl-C leaves nothing worth keeping: the program then says that it was interrupted.
FaultError interruption();
// Says on stderr that the work was interrupted, and what there is of it; returns the exit code.
int interrupted(const std::string& what = "");

}  // namespace tl::run
