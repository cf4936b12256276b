// A process of its own for what runs somebody's kernel: where that crashes, a message comes instead of a shell's.
#pragma once

#include <string>

namespace tl::cli {

// Goes on in a new process; this one waits for it and ends as it does. To be called before any thread begins.
void go_on_in_own_process(const std::string& kernel);

}  // namespace tl::cli
