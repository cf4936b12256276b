// The table of what ops cost against the probes of an H200, and what it makes of a launch.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "interp/machine/schedule/lane_demand.h"
#include "interp/machine/schedule/work.h"
#include "tests/machine/records.h"

using namespace tl;
using namespace tl::machine;

namespace {

// Lanes an SM does in a clock, where nothing but these ops is done again and again, 1024 lanes by 4 warps.
double lanes_a_clock(const trace::LaneWork& ops, const Device& d) {
  return 1024 / (lane_ns(demand_of(ops, 4), d) * d.sm_clock_ghz);
}

DType dtype_named(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  throw std::runtime_error("no dtype " + name);
}

}  // namespace

TEST_CASE("lanes: each op costs what its probe on an H200 found, within a quarter") {
  const Device h200 = find_device("h200");
  const auto probes = nlohmann::json::parse(std::ifstream(PROBE_RESULTS "/ops.json"));
  CHECK(probes.size() >= 40);
  for (const auto& probe : probes) {
    const DType dtype = dtype_named(probe["dtype"].get<std::string>());
    trace::LaneWork ops;
    for (const auto& name : probe["ops"]) ops.push_back({op_of(name.get<std::string>()).value(), dtype, 1024, 1});
    const double found = probe["lanes_a_clock"], said = lanes_a_clock(ops, h200);
    CHECK_MESSAGE(said == doctest::Approx(found).epsilon(0.25), probe.dump() << ": the table says " << said);
  }
}

TEST_CASE(
    "roles: a turn by pointers takes what its probe on an H200 found, within an eighth, where a program is alone") {
  const Device h200 = find_device("h200");
  const auto results = nlohmann::json::parse(std::ifstream(PROBE_RESULTS "/roles.json"));
  for (const auto& probe : results["steps"]) {
    if (probe["programs_an_sm"] != 1 || probe["by"] != "pointers") continue;
    const std::int64_t bm = probe["tile"][0], bn = probe["tile"][1], bk = probe["tile"][2];
    // A single warpgroup of more than 128 x 64 elements copies by pointers slower than the others.
    if (probe["warps"] == 4 && bm * bn > 128 * 64) continue;
    trace::AccessRecord record =
        product({.m = bm, .n = bn, .k = 16 * bk, .bm = bm, .bn = bn, .bk = bk, .route = trace::Route::staged});
    record.uses_wgmma = true;
    record.num_warps = probe["warps"];
    const Work work(record, h200, {.ctas_per_sm = 1, .stages = 4});
    const double found = probe["step_ns"], said = work.of(0).ns * work.of(0).least_pace;
    CHECK_MESSAGE(said == doctest::Approx(found).epsilon(0.125), probe.dump() << ": the model says " << said);
  }
}

TEST_CASE("lanes: pipes run beside one another, so that the longest counts") {
  const Device h200 = find_device("h200");
  const double exp2 = lanes_a_clock({{Op::exp2, DType::float32, 1024, 1}}, h200);
  CHECK(exp2 == doctest::Approx(16));
  // CUDA's guide, throughput of native instructions, 9.0: 16 of special functions and 128 of FP32 additions a clock.
  CHECK(lanes_a_clock({{Op::exp2, DType::float32, 1024, 1}, {Op::add, DType::float32, 4096, 1}}, h200) ==
        doctest::Approx(exp2));
  CHECK(lanes_a_clock({{Op::add, DType::float32, 1024, 1}}, h200) == doctest::Approx(128).epsilon(0.02));
}

TEST_CASE("lanes: a chip with half the FP32 units adds half as fast, and compares as fast") {
  const Device h200 = find_device("h200"), a100 = find_device("a100_80");
  const trace::LaneWork adds{{Op::add, DType::float32, 1024, 1}}, asks{{Op::lt, DType::float32, 1024, 1}};
  CHECK(lanes_a_clock(adds, a100) == doctest::Approx(64).epsilon(0.02));
  CHECK(lanes_a_clock(asks, a100) == doctest::Approx(lanes_a_clock(asks, h200)));
}

TEST_CASE("lanes: bytes that are loaded one by one take their places in the issue, 16 bytes at once a sixteenth") {
  trace::AccessRecord record;
  record.tensors.emplace_back().dtype = DType::uint8;
  trace::AccessPattern pattern;
  const auto axis = [](std::int64_t n) { return trace::Extents(std::span(&n, 1)); };
  pattern.tensor = 0;
  pattern.shape = pattern.hi = axis(1024);
  pattern.strides = axis(1);
  pattern.lo = axis(0);
  record.patterns.push_back(pattern);
  record.accesses.push_back({});
  const trace::Segment segment{.first = 0, .size = 1};
  CHECK(access_demand(record, segment, {{1}, {0}}).issue ==
        doctest::Approx(16 * access_demand(record, segment, {{16}, {0}}).issue));
}
