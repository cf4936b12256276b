// Every problem's kernels, compiled for the chips we serve: no stack frame, no spill, none of ptxas's performance warnings.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "interp/cuda/host/compile.h"
#include "interp/lang/error.h"
#include "kernels/problems/problem.h"

using namespace tl;

namespace {

const char* const archs[] = {"sm_90a", "sm_80"};

std::vector<Launch> launches_of(const problems::Problem& problem) { return problem.make(problems::parse(problem, {}), 0).launches; }

// NVRTC compiles one kernel at a time in a process, so that each arch gets a process, which leaves its results in the cache.
void fill_cache() {
  std::vector<pid_t> children;
  for (const char* arch : archs) {
    const pid_t child = fork();
    if (child == 0) {
      for (const auto& problem : problems::all()) try {
          for (const auto& launch : launches_of(problem)) cuda::compile(launch, {.arch = arch});
        } catch (const std::exception&) {
          // The test itself compiles it again and reports it.
        }
      _exit(0);
    }
    if (child > 0) children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
}

void check_launch(const Launch& launch, const char* arch) {
  CAPTURE(launch.kernel);
  CAPTURE(arch);
  try {
    const auto compiled = cuda::compile(launch, {.arch = arch});
    const auto& r = compiled->resources;
    std::printf("%-45s %-6s %4d threads %4d registers %4d stack %4d spilled %7d bytes shared\n", launch.kernel.c_str(), arch, r.threads,
                r.registers, r.stack_bytes, r.spill_store_bytes + r.spill_load_bytes, r.static_shared_bytes + r.dynamic_shared_bytes);
    CHECK(r.stack_bytes == 0);
    CHECK(r.spill_store_bytes + r.spill_load_bytes == 0);
    for (const auto& warning : r.warnings) CHECK_MESSAGE(false, warning);
  } catch (const Error& error) {
    CHECK_MESSAGE(false, error.what());
  }
}

}  // namespace

TEST_CASE("every kernel compiles for sm_90a and sm_80 without a stack frame, a spill or a warning of ptxas") {
  std::string why_not;
  if (!cuda::toolkit_available(&why_not)) {
    MESSAGE("skipped: " << why_not);
    return;
  }
  fill_cache();
  for (const auto& problem : problems::all())
    for (const auto& launch : launches_of(problem))
      for (const char* arch : archs) check_launch(launch, arch);
}
