#include "interp/run/plain_crash.h"

#include <sys/resource.h>

#include <csignal>

namespace tl::run {

void crash_plainly() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(crash, SIG_DFL);
}

}  // namespace tl::run
