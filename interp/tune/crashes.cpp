#include "interp/tune/crashes.h"

#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "interp/cpu/addresses.h"
#include "interp/run/interrupt.h"
#include "interp/run/kernel_case.h"
#include "interp/run/plain_crash.h"
#include "interp/run/schedule_case.h"

namespace tl::tune {

namespace {

void run_first_program(const Space& space, const Trial& trial) try {
  cpu::without_data_if_possible([&] {
    const problems::Instance instance = space.problem->make(trial.settings, space.seed);
    for (const Launch& launch : instance.launches)
      cpu::record_accesses(launch, {.confirms = false, .first_programs = 1, .stop = &run::stop_requested()});
    return 0;
  });
} catch (const std::exception&) {  // told where it is modelled
}

// In the child: all from `at` on, which says how far it came.
[[noreturn]] void run_all(const Space& space, const std::vector<Trial>& trials, volatile std::size_t& at) {
  run::crash_plainly();
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(0);
  omp_set_num_threads(1);  // the others stayed with the parent
  for (std::size_t i = at; i < trials.size(); ++i) {
    run_first_program(space, trials[i]);
    at = i + 1;
  }
  _exit(0);
}

}  // namespace

void refuse_crashing(const Space& space, const machine::Device& device, std::vector<Trial>& trials) {
  if (!problems::names_file(space.problem->name)) return;
  void* const shared = mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  volatile std::size_t& at = *new (shared) std::size_t(0);
  const problems::LaidOutFor chip(run::chip_of(device));
  for (bool crashed = true; crashed && at < trials.size() && !run::stop_requested();) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) run_all(space, trials, at);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    crashed = child > 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGINT && at < trials.size();
    if (!crashed) break;
    trials[at].refuse(
        fmt::format("it crashes: {}; `tilescope run` with it names the line", strsignal(WTERMSIG(status))));
    at = at + 1;
  }
  munmap(shared, sizeof(std::size_t));
}

}  // namespace tl::tune
