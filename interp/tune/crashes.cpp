#include "interp/tune/crashes.h"

#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>

#include "interp/cpu/addresses.h"
#include "interp/hostcc/child.h"
#include "interp/run/interrupt.h"
#include "interp/run/kernel_case.h"
#include "interp/run/schedule_case.h"

namespace tl::tune {

namespace {

void run_first_program(const Space& space, const Trial& trial) try {
  cpu::without_data_if_possible([&] {
    const problems::Instance instance = space.problem->make(trial.settings, space.seed);
    for (const Launch& launch : instance.launches)
      cpu::record_accesses(launch, {.confirms = false, .first_programs = 1});
    return 0;
  });
} catch (const std::exception&) {  // told where it is modelled
}

}  // namespace

void refuse_crashing(const Space& space, const machine::Device& device, std::vector<Trial>& trials, int seconds) {
  if (!problems::names_file(space.problem->name)) return;
  void* const shared = mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  volatile std::size_t& at = *new (shared) std::size_t(0);  // how far the child came
  const problems::LaidOutFor chip(run::chip_of(device));
  const hostcc::ChildLimits limits{.seconds = 30.0 * seconds, .cpu_seconds = seconds, .stop = &run::stop_requested()};
  while (at < trials.size() && !run::stop_requested()) {
    const hostcc::ChildResult child = hostcc::run_copy(
        [&] {
          omp_set_num_threads(1);  // the others stayed with the parent
          for (; at < trials.size(); at = at + 1) run_first_program(space, trials[at]);
        },
        limits);
    if (child.ok() || child.stopped) break;
    trials[at].refuse(fmt::format("it {}; `tilescope run` with it names the line", words_of(child)));
    at = at + 1;
  }
  munmap(shared, sizeof(std::size_t));
}

}  // namespace tl::tune
