// A case as the drawings want it: the window's model and the command's are one.
#include "viz/scene/scene_case.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "interp/cuda/host/known_resources.h"
#include "interp/run/schedule_case.h"
#include "tests/cuda/environment.h"

using namespace tl;

TEST_CASE("scene: steps without values read no tensor: a product of any size has them at once") {
  const trace::RecordedTrace steps = viz::steps_of({"matmul", {"m=32768", "n=32768", "k=64"}}, "h200", "=0,=0,=0");
  REQUIRE(steps.programs.size() == 1);
  CHECK(steps.programs[0].steps.size() > 10);
  for (const trace::RecordedTensor& t : steps.launches[0].tensors) CHECK(t.before.empty());
  const auto loaded = std::ranges::find_if(steps.programs[0].steps, [](const auto& s) { return s.op == Op::load; });
  REQUIRE(loaded != steps.programs[0].steps.end());
  const auto value = steps.programs[0].refs[loaded->first_ref + loaded->operands];
  CHECK(steps.programs[0].values[static_cast<std::size_t>(value)].form == trace::Form::dropped);
}

TEST_CASE("scene: of a kernel compiled with formulas, or without, its model says what `schedule` says") {
  const test::Folder folder;
  const test::Variable cache("XDG_CACHE_HOME", folder.path);
  for (const bool is_plain : {false, true}) {
    const run::KernelOptions kernel{"matmul", {"m=1024", "n=1024", "k=1024", is_plain ? "bk=64" : "bk=32"}};
    {
      const ShapesOnly no_data;
      cuda::keep_resources(run::make_case(kernel).instance.launches.front(), {.arch = "sm_90a"},
                           {.registers = 100, .threads = 128, .is_plain = is_plain, .warnings = {}});
    }
    const machine::Schedule drawn = viz::model_of(kernel, "h200", 0).own;
    const run::ScheduledLaunch told = run::schedule_case({.kernel = kernel}).launches.front();
    REQUIRE(told.config.formulas != is_plain);
    CHECK(drawn.resident_programs_per_sm == told.schedule.resident_programs_per_sm);
    CHECK(drawn.dram_read_bytes == told.schedule.dram_read_bytes);
    CHECK(drawn.model_ms == told.schedule.model_ms);
  }
}
