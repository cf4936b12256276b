// Takes from this process what a kernel has no business with: files that it would write, other processes, the network.
#pragma once

namespace tl::hostcc {

// From now on, in all threads and for good: whoever writes a file, starts or ends a process or opens a socket ends this
// one, after `tell` of what it did ("writes a file"), which must be safe in a signal handler. Where the system cannot
// (no seccomp, a sanitizer that needs processes of its own) nothing changes.
void confine(void (*tell)(const char* what));

}  // namespace tl::hostcc
