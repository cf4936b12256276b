// Requests, sectors and programs an SM of every kernel of ours as an H100 gave them; the predictions were written down
// before.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "interp/machine/limits/occupancy.h"
#include "interp/run/coalesce_case.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured.h"

using namespace tl;
using namespace tl::run;

namespace {

struct Totals {
  std::int64_t requests = 0, sectors = 0;
};
Totals totals_of(const CoalescedLaunch& launch, trace::AccessKind kind) {
  Totals t;
  for (const auto& line : launch.lines)
    if (line.key.kind == kind && line.plan.path != machine::Path::tma) {
      t.requests += line.cuda.requests;
      t.sectors += line.cuda.sectors;
    }
  return t;
}

// Products whose tiles are copied ahead from rows that begin at no multiple of 32 bytes, or turned as they are copied:
// of their loads the model is no more than near (ACCURACY.md).
constexpr const char* copied_from_anywhere[] = {"matmul m=500 n=300 k=200",
                                                "matmul m=333 n=555 k=777",
                                                "matmul m=500 n=504 k=520 bm=128 bn=128 bk=64 warps=8",
                                                "matmul m=500 n=502 k=504",
                                                "matmul m=1000 n=1000 k=1000 dtype=bf16",
                                                "grouped_matmul m=1000 n=1000 k=1000 group_size=3 bm=128 bn=64 bk=64",
                                                "grouped_matmul m=200 n=300 k=40 dtype=f32",
                                                "block_pointer_matmul m=250 n=510 k=130",
                                                "block_pointer_matmul m=256 n=200 k=72 dtype=f32",
                                                "persistent_matmul m=333 n=555 k=777"};

}  // namespace

TEST_CASE("coalescing: requests and sectors of loads and stores equal an H100's counters, launch by launch") {
  std::ifstream in(RECORDED_MACHINE "/coalescing-nvidia-h100.json");
  const Measurements all = parse_measurements({std::istreambuf_iterator<char>(in), {}});
  const machine::Device h200 = machine::find_device("h100");
  int launches = 0;
  for (const MeasuredRun& run : all.runs) {
    INFO(run.run);
    const MeasuredCase c = measured_case(run.run);
    const auto model = coalesced_launches(c.kernel, h200, c.generic);
    REQUIRE(model.size() == run.launches.size());
    for (std::size_t i = 0; i < model.size(); ++i, ++launches) {
      const auto loads = totals_of(model[i], trace::AccessKind::load),
                 stores = totals_of(model[i], trace::AccessKind::store);
      INFO(model[i].kernel);
      if (std::ranges::find(copied_from_anywhere, run.run) == std::end(copied_from_anywhere)) {
        CHECK(static_cast<double>(loads.requests) == run.launches[i].get("load_requests"));
        CHECK(static_cast<double>(loads.sectors) == run.launches[i].get("load_sectors"));
      }
      CHECK(static_cast<double>(stores.requests) == run.launches[i].get("store_requests"));
      CHECK(static_cast<double>(stores.sectors) == run.launches[i].get("store_sectors"));
    }
  }
  CHECK(launches > 90);
}

TEST_CASE("occupancy: programs an SM equal CUDA's own, launch by launch of our kernels") {
  std::ifstream in(RECORDED_MACHINE "/coalescing-nvidia-h100.json");
  const machine::Device h200 = machine::find_device("h100");
  std::set<std::int64_t> answers;
  for (const MeasuredRun& run : parse_measurements({std::istreambuf_iterator<char>(in), {}}).runs)
    for (const MeasuredLaunch& l : run.launches) {
      INFO(run.run);
      const auto shared = static_cast<std::int64_t>(l.static_shared_bytes + l.dynamic_shared_bytes);
      CHECK(machine::occupancy_of({l.threads, l.registers, shared, 0}, h200).ctas == l.programs_per_sm);
      answers.insert(l.programs_per_sm);
    }
  CHECK(answers.size() >= 6);
}
