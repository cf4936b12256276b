// Warps' requests and their sectors as an H200 counted them: every pointer kernel of ours that was recorded, exactly.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "interp/cpu/addresses.h"
#include "interp/machine/access/coalescing.h"
#include "interp/run/counters/case_list.h"
#include "interp/run/counters/measured.h"
#include "interp/run/cuda_config.h"

using namespace tl;

namespace {

struct Total {
  std::int64_t requests = 0, sectors = 0;
};

// Of all lines that load, or store.
Total total_of(const std::vector<machine::LineCoalescing>& lines, trace::AccessKind kind) {
  Total t;
  for (const auto& l : lines)
    if (l.key.kind == kind) {
      t.requests += l.cuda.requests;
      t.sectors += l.cuda.sectors;
    }
  return t;
}

// A kernel by pointers, of a size that is quickly counted.
bool is_judged(const std::string& run) {
  for (const char* other : {"persistent", "attention", "--generic", "16384", "12288", "10240", "8192 n=8192", "6144"})
    if (run.find(other) != std::string::npos) return false;
  return true;
}

}  // namespace

TEST_CASE("requests: loads and stores make as many requests and sectors as the hardware counted") {
  std::ifstream in(TILESCOPE_RECORDED "counters.json");
  const auto device = machine::find_device("h200");
  for (const auto& run : run::parse_measurements({std::istreambuf_iterator<char>(in), {}}).runs) {
    if (!is_judged(run.run)) continue;
    const ShapesOnly no_data;
    const auto made = run::make_case(run::measured_case(run.run).kernel);
    for (std::size_t i = 0; i < run.launches.size(); ++i) {
      const auto& launch = made.instance.launches.at(i);
      const auto record = cpu::record_accesses(launch);
      auto config = run::cuda_config_of(launch, device);
      config.least_divisor = 16;  // as kernels were compiled when they were counted
      const auto lines = machine::coalescing_of(
          record,
          machine::plans_of_launch(config, record, [&](trace::Observer& o) { cpu::watch_addresses(launch, o); }));
      const Total loads = total_of(lines, trace::AccessKind::load), stores = total_of(lines, trace::AccessKind::store);
      INFO(run.run);
      CHECK(loads.requests == *run.launches[i].get("load_requests"));
      CHECK(loads.sectors == *run.launches[i].get("load_sectors"));
      CHECK(stores.requests == *run.launches[i].get("store_requests"));
      CHECK(stores.sectors == *run.launches[i].get("store_sectors"));
    }
  }
}
