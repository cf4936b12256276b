// For a process that may crash: its parent tells what ended it.
#pragma once

namespace tl::run {

// From here on a crash of this process writes no file, and nobody handles it: AddressSanitizer would print a report of
// its own, and exit.
void crash_plainly();

}  // namespace tl::run
