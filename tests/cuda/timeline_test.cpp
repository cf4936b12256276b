// Kernels that record when and where their programs run.
#include "interp/cuda/host/timeline.h"

#include <doctest/doctest.h>

#include <set>

#include "interp/cpu/facts.h"
#include "interp/lang/print_record.h"
#include "interp/lang/timeline.h"
#include "kernels/problems/problem.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

Launch first_launch(const char* name, const std::vector<std::string>& settings = {}) {
  const auto& problem = problems::find(name);
  return problem.make(problems::parse(problem, settings), 0).launches.front();
}

cuda::MeasuredTimeline measured(const Launch& launch) { return cuda::measure_timeline(launch, cpu::facts_of(launch)); }

}  // namespace

TEST_CASE("timeline: recording costs no stack, no spill and no thread, with and without a producer") {
  if (test::no_toolkit()) return;
  for (const auto& launch : {first_launch("matmul", {"bm=128", "bn=128", "bk=64", "warps=8"}),
                             first_launch("persistent_matmul", {"bn=256"})}) {
    const auto plain = cuda::compile(launch, cpu::facts_of(launch))->resources;
    const auto recording = cuda::compile(launch, cpu::facts_of(launch), {.timeline = true})->resources;
    CHECK(recording.stack_bytes + recording.spill_store_bytes == 0);
    CHECK(recording.threads == plain.threads);
    CHECK(recording.registers <= plain.registers + 8);
  }
}

TEST_CASE("timeline: only a kernel compiled to record has the recorder, and none that prints nothing a buffer") {
  if (test::no_toolkit()) return;
  const Launch launch = first_launch("add");
  const auto plain = cuda::compile(launch, cpu::facts_of(launch));
  for (const char* part : {"globaltimer", cuda::timeline_symbol, cuda::prints_symbol})
    CHECK(plain->ptx.find(part) == std::string::npos);
  const auto recording = cuda::compile(launch, cpu::facts_of(launch), {.timeline = true});
  CHECK(recording->ptx.find("globaltimer") != std::string::npos);
  CHECK(recording->ptx.find(std::string(" ") + cuda::timeline_symbol) != std::string::npos);
}

TEST_CASE("timeline on the GPU: every program has an SM and ends after it starts") {
  if (test::no_gpu()) return;
  const auto t = measured(first_launch("add", {"n=1000000"}));
  REQUIRE(t.programs.size() == 977);
  for (const auto& p : t.programs) {
    CHECK((p.sm >= 0 && p.sm < cuda::device_info().sm_count));
    CHECK(p.end_us >= p.start_us);
  }
  CHECK(t.total_us > 0);
}

TEST_CASE("timeline on the GPU: a persistent program has one loop a tile") {
  if (test::no_gpu()) return;
  const auto t = measured(first_launch("persistent_matmul", {"m=2048", "n=2048", "k=256"}));
  CHECK(t.stretches.size() == 256);
  std::set<std::int64_t> programs;
  for (const auto& s : t.stretches) programs.insert(s.program);
  CHECK(programs.size() == t.programs.size());
}
