// Turns of small tiles, and of two dots, against the probes of an H200 (probes/turns.py).
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interp/machine/limits/occupancy.h"
#include "interp/machine/schedule/turn.h"
#include "interp/rules/config.h"
#include "tests/machine/records.h"

using namespace tl;
using namespace tl::machine;

namespace {

const nlohmann::json& probes() {
  static const auto results = nlohmann::json::parse(std::ifstream(PROBE_RESULTS "/turns.json"));
  return results["turns"];
}

// What the model says of a probe's product of f16, where so many programs share an SM.
double said_of(const nlohmann::json& probe, const Device& d, int programs) {
  const int bm = probe["tile"][0], bn = probe["tile"][1], bk = probe["tile"][2], warps = probe["warps"];
  const bool has_roles = warps % 4 == 0, by_groups = has_roles && rules::fits_wgmma(bm, bn, warps);
  const rules::Config config{.num_warps = warps, .matrix = has_roles ? rules::Matrix::wgmma : rules::Matrix::mma_sync};
  const auto readers = rules::dot_readers(config, bm, bn);
  trace::AccessRecord record = product({.m = bm,
                                        .n = bn,
                                        .k = 16 * bk,
                                        .bm = bm,
                                        .bn = bn,
                                        .bk = bk,
                                        .route = has_roles ? trace::Route::staged : trace::Route::registers});
  record.uses_wgmma = has_roles;
  record.num_warps = warps;
  const double flops = 2.0 * bm * bn * bk, read = 2.0 * (bm * bk * readers.a + bk * bn * readers.b);
  const DotFeed feed{.has_roles = has_roles,
                     .by_mma_sync = !by_groups,
                     .shared_cycles = by_groups ? 0 : read / d.shared_bytes_a_clock / flops};
  const auto requests = lane_requests(record);
  const Turn turn = turn_of(record, record.segments[0], d, feed, probe["threads"], requests.elements);
  // In one role a tile's way from L2 is no part of the turn: Memory has it.
  return std::max(turn.alone_ns + (has_roles ? 0 : d.l2_remote_latency_ns), programs * turn.busy_ns);
}

std::int64_t resident(const nlohmann::json& probe, const Device& d) {
  return occupancy_of({probe["threads"], probe["registers"], probe["shared_bytes"], 0}, d).ctas;
}

}  // namespace

TEST_CASE("turns: small tiles take what their probes on an H200 found, alone and where programs share an SM") {
  const Device h200 = find_device("h200");
  std::vector<double> errors;
  for (const auto& probe : probes()) {
    const int programs = probe["programs_an_sm"];
    if (probe["form"] != "f16" || probe["spilled_bytes"] != 0 || programs > resident(probe, h200)) continue;
    const double found = probe["turn_ns"], said = said_of(probe, h200, programs);
    CHECK_MESSAGE(said == doctest::Approx(found).epsilon(0.45), probe.dump() << ": the model says " << said);
    errors.push_back(std::abs(said / found - 1));
  }
  std::ranges::sort(errors);
  CHECK(errors.size() >= 100);
  CHECK(errors[errors.size() / 2] <= 0.1);
  CHECK(errors[errors.size() * 9 / 10] <= 0.25);
}

TEST_CASE("turns: of one tile more programs never make a turn shorter, nor do more warps that copy its parts") {
  const Device h200 = find_device("h200");
  for (const auto& probe : probes())
    if (probe["form"] == "f16") CHECK(said_of(probe, h200, 8) >= said_of(probe, h200, 1));
}

TEST_CASE(
    "turns: random numbers of a program that has its SM for itself take what their probes found, within a sixth") {
  const Device h200 = find_device("h200");
  int looked_at = 0;
  for (const auto& probe : probes()) {
    if (probe["programs_an_sm"] != 1 || probe["form"] != "rand") continue;
    const double lanes = probe["tile"][0];
    const trace::LaneWork work{{Op::rand, DType::float32, lanes, 1}};
    const int warps = probe["warps"];
    const double said = alone_ns(work, lane_ns(demand_of(work, warps), h200), warps, h200.reduction_wait_ns, h200);
    CHECK_MESSAGE(said == doctest::Approx(probe["turn_ns"].get<double>()).epsilon(0.17), probe.dump() << ": " << said);
    ++looked_at;
  }
  CHECK(looked_at >= 5);
}
