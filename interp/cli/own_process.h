// Runs somebody's kernel in a process of its own: after a crash this program explains it, instead of the shell.
#pragma once

#include <string>

namespace tl::cli {

// Goes on in a new process; this one waits for it and ends as it does. To be called before any thread begins.
void go_on_in_own_process(const std::string& kernel);

}  // namespace tl::cli
